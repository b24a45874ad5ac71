/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries, and the resolve calls. A query is one request; its reply is a flat list of pairs, which
 * is brought here into the shape that the application wants (src/client/query_results.h).
 * PMIx_Query_info answers questions about the ABI itself, because they are allowed before
 * PMIx_Init.
 *
 * Shapes: flat pairs, as programs of today expect, or one PMIX_QUERY_RESULTS a query, as the
 * Standard says; the parameter shmix_query_results chooses. */

#include <pmix_server.h>
#include <stdlib.h>

#include "api.h"
#include "src/base/param.h"
#include "src/value/attributes.h"
#include "src/nspace/query_args.h"
#include "src/client/query_results.h"
#include "src/request/reply.h"
#include "src/base/version.h"
#include "call.h"

/* The number of keys if every key asks for an ABI version; else 0. */
static size_t abi_keys(const pmix_query_t *queries, size_t nqueries)
{
    size_t n = 0;

    for (size_t q = 0; q < nqueries; q++) {
        for (size_t k = 0; queries[q].keys != NULL && queries[q].keys[k] != NULL; k++) {
            if (px_abi_version(queries[q].keys[k]) == NULL) {
                return 0;
            }
            n++;
        }
    }
    return n;
}

/* Answers queries for ABI versions, `total` keys in all, without a context. The results are the
 * caller's. 0 or PMIX_ERR_NOMEM. */
static int answer_abi(const pmix_query_t *queries, size_t nqueries, size_t total, pmix_info_t **ret,
                      size_t *ret_n)
{
    pmix_info_t *info = PMIx_Info_create(total);
    size_t n = 0;
    int rc = info != NULL ? 0 : PMIX_ERR_NOMEM;

    for (size_t q = 0; rc == 0 && q < nqueries; q++) {
        for (size_t k = 0; rc == 0 && queries[q].keys[k] != NULL; k++) {
            rc = PMIx_Info_load(&info[n], queries[q].keys[k], px_abi_version(queries[q].keys[k]),
                                PMIX_STRING);
            n++;
        }
    }
    if (rc == 0) {
        rc = px_results_shape(queries, nqueries, info, total, px_param_string(PX_P_QUERY_RESULTS),
                              ret, ret_n);
    }
    PMIx_Info_free(info, total);
    return rc;
}

