/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests whose replies all look alike. A request is one message; its completion runs on the loop
 * thread. */

#include "request.h"

#include <stdlib.h>
#include <unistd.h>

#include "get_request.h"
#include "group_map.h"

enum { GRACE_MS = 1000 };

int px_msg_start(struct px_session *session, enum px_command command, struct px_msg *ret)
{
    struct px_server_peer *server = px_session_server(session);

    if (server == NULL) {
        /* pairs with px_session_attach */
        return px_load_ptr_acquire(&session->primary) == NULL ? PMIX_ERR_UNREACH
                                                              : PMIX_ERR_LOST_CONNECTION;
    }
    return px_msg_start_at(server, command, ret);
}

int px_msg_start_at(struct px_server_peer *server, enum px_command command, struct px_msg *ret)
{
    if (px_load_acquire(&server->lost) != 0) { /* pairs with link_lost */
        return PMIX_ERR_LOST_CONNECTION;
    }
    *ret = (struct px_msg){
        .session = server->session, .server = server, .kind = px_server_kind(server)};
    (void) px_pack_command(&ret->buf, ret->kind,
                           (uint8_t) command); /* px_msg_send looks at the buffer */
    return 0;
}

void px_msg_drop(struct px_msg *msg)
{
    px_buf_fini(&msg->buf);
}

int px_msg_send(struct px_msg *msg, int packed, uint64_t timeout_ms, px_reply_fn fn, void *arg)
{
    int rc = packed;

    if (rc == 0 && !px_buf_ok(&msg->buf)) {
        rc = PMIX_ERR_NOMEM;
    }
    if (rc == 0) {
        rc = px_link_request_take(msg->server->link, &msg->buf, timeout_ms, fn, arg);
    }
    px_buf_fini(&msg->buf);
    return rc;
}

pmix_status_t px_reply_status(int status, struct px_in *reply, int fd)
{
    pmix_status_t said;

    if (fd >= 0) {
        close(fd);
    }
    if (status != 0) {
        return status;
    }
    if (reply == NULL || px_unpack_status(reply, &said) != 0) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    return said == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : said;
}

struct op_call {
    pmix_op_cbfunc_t cbfunc;
    void *cbdata;
};

static void op_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct op_call *call = arg;

    status = px_reply_status(status, reply, fd);
    if (call->cbfunc != NULL) {
        call->cbfunc(status, call->cbdata);
    }
    free(call);
}

pmix_status_t px_msg_send_op(struct px_msg *msg, int packed, uint64_t timeout_ms,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct op_call *call = malloc(sizeof(*call));
    int rc;

    if (call == NULL) {
        px_msg_drop(msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct op_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_msg_send(msg, packed, timeout_ms, op_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

void px_infos_release(void *infos)
{
    struct px_infos *results = infos;

    if (results == NULL) {
        return;
    }
    PMIx_Info_free(results->info, results->n);
    free(results);
}

struct info_call {
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
    struct px_infos *results; /* made beforehand: a reply cannot fail for want of it */
};

static void info_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct info_call *call = arg;
    struct px_infos *results = call->results;

    status = px_reply_status(status, reply, fd);
    if ((status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS ||
         status == PMIX_QUERY_PARTIAL_SUCCESS) &&
        px_in_left(reply) > 0) {
        int rc = px_unpack_infos(reply, &results->info, &results->n);

        if (rc != 0) {
            results->info = NULL;
            results->n = 0;
            status = rc;
        }
    }
    if (call->cbfunc != NULL) {
        call->cbfunc(status, results->info, results->n, call->cbdata, px_infos_release, results);
    } else {
        px_infos_release(results);
    }
    free(call);
}

pmix_status_t px_msg_send_info(struct px_msg *msg, int packed, uint64_t timeout_ms,
                               pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct info_call *call = malloc(sizeof(*call));
    struct px_infos *results = calloc(1, sizeof(*results));
    int rc;

    if (call == NULL || results == NULL) {
        free(call);
        free(results);
        px_msg_drop(msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct info_call){.cbfunc = cbfunc, .cbdata = cbdata, .results = results};
    rc = px_msg_send(msg, packed, timeout_ms, info_reply, call);
    if (rc != 0) {
        free(call);
        free(results);
    }
    return rc;
}

int px_msg_pack_procs(struct px_msg *msg, const pmix_proc_t *procs, size_t n)
{
    struct px_proc_list named;
    int rc = px_group_map_expand(msg->session, procs, n, &named);

    if (rc == 0) {
        rc = px_pack_procs(&msg->buf, msg->kind, named.at, named.n);
        px_proc_list_fini(&named);
        return rc;
    }
    return rc < 0 ? rc : px_pack_procs(&msg->buf, msg->kind, procs, n);
}

int px_pack_keys(struct px_msg *msg, char **keys)
{
    size_t n = 0;
    int rc;

    while (keys != NULL && keys[n] != NULL) {
        n++;
    }
    rc = px_pack_size(&msg->buf, msg->kind, n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = px_pack_string(&msg->buf, msg->kind, keys[i]);
    }
    return rc;
}

uint64_t px_client_timeout_ms(const pmix_info_t *info, size_t ninfo)
{
    uint64_t ms = px_timeout_ms(info, ninfo);

    return ms > 0 ? ms + GRACE_MS : 0;
}
