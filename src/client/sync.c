/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives that a client takes part in: fence, connect, disconnect. Each is one request, whose
 * reply comes when all participants have called. At the end of a fence or connect, data fetched
 * before count as old, and segments are refreshed, so that a get afterwards sees what others
 * committed before. */

#include "sync.h"

#include <stdlib.h>

#include "request.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "src/base/assert.h"
#include "src/value/procs.h"
#include "private_store.h"
#include "put.h"
#include "refresh.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"

/* The participants as the wire wants them: processes for groups; never none, our whole namespace
 * when the caller names nobody. */
static int pack_participants(struct px_msg *msg, const pmix_proc_t *procs, size_t nprocs)
{
    pmix_proc_t all;

    if (procs != NULL && nprocs > 0) {
        return px_msg_pack_procs(msg, procs, nprocs);
    }
    PMIx_Load_procid(&all, msg->session->ctx->self.nspace, PMIX_RANK_WILDCARD);
    return px_pack_procs(&msg->buf, msg->kind, &all, 1);
}

/* Packs what collectives have in common: participants and directives. Sends nothing. 0 or an error
 * of packing. */
static pmix_status_t send_collective(struct px_msg *msg, const pmix_proc_t *procs, size_t nprocs,
                                     const pmix_info_t *info, size_t ninfo)
{
    int rc = pack_participants(msg, procs, nprocs);

    return rc == 0 ? px_pack_infos(&msg->buf, msg->kind, info, ninfo) : rc;
}

/* True if the caller names itself and nobody else. */
static bool only_self(const struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs)
{
    for (size_t i = 0; i < nprocs; i++) {
        if (!px_proc_equal(&procs[i], &ctx->self)) {
            return false;
        }
    }
    return nprocs > 0;
}

/* A fence or connect under way. Allocated when it is sent, freed after its callback. */
struct collective_call {
    struct px_session *session;
    pmix_status_t status; /* for the callback, once the reply is there */
    pmix_op_cbfunc_t cbfunc;
    void *cbdata;
};

/* Calls the application back, after the refreshes. Loop thread. */
static void collective_done(void *arg)
{
    struct collective_call *call = arg;

    call->cbfunc(call->status, call->cbdata);
    free(call);
}

/* First prefaults what the collective has brought, then marks fetched data as old, then waits for
 * segments that are superseded. */
void px_client_collective_over(struct px_session *session, void (*then)(void *arg), void *arg)
{
    struct px_store *segment = px_session_shared(session);

    px_assert(px_loop_inside(session->ctx->loop));
    if (segment != NULL && px_param_int(PX_P_SHMEM_PREFAULT) > 0) {
        px_session_prefault(segment);
    }
    px_session_collected(session);
    if (!px_session_refresh_all(session, then, arg)) {
        then(arg);
    }
}

/* The reply to a fence. Loop thread. */
static void fence_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct collective_call *call = arg;

    status = px_reply_status(status, reply, fd);
    call->status = status == PMIX_SUCCESS ? px_session_refused(call->session) : status;
    px_client_collective_over(call->session, collective_done, call);
}

/* Packs participants and directives, and sends the collective whose command is in `msg`; frees
 * everything on failure. how: is copied. 0: `reply` is called once on the loop thread with the
 * copy, and frees it after the callback; else nothing is called. */
static pmix_status_t start_collective(struct px_msg *msg, const pmix_proc_t *procs, size_t nprocs,
                                      const pmix_info_t *info, size_t ninfo, px_reply_fn reply,
                                      const struct collective_call *how)
{
    struct collective_call *call = malloc(sizeof(*call));
    int rc;

    if (call == NULL) {
        px_msg_drop(msg);
        return PMIX_ERR_NOMEM;
    }
    *call = *how;
    rc = send_collective(msg, procs, nprocs, info, ninfo);
    (void) px_buf_fail(&msg->buf, rc);
    rc = px_msg_send(msg, px_client_timeout_ms(info, ninfo), reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

/* A singleton is alone in its namespace: it has nobody to wait for, and the fence is over at once.
 */
pmix_status_t px_client_fence_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                 const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_FENCE, &msg);

    if (rc == PMIX_ERR_UNREACH && (nprocs == 0 || procs == NULL || only_self(ctx, procs, nprocs))) {
        /* alone in its namespace */
        return px_directives_met(&px_call_fence, PX_ATTR_ALL, info, ninfo)
                   ? PMIX_OPERATION_SUCCEEDED
                   : PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc != 0) {
        return rc;
    }
    return start_collective(
        &msg, procs, nprocs, info, ninfo, fence_reply,
        &(struct collective_call){.session = session, .cbfunc = cbfunc, .cbdata = cbdata});
}

/* The reply is a status alone; a disconnect refreshes nothing at its end. */
pmix_status_t px_client_disconnect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_msg msg;
    int rc = px_msg_start(px_session(ctx), PX_CMD_DISCONNECT, &msg);

    if (rc != 0) {
        return rc;
    }
    rc = send_collective(&msg, procs, nprocs, info, ninfo);
    (void) px_buf_fail(&msg.buf, rc);
    return px_msg_send_op(&msg, px_client_timeout_ms(info, ninfo), cbfunc, cbdata);
}

/* Stores one BYTE_OBJECT of the reply to a connect: STRING nspace; KVAL... of a namespace that
 * takes part. A segment that did not arrive is no error: gets ask for it. 0 or an error of
 * unpacking. */
static int store_participant(struct px_session *session, struct px_in *in)
{
    const void *bytes;
    size_t len;
    struct px_in inner;
    char *nspace = NULL;
    int rc = px_unpack_view(in, &bytes, &len);

    if (rc != 0 || len == 0) {
        return rc;
    }
    inner = px_in_make(bytes, len, in->kind);
    rc = px_unpack_string(&inner, &nspace);
    if (rc == 0 && (nspace == NULL || PMIx_Nspace_invalid(nspace))) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    if (rc == 0 && px_in_left(&inner) > 0) {
        rc = px_session_store_job(session, nspace, &inner);
    }
    free(nspace);
    return rc == PMIX_ERR_WOULD_BLOCK ? 0 : rc; /* a get will ask for it */
}

/* The reply to a connect: stores the job information of the participants. Loop thread. */
static void connect_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct collective_call *call = arg;
    int rc = 0;

    status = px_reply_status(status, reply, fd);
    while (status == PMIX_SUCCESS && px_in_left(reply) > 0 && rc == 0) {
        rc = store_participant(call->session, reply);
    }
    call->status = rc == 0 ? status : rc;
    px_client_collective_over(call->session, collective_done, call);
}

pmix_status_t px_client_connect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                   const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_CONNECT, &msg);

    if (rc != 0) {
        return rc;
    }
    return start_collective(
        &msg, procs, nprocs, info, ninfo, connect_reply,
        &(struct collective_call){.session = session, .cbfunc = cbfunc, .cbdata = cbdata});
}
