/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Questions about the system: queries, which remember their answers, and the two resolve calls, which are answered
 * here when that cannot change the answer and by the server, host first, when it might. */

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "call.h"
#include "get.h"
#include "later.h"
#include "ops.h"
#include "src/base/epoch.h"
#include "src/ops/attributes.h"
#include "src/ops/resolve.h"
#include "src/ops/results.h"
#include "src/value/keep.h"

struct query_call {
    struct px_session *session;
    void *key; /* bytes of the query, or NULL: the answer is not kept */
    size_t key_len;
    pmix_query_t *query; /* a copy when it is the only one, or NULL */
    pmix_proc_t target;
    struct px_infos *own; /* our part of the answer, or NULL */
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

static void query_free(struct query_call *call)
{
    px_infos_release(call->own);
    if (NULL != call->query) {
        PMIx_Query_free(call->query, 1);
    }
    free(call->key);
    free(call);
}

/* Our part and a copy of the server's. No memory: ours alone. */
static void append(struct px_infos *own, const pmix_info_t *info, size_t n)
{
    pmix_info_t *grown = n > 0 ? realloc(own->info, (own->n + n) * sizeof(*grown)) : NULL;

    if (NULL == grown) {
        return;
    }
    own->info = grown;
    for (size_t i = 0; i < n; i++) {
        PMIx_Info_construct(&grown[own->n]);
        (void) px_info_keep(&grown[own->n], &info[i]); /* no memory: an entry without value */
        own->n++;
    }
}

/* The process that a query is about; our job when it names none. */
static void target_of(const struct px_ctx *ctx, const pmix_query_t *query, pmix_proc_t *ret)
{
    PMIx_Load_procid(ret, ctx->self.nspace, PMIX_RANK_WILDCARD);
    for (size_t i = 0; i < query->nqual; i++) {
        const pmix_value_t *value = &query->qualifiers[i].value;
        const char *key = query->qualifiers[i].key;

        if (strcmp(key, PMIX_PROCID) == 0 && value->type == PMIX_PROC && NULL != value->data.proc) {
            *ret = *value->data.proc;
        } else if (strcmp(key, PMIX_NSPACE) == 0 && value->type == PMIX_STRING && NULL != value->data.string) {
            PMIx_Load_nspace(ret->nspace, value->data.string);
        } else if (strcmp(key, PMIX_RANK) == 0 && value->type == PMIX_PROC_RANK) {
            ret->rank = value->data.rank;
        }
    }
}

/* Answers are for PMIx_Get too. Those to several queries at once are left out: whose they are is not certain. */
static void keep_for_get(struct query_call *call, const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; NULL != call->query && i < n; i++) {
        for (size_t k = 0; NULL != call->query->keys[k]; k++) {
            if (strcmp(call->query->keys[k], info[i].key) == 0 && info[i].value.type != PMIX_UNDEF) {
                (void) px_session_store_value(call->session, &call->target, info[i].key, &info[i].value,
                                              PMIX_SCOPE_UNDEF); /* no memory: it will be asked for */
            }
        }
    }
}

static void query_done(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct query_call *call = cbdata;

    if (PMIX_SUCCESS == status && NULL != call->key) {
        px_cache_keep(call->session, call->key, call->key_len, info, ninfo);
        keep_for_get(call, info, ninfo);
    }
    if (NULL == call->own) {
        call->cbfunc(status, info, ninfo, call->cbdata, release_fn, release_cbdata);
    } else {
        append(call->own, info, ninfo);
        if (NULL != release_fn) {
            release_fn(release_cbdata);
        }
        call->cbfunc(PMIX_SUCCESS, call->own->info, call->own->n, call->cbdata, px_infos_release, call->own);
        call->own = NULL;
    }
    query_free(call);
}

/* What we can say of the support for attributes. *ret is NULL when nobody asks. */
static int own_answer(struct px_ctx *ctx, const pmix_query_t *queries, size_t n, struct px_infos **ret,
                      bool *ret_whole)
{
    const unsigned ours = PX_ATTR_CLIENT | PX_ATTR_TOOL;
    struct px_infos *own = calloc(1, sizeof(*own));
    int rc = NULL != own ? 0 : PMIX_ERR_NOMEM;
    unsigned levels;

    *ret_whole = true;
    for (size_t i = 0; i < n && 0 == rc; i++) {
        *ret_whole = *ret_whole && px_attrs_asked(&queries[i], &levels) && (levels & ~ours) == 0;
        rc = px_attrs_answer(ctx->attrs, ours, &queries[i], &own->info, &own->n);
    }
    if (0 != rc || own->n == 0) {
        px_infos_release(own);
        own = NULL;
    }
    *ret = own;
    return rc;
}

static int pack_queries(struct px_buf *buf, enum px_wire_kind kind, const pmix_query_t *queries, size_t n)
{
    int rc = px_pack_size(buf, kind, n);

    return 0 == rc ? px_pack(buf, kind, PMIX_QUERY, queries, n) : rc;
}

