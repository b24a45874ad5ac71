/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries. They are answered, in this order, by what the library knows of attribute support and of
 * servers on this node; from earlier answers to the same query (query_cache.h); from what a
 * PMIx_Get would find in this process; and else by the server, which asks the host first. Answers
 * of the server are remembered both for the same query and for PMIx_Get. Calls come in any thread;
 * replies are handled on the loop thread. */

#include "query.h"

#include <stdlib.h>
#include <string.h>

#include "src/client/data/get.h"
#include "src/client/tool/primary.h"
#include "query_cache.h"
#include "request.h"
#include "src/value/attributes.h"
#include "src/value/directives.h"
#include "src/nspace/query_args.h"
#include "src/discovery/server_list.h"
#include "src/base/version.h"
#include "src/value/infos.h"
#include "src/client/data/private_store.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"
#include "src/request/reply.h"

/* An answer that is known at once, on its way to its completion; owns its infos. */
struct later_reply {
    struct px_task task;
    struct px_completion to;
    struct px_reply reply;
};

/* Delivers an answer and frees it. Loop thread. */
static void run_reply(struct px_task *task)
{
    struct later_reply *later = px_container_of(task, struct later_reply, task);

    later->to.done(&later->to, &later->reply);
    px_reply_fini(&later->reply);
    free(later);
}

/* Calls the completion with an array of infos on the loop thread, after the operation has returned
 * (src/context/role.h). 0: the array is taken over; PMIX_ERR_NOMEM: it stays the caller's. */
