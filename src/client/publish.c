/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Published data, and processes started by others. */

#include "publish.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request.h"
#include "src/wire/frame.h"
#include "private_store.h"

static int pack_uid(struct px_msg *msg)
{
    uint32_t uid = (uint32_t) geteuid();

    return px_pack(&msg->buf, msg->kind, PMIX_UINT32, &uid, 1);
}

pmix_status_t px_client_publish_nb(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                   pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_PUBLISH, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = pack_uid(&msg);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    return px_msg_send_op(&msg, rc, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

pmix_status_t px_client_unpublish_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                     size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_UNPUBLISH, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = pack_uid(&msg);
    if (rc == 0) {
        rc = px_pack_keys(&msg, keys);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    return px_msg_send_op(&msg, rc, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

struct lookup_call {
    pmix_lookup_cbfunc_t cbfunc;
    void *cbdata;
};

static void lookup_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct lookup_call *call = arg;
    pmix_pdata_t *data = NULL;
    size_t n = 0;
    size_t room;

    status = px_reply_status(status, reply, fd);
    if ((status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS) && px_in_left(reply) > 0) {
        int rc = px_unpack_size(reply, &n);

        if (rc == 0) {
            rc = px_unpack_room(reply, n, sizeof(*data));
        }
        data = rc == 0 && n > 0 ? PMIx_Pdata_create(n) : NULL;
        if (rc == 0 && n > 0) {
            room = n;
            rc = data != NULL ? px_unpack(reply, PMIX_PDATA, data, &n) : PMIX_ERR_NOMEM;
            n = rc == 0 ? n : 0;
            if (rc != 0 && data != NULL) {
                PMIx_Pdata_free(data, room);
                data = NULL;
            }
        }
        status = rc == 0 ? status : rc;
    }
    call->cbfunc(status, data, data != NULL ? n : 0, call->cbdata);
    if (data != NULL) {
        PMIx_Pdata_free(data, n);
    }
    free(call);
}

pmix_status_t px_client_lookup_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                  size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct lookup_call *call;
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_LOOKUP, &msg);

    if (rc != 0) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (call == NULL) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct lookup_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = pack_uid(&msg);
    if (rc == 0) {
        rc = px_pack_keys(&msg, keys);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    rc = px_msg_send(&msg, rc, px_client_timeout_ms(info, ninfo), lookup_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

struct spawn_call {
    struct px_session *session;
    pmix_spawn_cbfunc_t cbfunc;
    void *cbdata;
};

static void spawn_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct spawn_call *call = arg;
    pmix_nspace_t nspace = {0};
    char *text = NULL;
    int rc = 0;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS) {
        rc = px_unpack_string(reply, &text);
        if (rc == 0 && (text == NULL || strlen(text) > PMIX_MAX_NSLEN)) {
            rc = PMIX_ERR_UNPACK_FAILURE;
        }
        if (rc == 0) {
            PMIx_Load_nspace(nspace, text);
        }
        if (rc == 0 && nspace[0] != '\0' && px_in_left(reply) > 0) {
            rc = px_session_store_job(call->session, nspace, reply);
            rc = rc == PMIX_ERR_WOULD_BLOCK ? 0 : rc; /* who needs it asks */
        }
        status = rc == 0 ? status : rc;
    }
    call->cbfunc(status, nspace, call->cbdata);
    free(text);
    free(call);
}

pmix_status_t px_client_spawn_nb(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                                 const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                                 void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct spawn_call *call;
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_SPAWN, &msg);

    if (rc != 0) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (call == NULL) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct spawn_call){.session = session, .cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_pack_infos(&msg.buf, msg.kind, job_info, ninfo);
    if (rc == 0) {
        rc = px_pack_size(&msg.buf, msg.kind, napps);
    }
    if (rc == 0) {
        rc = px_pack(&msg.buf, msg.kind, PMIX_APP, apps, napps);
    }
    rc = px_msg_send(&msg, rc, 0, spawn_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}