/* The bytes that stand for the query: without the order to refresh, which is no part of the question. */
static int query_key(const pmix_query_t *queries, size_t n, struct px_buf *ret)
{
    int rc = 0;

    for (size_t q = 0; q < n && 0 == rc; q++) {
        for (size_t k = 0; NULL != queries[q].keys && NULL != queries[q].keys[k] && 0 == rc; k++) {
            rc = px_pack_string(ret, PX_WIRE_PLAIN, queries[q].keys[k]);
        }
        for (size_t i = 0; i < queries[q].nqual && 0 == rc; i++) {
            if (strcmp(queries[q].qualifiers[i].key, PMIX_QUERY_REFRESH_CACHE) != 0) {
                rc = px_pack(ret, PX_WIRE_PLAIN, PMIX_INFO, &queries[q].qualifiers[i], 1);
            }
        }
        px_buf_byte(ret, 0xff);
    }
    return px_buf_ok(ret) ? rc : PMIX_ERR_NOMEM;
}

static int answer_from_cache(struct px_session *session, const struct px_buf *key, pmix_info_cbfunc_t cbfunc,
                             void *cbdata)
{
    pmix_info_t *info;
    size_t n;
    int rc = px_cache_find(session, key->data, key->len, &info, &n);

    if (0 == rc) {
        rc = px_later_infos(session->ctx->loop, PMIX_SUCCESS, info, n, cbfunc, cbdata);
        if (0 != rc) {
            PMIx_Info_free(info, n);
        }
    }
    return rc;
}

/* Asks the server; takes over `own` and the bytes of `key` on success. */
static pmix_status_t query_server(struct px_session *session, const pmix_query_t *queries, size_t nqueries,
                                  struct px_buf *key, struct px_infos *own, pmix_info_cbfunc_t cbfunc,
                                  void *cbdata)
{
    struct query_call *call;
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_QUERY, &msg);

    if (0 != rc) {
        return rc;
    }
    call = calloc(1, sizeof(*call));
    if (NULL == call) {
        px_msg_drop(&msg);
        return PMIX_ERR_NOMEM;
    }
    *call = (struct query_call){.session = session, .own = own, .cbfunc = cbfunc, .cbdata = cbdata};
    if (NULL != key) {
        call->key = px_buf_take(key, &call->key_len);
        call->query = nqueries == 1 ? px_queries_copy(queries, 1) : NULL;
        target_of(session->ctx, queries, &call->target);
    }
    rc = pack_queries(&msg.buf, msg.kind, queries, nqueries);
    rc = px_msg_send_info(&msg, rc, 0, query_done, call);
    if (0 != rc) {
        call->own = NULL;
        query_free(call);
    }
    return rc;
}

