/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries and the resolve calls. Which ABI this is can be asked at any time, so that is answered
 * here. */

#include <pmix_server.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "src/base/param.h"
#include "src/value/attributes.h"
#include "src/nspace/query_args.h"
#include "src/client/query_results.h"
#include "src/base/version.h"

/* The number of keys when all of them ask for an ABI version, else 0. */
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

/* A query whose results still have to get their shape. */
struct asking {
    pmix_query_t *queries;
    size_t n;
    pmix_info_cbfunc_t cbfunc;
    void *cbdata;
};

struct shaped {
    pmix_info_t *info;
    size_t n;
};

static void release_shaped(void *cbdata)
{
    struct shaped *shaped = cbdata;

    PMIx_Info_free(shaped->info, shaped->n);
    free(shaped);
}

static void query_done(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct asking *asking = cbdata;
    struct shaped *shaped = calloc(1, sizeof(*shaped));
    int rc = shaped != NULL ? 0 : PMIX_ERR_NOMEM;

    if (rc == 0 && ninfo > 0) {
        rc = px_results_shape(asking->queries, asking->n, info, ninfo,
                              px_param_string(PX_P_QUERY_RESULTS), &shaped->info, &shaped->n);
    }
    if (release_fn != NULL) {
        release_fn(release_cbdata);
    }
    if (rc == 0) {
        asking->cbfunc(status, shaped->info, shaped->n, asking->cbdata, release_shaped, shaped);
    } else {
        free(shaped);
        asking->cbfunc(rc, NULL, 0, asking->cbdata, NULL, NULL);
    }
    PMIx_Query_free(asking->queries, asking->n);
    free(asking);
}

static pmix_status_t start_query(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct asking *asking = malloc(sizeof(*asking));
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (asking == NULL) {
        return rc;
    }
    *asking = (struct asking){.queries = px_queries_copy(queries, nqueries),
                              .n = nqueries,
                              .cbfunc = cbfunc,
                              .cbdata = cbdata};
    if (asking->queries != NULL) {
        rc = ctx->ops->query_nb(ctx, queries, nqueries, query_done, asking);
    }
    if (rc != PMIX_SUCCESS) {
        PMIx_Query_free(asking->queries, nqueries);
        free(asking);
    }
    return rc;
}

pmix_status_t PMIx_Query_info_nb(pmix_query_t queries[], size_t nqueries, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, query_nb);

    if (rc == PMIX_SUCCESS) {
        rc = cbfunc != NULL ? check_queries(queries, nqueries) : PMIX_ERR_BAD_PARAM;
    }
    return rc == PMIX_SUCCESS ? start_query(ctx, queries, nqueries, cbfunc, cbdata) : rc;
}

pmix_status_t PMIx_Query_info(pmix_query_t queries[], size_t nqueries, pmix_info_t **results,
                              size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
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
    rc = px_api_may_block(ctx);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Query_info_nb(queries, nqueries, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}

pmix_status_t PMIx_Resolve_peers(const char *nodename, const pmix_nspace_t nspace,
                                 pmix_proc_t **procs, size_t *nprocs)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, resolve_peers);

    if (procs == NULL || nprocs == NULL) {
        return rc != PMIX_SUCCESS ? rc : PMIX_ERR_BAD_PARAM;
    }
    *procs = NULL;
    *nprocs = 0;
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    return ctx->ops->resolve_peers(ctx, nodename, nspace, procs, nprocs);
}

pmix_status_t PMIx_Resolve_nodes(const pmix_nspace_t nspace, char **nodelist)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, resolve_nodes);

    if (nodelist == NULL) {
        return rc != PMIX_SUCCESS ? rc : PMIX_ERR_BAD_PARAM;
    }
    *nodelist = NULL;
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    return ctx->ops->resolve_nodes(ctx, nspace, nodelist);
}

pmix_status_t PMIx_Register_attributes(char *function, char *attrs[])
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return ctx != NULL ? px_attrs_register(ctx->attrs, function, attrs) : PMIX_ERR_INIT;
}