static int defer_infos(struct px_loop *loop, pmix_status_t status, pmix_info_t *info, size_t ninfo,
                       const struct px_completion *to)
{
    struct later_reply *later = malloc(sizeof(*later));

    if (later == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *later = (struct later_reply){.task.run = run_reply,
                                  .to = *to,
                                  .reply = {.status = status, .info = info, .ninfo = ninfo}};
    px_loop_post(loop, &later->task);
    return 0;
}

/* The part of an answer that this process gives itself, beside the server. */
struct part {
    struct px_infos *infos; /* NULL: none */
    pmix_status_t status;   /* PMIX_ERR_PARTIAL_SUCCESS if something of our part is missing */
    bool whole;             /* it is the whole answer: the server is not asked */
};

/* A query that the server is answering. Allocated when it is sent, freed by query_done. */
struct query_call {
    struct px_session *session;
    /* The bytes by which the answer is cached, or NULL: it is not cached. */
    void *key;
    size_t key_len;
    /* A copy of the query if it is the only one, for gets; or NULL. */
    pmix_query_t *query;
    struct part part;
    struct px_completion to;
};

/* Frees a call, and what it still has of our part. */
static void query_free(struct query_call *call)
{
    px_infos_release(call->part.infos);
    if (call->query != NULL) {
        PMIx_Query_free(call->query, 1);
    }
    free(call->key);
    free(call);
}

/* The process that a query is about: by its qualifiers, else our job. */
static pmix_proc_t target_of(const struct px_ctx *ctx, const pmix_query_t *query)
{
    pmix_proc_t job;

    PMIx_Load_procid(&job, ctx->self.nspace, PMIX_RANK_WILDCARD);
    return px_query_target(query, &job);
}

/* True if the qualifiers are no more than directives of a PMIx_Get could be, each at most once:
 * those that name a process and, with `others`, those that name a realm, an application or a node.
 * Only then does the answer to a query equal the value of a get. */
static bool is_plain(const pmix_query_t *query, bool others)
{
    static const char *const process[] = {PMIX_PROCID, PMIX_NSPACE, PMIX_RANK,
                                          PMIX_QUERY_REFRESH_CACHE};
    static const char *const realm[] = {PMIX_SESSION_INFO, PMIX_SESSION_ID, PMIX_JOB_INFO,
                                        PMIX_APP_INFO,     PMIX_APPNUM,     PMIX_NODE_INFO,
                                        PMIX_HOSTNAME,     PMIX_NODEID,     PX_PROC_INFO};
    size_t n_known = 0;

    for (size_t k = 0; k < sizeof(process) / sizeof(process[0]); k++) {
        n_known += px_query_qualifier(query, process[k]) != NULL;
    }
    for (size_t k = 0; others && k < sizeof(realm) / sizeof(realm[0]); k++) {
        n_known += px_query_qualifier(query, realm[k]) != NULL;
    }
    return n_known == query->nqual;
}

/* Stores the answers in the private store, for PMIx_Get. Answers to several queries at once are
 * left out, since it is not certain which of them each belongs to; so are those with qualifiers
 * beside the process, which a get would have to repeat. */
static void keep_for_get(struct query_call *call, const pmix_info_t *info, size_t n)
{
    pmix_proc_t target;

    if (call->query == NULL || !is_plain(call->query, false)) {
        return;
    }
    target = target_of(call->session->ctx, call->query);
    for (size_t i = 0; i < n; i++) {
        if (px_query_asks(call->query, info[i].key) && info[i].value.type != PMIX_UNDEF) {
            (void) px_session_store_value(call->session, &target, info[i].key, &info[i].value,
                                          PMIX_SCOPE_UNDEF); /* no memory: it will be asked for */
        }
    }
}

/* Puts our part in front of the server's answer. The reply then owns both. Without memory for both
 * it is our part alone, and the status says that something is missing. */
static void add_part(struct part *part, struct px_reply *reply)
{
    int rc = px_infos_append_take(&part->infos->info, &part->infos->n, reply->info, reply->ninfo);

    part->status = rc == 0 ? part->status : PMIX_ERR_PARTIAL_SUCCESS;
    reply->info = part->infos->info;
    reply->ninfo = part->infos->n;
    *part->infos = (struct px_infos){0};
    reply->status = reply->status == PMIX_SUCCESS ? part->status : PMIX_ERR_PARTIAL_SUCCESS;
}

/* The server's answer: is cached, kept for gets, completed by our part, and given to the caller.
 * Loop thread. */
static void query_done(const struct px_completion *inner, struct px_reply *reply)
{
    struct query_call *call = inner->target;

    if (call->key != NULL && reply->status == PMIX_SUCCESS && px_session_is_heard(call->session)) {
        px_query_cache_keep(call->session, call->key, call->key_len, reply->info, reply->ninfo);
    }
    if (call->key != NULL &&
        (reply->status == PMIX_SUCCESS || reply->status == PMIX_ERR_PARTIAL_SUCCESS)) {
        keep_for_get(call, reply->info, reply->ninfo);
    }
    if (call->part.infos != NULL) {
        add_part(&call->part, reply);
    }
    call->to.done(&call->to, reply);
    query_free(call);
}

/* True if all required qualifiers can be served without the host. */
static bool is_met(const pmix_query_t *query)
{
    return px_directives_met(&px_call_query, PX_ATTR_ALL, query->qualifiers, query->nqual);
}

/* True if the queries ask for PMIX_QUERY_AVAIL_SERVERS only, each as its only key. If it stands
 * among other keys, the server answers it. */
static bool all_servers(const pmix_query_t *queries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(queries[i].keys[0], PMIX_QUERY_AVAIL_SERVERS) != 0 ||
            queries[i].keys[1] != NULL || px_query_asks_qualifiers(&queries[i])) {
            return false;
        }
    }
    return true;
}

/* Answers PMIX_QUERY_AVAIL_SERVERS from rendezvous files; a tool asks this before it has a server.
 * Takes `infos` over: it becomes ret->infos or is freed. 0, PMIX_ERR_NOT_FOUND (no server at all),
 * PMIX_ERR_NOT_SUPPORTED (a required qualifier), PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
static int own_servers(struct px_ctx *ctx, const pmix_query_t *queries, size_t n,
                       struct px_infos *infos, struct part *ret)
{
    const struct px_session *session = px_session(ctx);
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        pmix_info_t info;

        rc = is_met(&queries[i])
                 ? px_servers_answer(&queries[i], session->hostname, session->server_tmpdir,
                                     session->system_tmpdir, &info)
                 : PMIX_ERR_NOT_SUPPORTED;
        if (rc == 0) {
            rc = px_infos_append_copy(&infos->info, &infos->n, &info);
            PMIx_Info_destruct(&info);
        } else if (rc == PMIX_ERR_NOT_FOUND && n > 1) {
            ret->status = PMIX_ERR_PARTIAL_SUCCESS;
            rc = 0;
        }
    }
    if (rc == 0 && infos->n == 0) {
        rc = PMIX_ERR_NOT_FOUND;
    }
    if (rc != 0) {
        px_infos_release(infos);
        return rc;
    }
    ret->infos = infos;
    return 0;
}

/* Our part of an answer about supported attributes, or about servers. ret->infos is NULL if the
 * queries ask for neither. 0, PMIX_ERR_NOT_SUPPORTED, PMIX_ERR_NOT_FOUND, PMIX_ERR_BAD_PARAM,
 * PMIX_ERR_NOMEM. */