/* PMIX_ERR_BAD_PARAM if there is no query or one is malformed (px_query_check). */
static pmix_status_t check_queries(const pmix_query_t *queries, size_t nqueries)
{
    if (queries == NULL || nqueries == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t q = 0; q < nqueries; q++) {
        if ((queries[q].qualifiers == NULL && queries[q].nqual > 0) ||
            px_query_check(&queries[q]) != PMIX_SUCCESS) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    return PMIX_SUCCESS;
}

/* Replaces the flat results of a reply by those in the shape of the parameter shmix_query_results.
 * Without memory the reply has no results, and its status says so. */
static void shape(const pmix_query_t *queries, size_t nqueries, struct px_reply *reply)
{
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc;

    if (reply->ninfo == 0) {
        return;
    }
    rc = px_results_shape(queries, nqueries, reply->info, reply->ninfo,
                          px_param_string(PX_P_QUERY_RESULTS), &info, &n);
    PMIx_Info_free(reply->info, reply->ninfo);
    reply->info = info;
    reply->ninfo = n;
    reply->status = rc == 0 ? reply->status : rc;
}

/* A non-blocking query under way, with a copy of the queries, which the shape depends on. Owned by
 * the completion; freed on the loop thread. */
struct asking {
    pmix_query_t *queries;
    size_t n;
};

/* Takes one whose queries are NULL as well. */
static void asking_free(struct asking *asking)
{
    PMIx_Query_free(asking->queries, asking->n);
    free(asking);
}

/* Completion: shapes the results and calls the application as every query reply does. Loop
 * thread. */
static void query_done(const struct px_completion *to, struct px_reply *reply)
{
    struct asking *asking = to->target;

    shape(asking->queries, asking->n, reply);
    px_reply_query.done(to, reply);
    asking_free(asking);
}

/* Starts the request. PMIX_SUCCESS: query_done frees `asking`; otherwise it is freed here. */
static pmix_status_t start_query(const struct px_query_args *args, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    struct asking *asking = malloc(sizeof(*asking));
    struct px_completion to = {query_done, asking, (px_callback) cbfunc, cbdata};
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (asking == NULL) {
        return rc;
    }
    *asking = (struct asking){px_queries_copy(args->queries, args->nqueries), args->nqueries};
    if (asking->queries != NULL) {
        rc = px_api_start_to(&px_request_query, &args->head, &to);
    }
    if (rc != PMIX_SUCCESS) {
        asking_free(asking);
    }
    return rc;
}

/* Needs a callback, and a context even for the ABI version. At the server: px_query_prepare and
 * px_query_call (src/server/requests/server_query.c). */
pmix_status_t PMIx_Query_info_nb(pmix_query_t queries[], size_t nqueries, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_query_args args = {.queries = queries, .nqueries = nqueries};
    pmix_status_t rc = PX_ENTER(ctx, request);

    if (rc == PMIX_SUCCESS) {
        rc = cbfunc != NULL ? check_queries(queries, nqueries) : PMIX_ERR_BAD_PARAM;
    }
    return rc == PMIX_SUCCESS ? start_query(&args, cbfunc, cbdata) : rc;
}

/* Outputs are set to NULL and 0 first, in every case. PMIX_ERR_INIT has precedence over wrong
 * queries, but not over those that need no context. Results of a partial success are delivered. */
pmix_status_t PMIx_Query_info(pmix_query_t queries[], size_t nqueries, pmix_info_t **results,
                              size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_query_args args = {.queries = queries, .nqueries = nqueries};
    struct px_reply reply = {0};
    size_t n_abi;
    pmix_status_t rc;

    if (results == NULL || nresults == NULL) {
        return ctx == NULL ? PMIX_ERR_INIT : PMIX_ERR_BAD_PARAM;
    }
    *results = NULL;
    *nresults = 0;
    rc = check_queries(queries, nqueries);
    if (rc != PMIX_SUCCESS) {
        return ctx == NULL ? PMIX_ERR_INIT : rc;
    }
    n_abi = abi_keys(queries, nqueries);
    if (n_abi > 0) {
        return answer_abi(queries, nqueries, n_abi, results, nresults);
    }
    rc = px_api_run(&px_request_query, &args.head, &reply);
    shape(queries, nqueries, &reply);
    *results = reply.info;
    *nresults = reply.ninfo;
    return reply.status != PMIX_SUCCESS ? reply.status : rc;
}

/* The role answers from its stores or asks its server; both block in the caller's thread. The
 * outputs are cleared first. px_client_resolve (src/client/resolve.c), px_self_resolve
 * (src/server/self/self_data.c). */
pmix_status_t PMIx_Resolve_peers(const char *nodename, const pmix_nspace_t nspace,
                                 pmix_proc_t **procs, size_t *nprocs)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_reply reply = {0};
    pmix_status_t rc = PX_ENTER(ctx, resolve);

    if (procs == NULL || nprocs == NULL) {
        return rc != PMIX_SUCCESS ? rc : PMIX_ERR_BAD_PARAM;
    }
    *procs = NULL;
    *nprocs = 0;
    rc = rc == PMIX_SUCCESS ? ctx->ops->resolve(ctx, true, nodename, nspace, &reply) : rc;
    if (rc != PMIX_SUCCESS) {
        px_reply_fini(&reply);
        return rc;
    }
    *procs = reply.procs;
    *nprocs = reply.nprocs;
    return rc;
}

/* As PMIx_Resolve_peers. */
pmix_status_t PMIx_Resolve_nodes(const pmix_nspace_t nspace, char **nodelist)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_reply reply = {0};
    pmix_status_t rc = PX_ENTER(ctx, resolve);

    if (nodelist == NULL) {
        return rc != PMIX_SUCCESS ? rc : PMIX_ERR_BAD_PARAM;
    }
    *nodelist = NULL;
    rc = rc == PMIX_SUCCESS ? ctx->ops->resolve(ctx, false, NULL, nspace, &reply) : rc;
    if (rc != PMIX_SUCCESS) {
        px_reply_fini(&reply);
        return rc;
    }
    *nodelist = reply.text;
    return rc;
}

/* Adds to the table of attributes, which answers queries of attribute support. The table belongs to
 * the context, so a host calls this after PMIx_server_init. */
pmix_status_t PMIx_Register_attributes(char *function, char *attrs[])
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return ctx != NULL ? px_attrs_register(ctx->attrs, function, attrs) : PMIX_ERR_INIT;
}
