/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests that go through the server to the host: logging, allocations, job control, monitoring,
 * credentials. */

#include "control.h"

#include <stdlib.h>
#include <time.h>

#include "request.h"
#include "src/value/directives.h"

pmix_status_t px_client_log_nb(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata,
                               const pmix_info_t *directives, size_t ndirs, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    time_t now = time(NULL);
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_LOG, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack(&msg.buf, msg.kind, PMIX_TIME, &now, 1);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, data, ndata);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, directives, ndirs);
    }
    return px_msg_send_op(&msg, rc, px_client_timeout_ms(directives, ndirs), cbfunc, cbdata);
}

pmix_status_t px_client_alloc_nb(struct px_ctx *ctx, pmix_alloc_directive_t directive,
                                 const pmix_info_t *info, size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_ALLOC, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack(&msg.buf, msg.kind, PMIX_ALLOC_DIRECTIVE, &directive, 1);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    return px_msg_send_info(&msg, rc, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

pmix_status_t px_client_job_control_nb(struct px_ctx *ctx, const pmix_proc_t *targets,
                                       size_t ntargets, const pmix_info_t *directives, size_t ndirs,
                                       pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_JOB_CONTROL, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack_procs(&msg.buf, msg.kind, targets, targets != NULL ? ntargets : 0);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, directives, ndirs);
    }
    return px_msg_send_info(&msg, rc, px_client_timeout_ms(directives, ndirs), cbfunc, cbdata);
}

/* A heartbeat is a message of its own kind: nobody answers. Its one byte only keeps it from being
 * empty. */
static pmix_status_t send_heartbeat(struct px_session *session)
{
    struct px_server_peer *server = px_session_server(session);
    struct px_buf buf = {0};
    int rc;

    if (server == NULL) {
        return PMIX_ERR_UNREACH;
    }
    px_buf_byte(&buf, 0);
    rc = px_buf_ok(&buf) ? px_link_post_take(server->link, PX_TAG_HEARTBEAT, &buf) : PMIX_ERR_NOMEM;
    px_buf_fini(&buf);
    return rc == 0 ? PMIX_OPERATION_SUCCEEDED : rc;
}

pmix_status_t px_client_monitor_nb(struct px_ctx *ctx, const pmix_info_t *monitor,
                                   pmix_status_t error, const pmix_info_t *directives, size_t ndirs,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_msg msg;
    int rc;

    if (PMIx_Check_key(monitor->key, PMIX_SEND_HEARTBEAT)) {
        return px_directives_met(&px_call_monitor, PX_ATTR_ALL, directives, ndirs)
                   ? send_heartbeat(session)
                   : PMIX_ERR_NOT_SUPPORTED;
    }
    rc = px_msg_start(session, PX_CMD_MONITOR, &msg);
    if (rc != 0) {
        return rc;
    }
    rc = px_pack(&msg.buf, msg.kind, PMIX_INFO, monitor, 1);
    if (rc == 0) {
        rc = px_pack_status(&msg.buf, msg.kind, error);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, directives, ndirs);
    }
    return px_msg_send_info(&msg, rc, px_client_timeout_ms(directives, ndirs), cbfunc, cbdata);
}

struct credential_call {
    pmix_credential_cbfunc_t cbfunc;
    void *cbdata;
};

static void credential_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct credential_call *call = arg;
    pmix_byte_object_t credential = {0};
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS) {
        rc = px_unpack_one(reply, PMIX_BYTE_OBJECT, &credential);
        if (rc == 0 && px_in_left(reply) > 0) {
            rc = px_unpack_infos(reply, &info, &n);
        }
        status = rc;
    }
    if (status == PMIX_SUCCESS) {
        call->cbfunc(status, &credential, info, n, call->cbdata);
        PMIx_Info_free(info, n);
    } else {
        call->cbfunc(status, NULL, NULL, 0, call->cbdata);
    }
    PMIx_Byte_object_destruct(&credential);
    free(call);
}

