/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Put, commit, get. PMIx_Get is the reason for the library: the role's get answers in this thread,
 * and only what it cannot answer takes the long way. */

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "src/value/infos.h"

pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *val)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, put);

    return rc == PMIX_SUCCESS ? ctx->ops->put(ctx, scope, key, val) : rc;
}

pmix_status_t PMIx_Store_internal(const pmix_proc_t *proc, const char key[], pmix_value_t *val)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, store_internal);

    return rc == PMIX_SUCCESS ? ctx->ops->store_internal(ctx, proc, key, val) : rc;
}

pmix_status_t PMIx_Commit(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, commit);

    return rc == PMIX_SUCCESS ? ctx->ops->commit(ctx) : rc;
}

/* A blocking get that has to ask. */
struct getting {
    struct px_wait wait;
    pmix_value_t **to; /* NULL: nothing is wanted but the effect */
    bool fixed;        /* *to is the caller's structure */
    bool borrowed;     /* library memory is wanted */
};

static void get_done(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct getting *getting = cbdata;

    if (status != PMIX_SUCCESS || value == NULL || getting->to == NULL) {
        px_wait_done(&getting->wait, status);
        return;
    }
    if (getting->borrowed) {
        *getting->to = value;
    } else {
        pmix_value_t *to = getting->fixed ? *getting->to : PMIx_Value_create(1);

        status = to != NULL ? PMIx_Value_xfer(to, value) : PMIX_ERR_NOMEM;
        if (status == PMIX_SUCCESS) {
            *getting->to = to;
        } else if (!getting->fixed && to != NULL) {
            PMIx_Value_free(to, 1);
        }
    }
    px_wait_done(&getting->wait, status);
}

/* Without a key and to be refreshed: nothing is wanted but the effect. */
static bool only_refreshes(const char *key, const pmix_info_t *info, size_t ninfo)
{
    return key == NULL && px_infos_flag(info, ninfo, PMIX_GET_REFRESH_CACHE);
}

static pmix_status_t get_from_server(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                     const pmix_info_t *info, size_t ninfo, pmix_value_t **val)
{
    struct getting getting = {.to = val};
    pmix_info_t *kept;
    size_t n = 0;
    pmix_status_t rc = PX_ENTER(ctx, get_nb);

    if (rc == PMIX_SUCCESS) {
        rc = px_api_may_block(ctx);
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    getting.fixed = px_infos_flag(info, ninfo, PMIX_GET_STATIC_VALUES);
    getting.borrowed = px_infos_flag(info, ninfo, PMIX_GET_POINTER_VALUES);
    /* That one is obeyed only here. */
    kept = px_infos_without(info, ninfo, PMIX_GET_STATIC_VALUES, &n);
    if (kept == NULL) {
        return PMIX_ERR_NOMEM;
    }
    px_wait_init(&getting.wait);
    rc = ctx->ops->get_nb(ctx, proc, key, kept, n, get_done, &getting);
    rc = px_api_await(ctx, &getting.wait, rc);
    free(kept);
    return rc;
}

/* Everything but what the role's fast path answers. */
pmix_status_t px_api_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                         size_t ninfo, pmix_value_t **val)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc;

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (only_refreshes(key, info, ninfo)) {
        return get_from_server(ctx, proc, key, info, ninfo, NULL);
    }
    rc = ctx->ops->get(ctx, proc, key, info, ninfo, val);
    return rc == PMIX_ERR_WOULD_BLOCK ? get_from_server(ctx, proc, key, info, ninfo, val) : rc;
}

pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                       size_t ninfo, pmix_value_t **val)
{
    return px_ctx_get_fast(px_ctx())(proc, key, info, ninfo, val);
}

pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t ninfo, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, get_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_loop_alive(ctx->loop) ? ctx->ops->get_nb(ctx, proc, key, info, ninfo, cbfunc, cbdata)
                                    : PMIX_ERR_UNREACH;
}