static int own_support(struct px_ctx *ctx, const pmix_query_t *queries, size_t n, struct part *ret)
{
    const unsigned ours = PX_ATTR_CLIENT | PX_ATTR_TOOL;
    struct px_infos *infos = calloc(1, sizeof(*infos));
    int rc = infos != NULL ? 0 : PMIX_ERR_NOMEM;
    unsigned levels;

    *ret = (struct part){.status = PMIX_SUCCESS, .whole = true};
    if (all_servers(queries, n)) {
        return rc == 0 ? own_servers(ctx, queries, n, infos, ret) : rc;
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (px_attrs_asked(&queries[i], &levels) && !is_met(&queries[i])) {
            rc = PMIX_ERR_NOT_SUPPORTED;
            break;
        }
        ret->whole = ret->whole && px_attrs_asked(&queries[i], &levels) && (levels & ~ours) == 0;
        rc = px_attrs_answer(ctx->attrs, ours, &queries[i], &infos->info, &infos->n);
        if (rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_PARTIAL_SUCCESS) {
            ret->status = PMIX_ERR_PARTIAL_SUCCESS;
            rc = 0;
        }
    }
    if (rc != 0 || infos->n == 0) {
        px_infos_release(infos);
        infos = NULL;
    }
    ret->infos = infos;
    return rc;
}

/* The bytes by which the query is cached: its keys and qualifiers. PMIX_QUERY_REFRESH_CACHE is left
 * out, since it does not change the question. 0, PMIX_ERR_NOMEM or an error of packing. */
static int query_key(const pmix_query_t *queries, size_t n, struct px_buf *ret)
{
    for (size_t q = 0; q < n; q++) {
        for (size_t k = 0; queries[q].keys != NULL && queries[q].keys[k] != NULL; k++) {
            (void) px_pack_string(ret, PX_WIRE_PLAIN, queries[q].keys[k]);
        }
        for (size_t i = 0; i < queries[q].nqual; i++) {
            if (px_info_find(&queries[q].qualifiers[i], 1, PMIX_QUERY_REFRESH_CACHE) == NULL) {
                (void) px_pack(ret, PX_WIRE_PLAIN, PMIX_INFO, &queries[q].qualifiers[i], 1);
            }
        }
        px_buf_byte(ret, 0xff);
    }
    return ret->status;
}

/* The value of a key as a get without the server finds it, or the library's ABI version. The value
 * is the caller's. Statuses as px_client_get_local. */
static int value_here(struct px_session *session, const pmix_query_t *query, const char *key,
                      pmix_value_t **ret)
{
    pmix_proc_t target = target_of(session->ctx, query);
    const char *abi = px_abi_version(key);

    if (abi != NULL) {
        *ret = PMIx_Value_create(1);
        return *ret != NULL ? PMIx_Value_load(*ret, abi, PMIX_STRING) : PMIX_ERR_NOMEM;
    }
    return px_client_get_local(session, &target, key, query->qualifiers, query->nqual, ret);
}

/* Appends the values of all keys of a query to *ret. An error: one of them is not here, and the
 * caller frees what was appended. */
static int find_here(struct px_session *session, const pmix_query_t *query, struct px_infos *ret)
{
    int rc = is_plain(query, true) ? 0 : PMIX_ERR_NOT_FOUND;

    for (size_t k = 0; rc == 0 && query->keys[k] != NULL; k++) {
        pmix_info_t one = {0};
        pmix_value_t *value = NULL;

        rc = value_here(session, query, query->keys[k], &value);
        if (rc == 0) {
            PMIx_Load_key(one.key, query->keys[k]);
            one.value = *value;
            rc = px_infos_append_copy(&ret->info, &ret->n, &one);
            PMIx_Value_free(value, 1);
        }
    }
    return rc;
}

