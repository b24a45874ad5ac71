/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The two resolve calls, and gets of keys whose values come from these or from a query. A call is
 * answered here if the host could not answer otherwise; else the server asks the host first. */

#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "src/base/epoch.h"
#include "src/context/reply_wait.h"
#include "src/nspace/query_args.h"
#include "src/nspace/resolve.h"
#include "src/value/infos.h"
#include "query.h"

/* True if the status of a reply means that the server has no answer. OpenPMIx's server sends it if
 * its host has no answer or one that it cannot read, or if it does not know the command; that of
 * 5.0 says PMIX_ERR_INVALID_NAMESPACE about the nodes of its own jobs. Our server never does: it
 * answers itself when its host does not. */
static bool lacks_answer(bool ours, pmix_status_t status)
{
    return status == PMIX_ERR_NOT_SUPPORTED || status == PMIX_ERR_NOT_FOUND ||
           status == PMIX_ERR_INVALID_VAL || (status == PMIX_ERR_INVALID_NAMESPACE && !ours);
}

/* Sends a resolve request and waits for the reply, which is the caller's. PMIX_ERR_WOULD_BLOCK (on
 * the loop thread), PMIX_ERR_NOMEM, PMIX_ERR_LOST_CONNECTION (while it waits), or the status of the
 * reply. *ret_here is set if this process has to answer: there is no server, it has no such
 * command, or it has no answer. Its other statuses are the host's, whatever they mean elsewhere. */
