/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The two resolve calls, which are answered here when that cannot change the answer and by the
 * server, host first, when it might; and gets of what only they or a query can tell. */

#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "src/base/epoch.h"
#include "src/nspace/resolve.h"
#include "facts.h"
#include "other_nspace.h"
#include "private_store.h"
#include "query.h"
#include "src/wire/messages.h"

/* One resolve request and the thread that waits for it. */
struct resolve_call {
    struct px_wait wait;
    pmix_proc_t *procs;
    size_t nprocs;
    char *nodes;
    bool peers;
};

static void resolve_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct resolve_call *call = arg;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS && px_in_left(reply) > 0) {
        status = call->peers ? px_unpack_procs(reply, &call->procs, &call->nprocs)
                             : px_unpack_string(reply, &call->nodes);
    }
    px_wait_done(&call->wait, status);
}

/* PMIX_ERR_NOT_SUPPORTED: the server has no such command. */
static pmix_status_t ask_server(struct px_session *session, const char *node, const char *nspace,
                                struct resolve_call *call)
{
    struct px_msg msg;
    int rc = px_msg_start(session, call->peers ? PX_CMD_RESOLVE_PEERS : PX_CMD_RESOLVE_NODES, &msg);

    if (rc != 0) {
        return rc == PMIX_ERR_LOST_CONNECTION ? PMIX_ERR_UNREACH : rc;
    }
    if (!session->ours && !px_server_at_least(msg.server, 5, 0, 0)) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (px_loop_inside(session->ctx->loop)) {
        px_msg_drop(&msg);
        return PMIX_ERR_WOULD_BLOCK;
    }
    if (call->peers) {
        rc = px_pack_string(&msg.buf, msg.kind, node);
    }
    if (rc == 0) {
        rc = px_pack_string(&msg.buf, msg.kind, nspace);
    }
    px_wait_init(&call->wait);
    rc = px_msg_send(&msg, rc, 0, resolve_reply, call);
    if (rc != 0) {
        px_wait_done(&call->wait, rc);
    }
    return px_ctx_wait(session->ctx, &call->wait);
}

/* Does the host answer such a call? */
static bool host_answers(uint32_t flags, bool peers)
{
    uint32_t declined = peers ? PX_STORE_PEERS_DECLINED : PX_STORE_NODES_DECLINED;

    return (flags & PX_STORE_HOST_QUERIES) != 0 && (flags & declined) == 0;
}

/* Does the segment say that nobody above knows better? */
static bool may_answer(const struct px_session *session, const char *nspace, bool peers)
{
    const struct px_store *shared = px_session_shared(session);
    const struct px_other_nspace *other_nspace;
    struct px_store_info info;
    uint32_t flags;

    if (nspace == NULL || nspace[0] == '\0') {
        return false;
    }
    if (strcmp(nspace, session->ctx->self.nspace) != 0) {
        other_nspace =
            px_session_find_other_nspace(session, nspace, strnlen(nspace, PMIX_MAX_NSLEN + 1));
        shared = other_nspace != NULL ? px_other_nspace_shared(other_nspace) : NULL;
    }
    flags = shared != NULL ? px_store_flags(shared) : 0;
    if ((flags & PX_STORE_JOB_COMPLETE) == 0 || host_answers(flags, peers)) {
        return false;
    }
    px_store_info(shared, &info);
    return !info.dead; /* a namespace that is no more is none of ours to describe */
}

static bool may_answer_here(const struct px_session *session, const char *nspace, bool peers)
{
    bool may;

    px_reader_enter();
    may = may_answer(session, nspace, peers);
    px_reader_leave();
    return may;
}

/* Has the server no answer? Ours never says the last two; OpenPMIx's does where its host has no
 * answer, or one that it cannot read. */
static bool fall_back(pmix_status_t status)
{
    return status == PMIX_ERR_NOT_SUPPORTED || status == PMIX_ERR_UNREACH ||
           status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_INVALID_VAL;
}

enum { FEW_STORES = 16 };

/* The stores to answer from; more than a few are rare and allocated. */
struct stores {
    const struct px_store *few[FEW_STORES];
    const struct px_store **all;
    size_t n;
};

static int stores_gather(const struct px_session *session, const char *nspace, struct stores *ret)
{
    size_t n = px_session_stores(session, nspace, ret->few, FEW_STORES);

    ret->all = ret->few;
    if (n > FEW_STORES) {
        size_t room = n;

        ret->all = calloc(room, sizeof(*ret->all));
        if (ret->all == NULL) {
            return PMIX_ERR_NOMEM;
        }
        n = px_session_stores(session, nspace, ret->all, room);
        n = n > room ? room : n;
    }
    ret->n = n;
    return 0;
}

static void stores_release(struct stores *stores)
{
    if (stores->all != stores->few) {
        free(stores->all);
    }
}