pmix_status_t px_client_query_nb(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session *session = px_session(ctx);
    struct px_infos *own = NULL;
    struct px_buf key = {0};
    bool whole;
    bool keep;
    int rc = own_answer(ctx, queries, nqueries, &own, &whole);

    if (0 != rc) {
        return rc;
    }
    keep = NULL == own && px_cache_allowed(queries, nqueries) && query_key(queries, nqueries, &key) == 0;
    if (keep && !px_cache_bypassed(queries, nqueries) && answer_from_cache(session, &key, cbfunc, cbdata) == 0) {
        px_buf_fini(&key);
        return PMIX_SUCCESS;
    }
    rc = NULL != own && (whole || NULL == px_session_server(session))
             ? PMIX_ERR_UNREACH
             : query_server(session, queries, nqueries, keep ? &key : NULL, own, cbfunc, cbdata);
    px_buf_fini(&key);
    if (0 != rc && NULL != own) {
        rc = px_later_infos(ctx->loop, PMIX_SUCCESS, own->info, own->n, cbfunc, cbdata);
        if (0 == rc) {
            free(own);
        } else {
            px_infos_release(own);
        }
    }
    return rc;
}

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
    if (PMIX_SUCCESS == status && px_in_left(reply) > 0) {
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

    if (0 != rc) {
        return PMIX_ERR_LOST_CONNECTION == rc ? PMIX_ERR_UNREACH : rc;
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
    if (0 == rc) {
        rc = px_pack_string(&msg.buf, msg.kind, nspace);
    }
    px_wait_init(&call->wait);
    rc = px_msg_send(&msg, rc, 0, resolve_reply, call);
    if (0 != rc) {
        px_wait_done(&call->wait, rc);
    }
    return px_ctx_wait(session->ctx, &call->wait);
}

/* Does the segment say that nobody above knows better? */
static bool may_answer(const struct px_session *session, const char *nspace)
{
    const struct px_store *shared = px_session_shared(session);
    struct px_store_info info;

    if (NULL == shared || NULL == nspace || strcmp(nspace, session->ctx->self.nspace) != 0
        || (px_store_flags(shared) & PX_STORE_HOST_QUERIES) != 0) {
        return false;
    }
    px_store_info(shared, &info);
    return !info.dead; /* a namespace that is no more is none of ours to describe */
}

static bool may_answer_here(const struct px_session *session, const char *nspace)
{
    bool may;

    px_reader_enter();
    may = may_answer(session, nspace);
    px_reader_leave();
    return may;
}

static bool fall_back(pmix_status_t status)
{
    return PMIX_ERR_NOT_SUPPORTED == status || PMIX_ERR_UNREACH == status;
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
        if (NULL == ret->all) {
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

    if (!may_answer_here(session, nspace)) {
        rc = ask_server(session, NULL != node ? node : session->hostname, nspace, &call);
        if (PMIX_SUCCESS == rc) {
            *procs = call.procs;
            *nprocs = call.nprocs;
        }
        if (!fall_back(rc)) {
            return rc;
        }
    }
    px_reader_enter();
    rc = stores_gather(session, nspace, &stores);
    if (0 == rc) {
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

    if (!may_answer_here(session, nspace)) {
        rc = ask_server(session, NULL, nspace, &call);
        if (PMIX_SUCCESS == rc) {
            *nodelist = call.nodes;
        }
        if (!fall_back(rc)) {
            return rc;
        }
    }
    px_reader_enter();
    rc = stores_gather(session, nspace, &stores);
    if (0 == rc) {
        rc = px_resolve_nodes(stores.all, stores.n, nodelist);
        stores_release(&stores);
    }
    px_reader_leave();
    return rc;
}

/* PMIX_LOCAL_PROCS: all processes of the node, whosever. The answer is that of a resolve of every namespace. */
struct local_call {
    pmix_value_cbfunc_t cbfunc;
    void *cbdata;
    const char *key; /* of the names */
};

static void give_procs(pmix_status_t status, pmix_proc_t *procs, size_t n, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = procs};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};

    if (PMIX_SUCCESS == status && n == 0) {
        status = PMIX_ERR_NOT_FOUND;
    }
    cbfunc(status, PMIX_SUCCESS == status ? &value : NULL, cbdata);
    PMIx_Proc_free(procs, n);
}

static void local_reply(void *arg, int status, struct px_in *reply, int fd)
{
    struct local_call *call = arg;
    pmix_proc_t *procs = NULL;
    size_t n = 0;

    status = px_reply_status(status, reply, fd);
    if (PMIX_SUCCESS == status && px_in_left(reply) > 0) {
        status = px_unpack_procs(reply, &procs, &n);
    }
    give_procs(PMIX_ERR_NOT_SUPPORTED == status ? PMIX_ERR_NOT_FOUND : status, procs, n, call->cbfunc,
               call->cbdata);
    free(call);
}

static pmix_status_t local_procs_nb(struct px_session *session, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    struct local_call *call;
    struct px_msg msg;
    int rc = px_msg_start(session, PX_CMD_RESOLVE_PEERS, &msg);

    if (0 != rc) {
        return rc;
    }
    call = malloc(sizeof(*call));
    if (NULL == call || (!session->ours && !px_server_at_least(msg.server, 5, 0, 0))) {
        rc = NULL == call ? PMIX_ERR_NOMEM : PMIX_ERR_NOT_FOUND;
        free(call);
        px_msg_drop(&msg);
        return rc;
    }
    *call = (struct local_call){.cbfunc = cbfunc, .cbdata = cbdata};
    rc = px_pack_string(&msg.buf, msg.kind, session->hostname);
    if (0 == rc) {
        rc = px_pack_string(&msg.buf, msg.kind, NULL);
    }
    rc = px_msg_send(&msg, rc, 0, local_reply, call);
    if (0 != rc) {
        free(call);
    }
    return rc;
}

/* The sets and groups of a process: what a query says. */
static const char *const names[] = {PMIX_PSET_NAMES, PMIX_GROUP_NAMES};

static void names_answered(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                           pmix_release_cbfunc_t release, void *release_data)
{
    struct local_call *call = cbdata;
    pmix_value_t *value = NULL;

    for (size_t i = 0; NULL == value && i < ninfo; i++) {
        value = strcmp(info[i].key, call->key) == 0 ? &info[i].value : NULL;
    }
    if (NULL == value && (PMIX_SUCCESS == status || PMIX_ERR_NOT_SUPPORTED == status)) {
        status = PMIX_ERR_NOT_FOUND;
    }
    call->cbfunc(NULL != value ? PMIX_SUCCESS : status, value, call->cbdata);
    if (NULL != release) {
        release(release_data);
    }
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
    pmix_status_t rc;

    if (NULL == call) {
        return PMIX_ERR_NOMEM;
    }
    *call = (struct local_call){.cbfunc = cbfunc, .cbdata = cbdata, .key = key};
    rc = px_client_query_nb(session->ctx, &query, 1, names_answered, call);
    if (PMIX_SUCCESS != rc) {
        free(call);
    }
    return rc;
}

bool px_key_asked(const char *key)
{
    return strcmp(key, PMIX_LOCAL_PROCS) == 0 || strcmp(key, names[0]) == 0 || strcmp(key, names[1]) == 0;
}

pmix_status_t px_client_asked_nb(struct px_session *session, const pmix_proc_t *proc, const char *key,
                                 pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    return strcmp(key, PMIX_LOCAL_PROCS) == 0
               ? local_procs_nb(session, cbfunc, cbdata)
               : names_nb(session, proc, strcmp(key, names[0]) == 0 ? names[0] : names[1], cbfunc, cbdata);
}