pmix_status_t px_client_get_credential_nb(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                          pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    struct credential_call *call;
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_GET_CREDENTIAL, &msg);

    if (rc != 0) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (call == NULL) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct credential_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    rc = px_msg_send(&msg, rc, px_client_timeout_ms(info, ninfo), credential_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

struct validation_call {
    pmix_validation_cbfunc_t cbfunc;
    void *cbdata;
};

static void validation_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct validation_call *call = arg;
    pmix_info_t *info = NULL;
    size_t n = 0;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS && px_in_left(reply) > 0) {
        status = px_unpack_infos(reply, &info, &n);
    }
    call->cbfunc(status, status == PMIX_SUCCESS ? info : NULL, status == PMIX_SUCCESS ? n : 0,
                 call->cbdata);
    if (status == PMIX_SUCCESS) {
        PMIx_Info_free(info, n);
    }
    free(call);
}

pmix_status_t px_client_validate_credential_nb(struct px_ctx *ctx, const pmix_byte_object_t *cred,
                                               const pmix_info_t *info, size_t ninfo,
                                               pmix_validation_cbfunc_t cbfunc, void *cbdata)
{
    struct validation_call *call;
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_VALIDATE_CREDENTIAL, &msg);

    if (rc != 0) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (call == NULL) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct validation_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_pack(&msg.buf, msg.kind, PMIX_BYTE_OBJECT, cred, 1);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    rc = px_msg_send(&msg, rc, px_client_timeout_ms(info, ninfo), validation_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

pmix_status_t px_client_session_control_nb(struct px_ctx *ctx, uint32_t session,
                                           const pmix_info_t *directives, size_t ndirs,
                                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_SESSION_CTRL, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack(&msg.buf, msg.kind, PMIX_UINT32, &session, 1);
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, directives, ndirs);
    }
    return px_msg_send_info(&msg, rc, px_client_timeout_ms(directives, ndirs), cbfunc, cbdata);
}

pmix_status_t px_client_resource_block_nb(struct px_ctx *ctx,
                                          pmix_resource_block_directive_t directive,
                                          const char *block, const pmix_resource_unit_t *units,
                                          size_t nunits, const pmix_info_t *info, size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_RESBLOCK, &msg);

    if (rc != 0) {
        return rc;
    }
    if (!px_session(ctx)->ours && !px_server_at_least(msg.server, 6, 0, 0)) {
        px_msg_drop(&msg); /* neither the command nor its types are known there */
        return PMIX_ERR_NOT_SUPPORTED;
    }
    rc = px_pack(&msg.buf, msg.kind, PMIX_RESBLOCK_DIRECTIVE, &directive, 1);
    if (rc == 0) {
        rc = px_pack_string(&msg.buf, msg.kind, block);
    }
    if (rc == 0) {
        rc = px_pack_size(&msg.buf, msg.kind, nunits);
    }
    if (rc == 0 && nunits > 0) {
        rc = px_pack(&msg.buf, msg.kind, PMIX_RESOURCE_UNIT, units, nunits);
    }
    if (rc == 0) {
        rc = px_pack_infos(&msg.buf, msg.kind, info, ninfo);
    }
    return px_msg_send_op(&msg, rc, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

pmix_status_t px_client_fabric_register_nb(struct px_ctx *ctx, const pmix_info_t *directives,
                                           size_t ndirs, pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_FABRIC_REGISTER, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack_infos(&msg.buf, msg.kind, directives, ndirs);
    return px_msg_send_info(&msg, rc, px_client_timeout_ms(directives, ndirs), cbfunc, cbdata);
}

pmix_status_t px_client_fabric_update_nb(struct px_ctx *ctx, size_t index,
                                         pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_FABRIC_UPDATE, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = px_pack_size(&msg.buf, msg.kind, index);
    return px_msg_send_info(&msg, rc, 0, cbfunc, cbdata);
}
