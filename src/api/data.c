/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Put, commit, get. PMIx_Get is the reason for the library: the role's get is the whole call. */

#include "api.h"

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

pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                       size_t ninfo, pmix_value_t **val)
{
    return px_ctx_get(px_ctx())(proc, key, info, ninfo, val);
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