static pmix_status_t ask_server(struct px_session *session, const struct px_request *request,
                                const char *node, const char *nspace, struct px_reply *ret,
                                bool *ret_here)
{
    struct px_resolve_args args = {.node = PX_BORROWED(node), .nspace = PX_BORROWED(nspace)};
    struct px_link_server *server;
    struct px_reply_wait waiting;
    struct px_completion to;
    bool sent;
    bool ours;
    int rc = px_msg_server(session, &server);

    if (rc == 0 && !px_request_is_supported(server, request)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    if (rc == 0 && px_loop_inside(session->ctx->loop)) {
        rc = PMIX_ERR_WOULD_BLOCK;
    }
    if (rc != 0) {
        *ret_here = rc == PMIX_ERR_NOT_SUPPORTED || rc == PMIX_ERR_UNREACH ||
                    rc == PMIX_ERR_LOST_CONNECTION;
        return rc;
    }
    ours = server->ours;
    to = px_reply_wait_begin(&waiting);
    rc = px_request_send_at(server, request, &args.head, &to);
    sent = rc == 0;
    rc = px_reply_wait_end(session->ctx, &waiting, rc);
    *ret = waiting.reply;
    *ret_here = sent ? lacks_answer(ours, rc) : rc == PMIX_ERR_UNREACH;
    return rc;
}

/* True if the host answers such a call, as far as the segment's flags tell: it has a query upcall
 * and has not declined this one. */
static bool host_answers(uint32_t flags, bool peers)
{
    uint32_t declined = peers ? PX_STORE_PEERS_DECLINED : PX_STORE_NODES_DECLINED;

    return (flags & PX_STORE_HOST_QUERIES) != 0 && (flags & declined) == 0;
}

/* True if the segment of the space is complete and has the final answer: the host does not answer
 * such calls, and the job has not ended. */
static bool may_answer(const struct px_space *space, bool peers)
{
    const struct px_store *segment = space != NULL ? px_space_segment(space) : NULL;
    uint32_t flags = segment != NULL ? px_store_flags(segment) : 0;
    struct px_store_info info;

    if ((flags & PX_STORE_JOB_COMPLETE) == 0 || host_answers(flags, peers)) {
        return false;
    }
    px_store_info(segment, &info);
    return !info.dead;
}

/* How many stores fit in the array on the stack. */
enum { FEW_STORES = 16 };

/* Answers from the stores that are here, of one space or (all) of every space. The array of stores
 * is allocated if there are more than a few. Inside a read-side critical section. */
static pmix_status_t resolve_here(const struct px_space *first, bool all, const char *node,
                                  bool peers, struct px_reply *ret)
{
    const struct px_store *few[FEW_STORES];
    const struct px_store **stores = few;
    size_t n = px_space_jobs(first, all, few, FEW_STORES);
    pmix_status_t rc;

    if (n > FEW_STORES) {
        size_t room = n;

        stores = calloc(room, sizeof(*stores));
        if (stores == NULL) {
            return PMIX_ERR_NOMEM;
        }
        n = px_space_jobs(first, all, stores, room);
        n = n > room ? room : n;
    }
    rc = peers ? px_resolve_peers(stores, n, node, &ret->procs, &ret->nprocs)
               : px_resolve_nodes(stores, n, &ret->text);
    if (stores != few) {
        free(stores);
    }
    return rc;
}

/* Both resolve calls: peers or nodes, of one namespace or (NULL or empty) of all. The critical
 * section is left while the server is asked. */
pmix_status_t px_client_resolve(struct px_ctx *ctx, bool peers, const char *node,
                                const char *nspace, struct px_reply *ret)
{
    struct px_session *session = px_session(ctx);
    bool all = nspace == NULL || nspace[0] == '\0';
    const struct px_space *space = all ? &session->own : px_space_named(session, nspace);
    bool here = false;
    pmix_status_t rc;

    px_reader_enter();
    if (all || !may_answer(space, peers)) {
        px_reader_leave();
        rc = ask_server(session, peers ? &px_request_resolve_peers : &px_request_resolve_nodes,
                        node != NULL ? node : session->hostname, nspace, ret, &here);
        if (!here) {
            return rc;
        }
        px_reader_enter();
    }
    rc = resolve_here(space, all, node, peers, ret);
    px_reader_leave();
    return rc;
}

/* A get of names under way: the caller's callback and the key whose value it wants. */
struct local_call {
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
    const char *key; /* of the names */
};

/* Completion for PMIX_LOCAL_PROCS: turns the processes of the reply into an array value for the
 * caller's callback. Loop thread. */
static void local_done(const struct px_completion *to, struct px_reply *reply)
{
    pmix_value_cbfunc_t cbfunc = (pmix_value_cbfunc_t) to->callback;
    pmix_data_array_t array = {.type = PMIX_PROC, .size = reply->nprocs, .array = reply->procs};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    pmix_status_t status = reply->status;

    if (status == PMIX_ERR_NOT_SUPPORTED || (status == PMIX_SUCCESS && reply->nprocs == 0)) {
        status = PMIX_ERR_NOT_FOUND;
    }
    cbfunc(status, status == PMIX_SUCCESS ? &value : NULL, to->cbdata);
}

/* PMIX_LOCAL_PROCS: all processes of this node, of any job. The server is sent a resolve request
 * for this node and every namespace, which has no directives, hence no time limit of the server. */
static pmix_status_t local_procs_nb(struct px_session *session, uint64_t timeout_ms,
                                    pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct px_completion to = {local_done, NULL, (px_callback) cbfunc, cbdata};
    struct px_resolve_args args = {.node = session->hostname};
    struct px_link_server *server;
    int rc = px_msg_server(session, &server);

    if (rc == 0) {
        rc = px_request_send_within(server, &px_request_resolve_peers, &args.head, timeout_ms, &to);
    }

    return rc == PMIX_ERR_NOT_SUPPORTED ? PMIX_ERR_NOT_FOUND : rc;
}

/* Keys of the process sets and groups of a process, which are got by a query. */
static const char *const names[] = {PMIX_PSET_NAMES, PMIX_GROUP_NAMES};

/* Completion of such a query: passes the value of the wanted key on. Frees the call. Loop thread.
 */
static void names_answered(const struct px_completion *inner, struct px_reply *reply)
{
    struct local_call *call = inner->target;
    pmix_status_t status = reply->status;
    const pmix_value_t *value = px_query_result(reply->info, reply->ninfo, call->key);

    if (value == NULL && (status == PMIX_SUCCESS || status == PMIX_ERR_NOT_SUPPORTED)) {
        status = PMIX_ERR_NOT_FOUND;
    }
    call->cbfunc(value != NULL ? PMIX_SUCCESS : status, (pmix_value_t *) (uintptr_t) value,
                 call->cbdata);
    free(call);
}

/* PMIX_PSET_NAMES or PMIX_GROUP_NAMES of a process: sends a query for that key, qualified by the
 * process and the time limit. Statuses as px_client_query. */
static pmix_status_t names_nb(struct px_session *session, const pmix_proc_t *proc, const char *key,
                              uint64_t timeout_ms, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct local_call *call = malloc(sizeof(*call));
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_proc_t who = *proc;
    pmix_info_t qualifiers[] = {
        {.key = PMIX_PROCID, .value = {.type = PMIX_PROC, .data.proc = &who}},
        {.key = PMIX_TIMEOUT,
         .value = {.type = PMIX_INT, .data.integer = (int) (timeout_ms / 1000)}},
    };
    pmix_query_t query = {.keys = keys, .qualifiers = qualifiers, .nqual = timeout_ms > 0 ? 2 : 1};
    struct px_query_args args = {.queries = &query, .nqueries = 1};
    struct px_completion to = {.done = names_answered, .target = call};
    pmix_status_t rc;

    if (call == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *call = (struct local_call){.cbfunc = cbfunc, .cbdata = cbdata, .key = key};
    rc = px_client_query(session, &args, &to);
    if (rc != PMIX_SUCCESS) {
        free(call);
    }
    return rc;
}

bool px_key_is_dynamic(const char *key)
{
    return strcmp(key, PMIX_LOCAL_PROCS) == 0 || strcmp(key, names[0]) == 0 ||
           strcmp(key, names[1]) == 0;
}

pmix_status_t px_client_get_dynamic_nb(struct px_session *session, const pmix_proc_t *proc,
                                       const char *key, uint64_t timeout_ms,
                                       pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    px_assert(px_key_is_dynamic(key));
    return strcmp(key, PMIX_LOCAL_PROCS) == 0
               ? local_procs_nb(session, timeout_ms, cbfunc, cbdata)
               : names_nb(session, proc, strcmp(key, names[0]) == 0 ? names[0] : names[1],
                          timeout_ms, cbfunc, cbdata);
}