pmix_status_t px_client_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace,
                                      pmix_proc_t **procs, size_t *nprocs)
{
    struct px_session *session = px_session(ctx);
    struct resolve_call call = {.peers = true};
    struct stores stores;
    pmix_status_t rc;

    if (!may_answer_here(session, nspace, true)) {
        rc = ask_server(session, node != NULL ? node : session->hostname, nspace, &call);
        if (rc == PMIX_SUCCESS) {
            *procs = call.procs;
            *nprocs = call.nprocs;
        }
        if (!fall_back(rc)) {
            return rc;
        }
    }
    px_reader_enter();
    rc = stores_gather(session, nspace, &stores);
    if (rc == 0) {
        rc = px_resolve_peers(stores.all, stores.n, node, procs, nprocs);
        stores_release(&stores);
    }
    px_reader_leave();
    return rc;
}

pmix_status_t px_client_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist)
{
    struct px_session *session = px_session(ctx);
    struct resolve_call call = {.peers = false};
    struct stores stores;
    pmix_status_t rc;

    if (!may_answer_here(session, nspace, false)) {
        rc = ask_server(session, NULL, nspace, &call);
        if (rc == PMIX_SUCCESS) {
            *nodelist = call.nodes;
        }
        if (!fall_back(rc)) {
            return rc;
        }
    }
    px_reader_enter();
    rc = stores_gather(session, nspace, &stores);
    if (rc == 0) {
        rc = px_resolve_nodes(stores.all, stores.n, nodelist);
        stores_release(&stores);
    }
    px_reader_leave();
    return rc;
}

/* PMIX_LOCAL_PROCS: all processes of the node, whosever. The answer is that of a resolve of every
 * namespace. */
struct local_call {
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
    const char *key; /* of the names */
};

static void give_procs(pmix_status_t status, pmix_proc_t *procs, size_t n,
                       pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = procs};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

    if (status == PMIX_SUCCESS && n == 0) {
        status = PMIX_ERR_NOT_FOUND;
    }
    cbfunc(status, status == PMIX_SUCCESS ? &value : NULL, cbdata);
    PMIx_Proc_free(procs, n);
}

static void local_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct local_call *call = arg;
    pmix_proc_t *procs = NULL;
    size_t n = 0;

    status = px_reply_status(status, reply, fd);
    if (status == PMIX_SUCCESS && px_in_left(reply) > 0) {
        status = px_unpack_procs(reply, &procs, &n);
    }
    give_procs(status == PMIX_ERR_NOT_SUPPORTED ? PMIX_ERR_NOT_FOUND : status, procs, n,
               call->cbfunc, call->cbdata);
    free(call);
}

static pmix_status_t local_procs_nb(struct px_session *session, pmix_value_cbfunc_t cbfunc,
                                    void *cbdata)
{
    struct local_call *call;
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_RESOLVE_PEERS, &msg);

    if (rc != 0) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (call == NULL || (!session->ours && !px_server_at_least(msg.server, 5, 0, 0))) {
        rc = call == NULL ? PMIX_ERR_NOMEM : PMIX_ERR_NOT_FOUND;
        free(call);
        px_msg_drop(&msg);
        return rc;
    }
    *call = (struct local_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_pack_string(&msg.buf, msg.kind, session->hostname);
    if (rc == 0) {
        rc = px_pack_string(&msg.buf, msg.kind, NULL);
    }
    rc = px_msg_send(&msg, rc, 0, local_reply, call);
    if (rc != 0) {
        free(call);
    }
    return rc;
}

/* The sets and groups of a process: what a query says. */
static const char *const names[] = {PMIX_PSET_NAMES, PMIX_GROUP_NAMES};

static void names_answered(const struct px_completion *own, struct px_reply *reply)
{
    struct local_call *call = own->target;
    pmix_status_t status = reply->status;
    pmix_value_t *value = NULL;

    for (size_t i = 0; value == NULL && i < reply->ninfo; i++) {
        value = strcmp(reply->info[i].key, call->key) == 0 ? &reply->info[i].value : NULL;
    }
    if (value == NULL && (status == PMIX_SUCCESS || status == PMIX_ERR_NOT_SUPPORTED)) {
        status = PMIX_ERR_NOT_FOUND;
    }
    call->cbfunc(value != NULL ? PMIX_SUCCESS : status, value, call->cbdata);
    free(call);
}

static pmix_status_t names_nb(struct px_session *session, const pmix_proc_t *proc, const char *key,
                              pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct local_call *call = malloc(sizeof(*call));
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_proc_t who = *proc;
    pmix_info_t qualifier = {.key = PMIX_PROCID, .value = {.type = PMIX_PROC, .data.proc = &who}};
    pmix_query_t query = {.keys = keys, .qualifiers = &qualifier, .nqual = 1};
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
                                       const char *key, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    px_assert(px_key_is_dynamic(key));
    return strcmp(key, PMIX_LOCAL_PROCS) == 0
               ? local_procs_nb(session, cbfunc, cbdata)
               : names_nb(session, proc, strcmp(key, names[0]) == 0 ? names[0] : names[1], cbfunc,
                          cbdata);
}
