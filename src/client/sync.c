/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives that a client takes part in: fence, connect, disconnect. Each is one request, whose
 * reply comes when all participants have called. At the end of a fence or connect, data fetched
 * before count as old, and segments are refreshed, so that a get afterwards sees what others
 * committed before. */

#include "sync.h"

#include <stdlib.h>

#include "src/client/data/collected.h"
#include "request.h"
#include "group.h"
#include "group_map.h"
#include "src/base/param.h"
#include "src/value/directives.h"
#include "src/value/infos.h"
#include "src/base/assert.h"
#include "src/value/procs.h"
#include "src/client/data/private_store.h"
#include "src/client/data/put.h"
#include "src/client/data/refresh.h"
#include "src/wire/messages.h"
#include "src/wire/view.h"

/* Copies the infos of a call, with the processes as the caller named them (PX_KEY_NAMED) behind
 * them. 0 with *ret, the caller's (PMIx_Info_free), or PMIX_ERR_NOMEM. */
static int add_named(const struct px_coll_args *args, struct px_args *ret)
{
    pmix_data_array_t procs = {.type = PMIX_PROC, .size = args->nprocs, .array = args->procs};
    int rc = px_infos_append_all(&ret->info, &ret->ninfo, args->head.info, args->head.ninfo);

    return rc == 0 ? px_infos_append(&ret->info, &ret->ninfo, PX_KEY_NAMED, &procs, PMIX_DATA_ARRAY)
                   : rc;
}

/* A participant's groups are replaced by their members. A server of this library is told of the
 * groups, too. */
int px_client_collective_begin(struct px_link_server *server, const struct px_request *request,
                               const struct px_coll_args *args, struct px_msg *ret)
{
    struct px_proc_list members = {0};
    struct px_coll_args named = *args;
    struct px_args told = {0};
    int rc = px_group_map_expand(server->session, args->procs, args->nprocs, &members);

    if (rc < 0) {
        return rc;
    }
    if (rc == 0) {
        named.procs = members.at;
        named.nprocs = members.n;
        rc = server->ours ? add_named(args, &told) : 0;
        named.head = server->ours ? told : args->head;
    } else {
        rc = 0;
    }
    rc = rc == 0 ? px_msg_describe(server, request, &named.head, ret) : rc;
    PMIx_Info_free(told.info, told.ninfo);
    px_proc_list_fini(&members);
    return rc;
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

/* A fence, connect or disconnect under way. Allocated when it is sent, freed after its completion.
 */
struct collective_call {
    struct px_session *session;
    const struct px_request *request;
    struct px_reply reply; /* for the completion, once the server has replied */
    struct px_completion to;
    struct px_proc_list collected; /* of a fence: namespaces whose data are to be brought */
};

/* Calls the completion, after the refreshes. Loop thread. */
static void collective_done(void *arg)
{
    struct collective_call *call = arg;

    call->to.done(&call->to, &call->reply);
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

/* Brings what a fence has collected, if there is no segment that has it. Loop thread. */
static void collective_over(void *arg)
{
    struct collective_call *call = arg;

    px_assert(px_loop_inside(call->session->ctx->loop));
    px_collected_fetch(call->session, &call->collected, collective_done, call);
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

/* Reads what our servers add to the reply to a fence: the namespaces whose data were collected and
 * that we read by messages. If they cannot be read, gets bring the data. */
static void read_collected(struct collective_call *call, struct px_in *reply)
{
    const struct px_link_server *server = px_session_server(call->session);

    if (server != NULL && server->ours) {
        (void) px_collected_read(reply, &call->collected);
    }
}

/* The reply: a status, and for a connect the job information of the participants, which is stored.
 * A fence has the status of a commit that the server refused earlier; a disconnect refreshes
 * nothing at its end. Loop thread. */
static void collective_reply(void *arg, int status, struct px_in *reply)
{
    struct collective_call *call = arg;
    int rc = 0;

    px_assert(px_loop_inside(call->session->ctx->loop));
    status = px_reply_status(status, reply);
    if (status == PMIX_SUCCESS && call->request == &px_request_fence) {
        rc = px_session_refused(call->session);
        read_collected(call, reply);
    }
    while (status == PMIX_SUCCESS && call->request == &px_request_connect &&
           px_in_left(reply) > 0 && rc == 0) {
        rc = store_participant(call->session, reply);
    }
    call->reply.status = rc == 0 ? status : rc;
    if (call->request == &px_request_disconnect) {
        collective_done(call);
    } else {
        px_client_collective_over(call->session, collective_over, call);
    }
}

/* Sends a fence, connect or disconnect. */
static int send_collective(struct px_link_server *server, const struct px_request *request,
                           const struct px_coll_args *args, const struct px_completion *to)
{
    struct collective_call *call;
    uint64_t timeout_ms;
    struct px_msg msg;
    int rc = px_client_timeout(args->head.info, args->head.ninfo, &timeout_ms);

    if (rc != 0) {
        return rc;
    }
    call = calloc(1, sizeof(*call));
    rc = call != NULL ? px_client_collective_begin(server, request, args, &msg) : PMIX_ERR_NOMEM;

    if (rc == 0) {
        *call = (struct collective_call){.session = server->session, .request = request, .to = *to};
        rc = px_msg_send(&msg, timeout_ms, collective_reply, call);
    }
    if (rc != 0) {
        free(call);
    }
    return rc;
}

/* A list without processes stands for our whole namespace. A singleton is alone in its namespace,
 * so its fence is over at once. */
pmix_status_t px_client_collective(struct px_session *session, const struct px_request *request,
                                   const struct px_coll_args *args, const struct px_completion *to)
{
    struct px_coll_args named = *args;
    struct px_link_server *server;
    pmix_proc_t all;
    int rc = px_msg_server(session, &server);

    if (rc == PMIX_ERR_UNREACH && request == &px_request_fence &&
        (args->nprocs == 0 || only_self(session->ctx, args->procs, args->nprocs))) {
        return px_directives_met(&px_call_fence, PX_ATTR_ALL, args->head.info, args->head.ninfo)
                   ? PMIX_OPERATION_SUCCEEDED
                   : PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc != 0) {
        return rc;
    }
    if (request == &px_request_group_construct) {
        return px_client_group_construct(server, args, to);
    }
    if (args->group != NULL) {
        return px_client_group_end(server, request, args, to);
    }
    if (args->nprocs == 0) {
        PMIx_Load_procid(&all, session->ctx->self.nspace, PMIX_RANK_WILDCARD);
        named.procs = &all;
        named.nprocs = 1;
    }
    return send_collective(server, request, &named, to);
}