/* Answers queries with values that are all in this process, by a completion on the loop thread. An
 * error: the server has to be asked; the completion is not called. */
static int answer_here(struct px_session *session, const pmix_query_t *queries, size_t n,
                       const struct px_completion *to)
{
    struct px_infos found = {0};
    int rc = 0;

    for (size_t q = 0; q < n && rc == 0; q++) {
        rc = find_here(session, &queries[q], &found);
    }
    if (rc == 0) {
        rc = defer_infos(session->ctx->loop, PMIX_SUCCESS, found.info, found.n, to);
    }
    if (rc != 0) {
        PMIx_Info_free(found.info, found.n);
    }
    return rc;
}

/* Answers with an earlier answer to the same query, by a completion on the loop thread. An error:
 * there is none, or no memory; the completion is not called. */
static int answer_from_cache(struct px_session *session, const struct px_buf *key,
                             const struct px_completion *to)
{
    pmix_info_t *info;
    size_t n;
    int rc = px_query_cache_find(session, key->data, key->len, &info, &n);

    if (rc == 0) {
        rc = defer_infos(session->ctx->loop, PMIX_SUCCESS, info, n, to);
        if (rc != 0) {
            PMIx_Info_free(info, n);
        }
    }
    return rc;
}

/* Sends the queries to the server. key: the bytes to cache the answer by, or NULL (the answer is
 * not cached); part: our part of the answer, or NULL. Takes over the bytes; on success also the
 * infos of `part`, which stay the caller's on failure. 0: the completion is called once on the loop
 * thread. */
static pmix_status_t query_server(struct px_session *session, const struct px_query_args *args,
                                  struct px_buf *key, const struct part *part,
                                  const struct px_completion *to)
{
    struct query_call *call = calloc(1, sizeof(*call));
    struct px_completion inner = {.done = query_done, .target = call};
    int rc;

    if (call == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *call = (struct query_call){.session = session, .to = *to};
    if (part != NULL) {
        call->part = *part;
    }
    if (key != NULL) {
        call->key = px_buf_take(key, &call->key_len);
        call->query = args->nqueries == 1 ? px_queries_copy(args->queries, 1) : NULL;
    }
    rc = px_request_send(session, &px_request_query, &args->head, &inner);
    if (rc != 0) {
        call->part.infos = NULL;
        query_free(call);
    }
    return rc;
}

/* Answers with our part and, if that is not the whole and there is a server, with the server's.
 * Takes over the infos of `part`. */
static pmix_status_t query_support(struct px_session *session, const struct px_query_args *args,
                                   const struct part *part, const struct px_completion *to)
{
    int rc = PMIX_ERR_UNREACH;

    if (!part->whole && px_session_server(session) != NULL) {
        rc = query_server(session, args, NULL, part, to);
    }
    if (rc == 0) {
        return PMIX_SUCCESS;
    }
    rc = defer_infos(session->ctx->loop, part->whole ? part->status : PMIX_ERR_PARTIAL_SUCCESS,
                     part->infos->info, part->infos->n, to);
    if (rc == 0) {
        free(part->infos);
    } else {
        px_infos_release(part->infos);
    }
    return rc;
}

/* The order of the sources is that of the comment at the top of this file. */
pmix_status_t px_client_query(struct px_session *session, const struct px_query_args *args,
                              const struct px_completion *to)
{
    const pmix_query_t *queries = args->queries;
    size_t nqueries = args->nqueries;
    struct px_buf key = {0};
    struct part part;
    bool keep;
    int rc = own_support(session->ctx, queries, nqueries, &part);

    if (rc != 0) {
        return rc;
    }
    if (part.infos != NULL) {
        return query_support(session, args, &part, to);
    }
    keep = px_query_cache_allowed(queries, nqueries) && query_key(queries, nqueries, &key) == 0;
    rc = PMIX_ERR_NOT_FOUND;
    if (keep && !px_query_cache_bypassed(queries, nqueries)) {
        rc = answer_from_cache(session, &key, to);
        rc = rc == 0 ? rc : answer_here(session, queries, nqueries, to);
    }
    if (rc != 0) {
        rc = query_server(session, args, keep ? &key : NULL, NULL, to);
    }
    px_buf_fini(&key);
    return rc;
}
