/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fabrics: what the host knows of one is asked for and kept in the caller's structure. */

#include <stdlib.h>

#include "api.h"

struct asking {
    pmix_fabric_t *fabric;
    pmix_op_cbfunc_t cbfunc;
    void *cbdata;
};

static void fabric_done(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                        pmix_release_cbfunc_t release_fn, void *release_cbdata)
{
    struct asking *asking = cbdata;
    struct px_results kept = {0};

    px_wait_init(&kept.wait);
    px_api_info_done(status, info, ninfo, &kept, release_fn, release_cbdata);
    status = px_wait_for(&kept.wait); /* done already */
    if (status == PMIX_SUCCESS) {
        PMIx_Info_free(asking->fabric->info, asking->fabric->ninfo);
        asking->fabric->info = kept.info;
        asking->fabric->ninfo = kept.n;
    } else {
        PMIx_Info_free(kept.info, kept.n);
    }
    asking->cbfunc(status, asking->cbdata);
    free(asking);
}

static struct asking *asking_create(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct asking *asking = malloc(sizeof(*asking));

    if (asking != NULL) {
        *asking = (struct asking){.fabric = fabric, .cbfunc = cbfunc, .cbdata = cbdata};
    }
    return asking;
}

pmix_status_t PMIx_Fabric_register_nb(pmix_fabric_t *fabric, const pmix_info_t directives[],
                                      size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct asking *asking;
    pmix_status_t rc = PX_ENTER(ctx, fabric_register_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (fabric == NULL || cbfunc == NULL || (directives == NULL && ndirs > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    asking = asking_create(fabric, cbfunc, cbdata);
    rc = asking != NULL ? ctx->ops->fabric_register_nb(ctx, directives, ndirs, fabric_done, asking)
                        : PMIX_ERR_NOMEM;
    if (rc != PMIX_SUCCESS) {
        free(asking);
    }
    return rc;
}

pmix_status_t PMIx_Fabric_register(pmix_fabric_t *fabric, const pmix_info_t directives[],
                                   size_t ndirs)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Fabric_register_nb(fabric, directives, ndirs, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}

pmix_status_t PMIx_Fabric_update_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct asking *asking;
    pmix_status_t rc = PX_ENTER(ctx, fabric_update_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (fabric == NULL || cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    asking = asking_create(fabric, cbfunc, cbdata);
    rc = asking != NULL ? ctx->ops->fabric_update_nb(ctx, fabric->index, fabric_done, asking)
                        : PMIX_ERR_NOMEM;
    if (rc != PMIX_SUCCESS) {
        free(asking);
    }
    return rc;
}

pmix_status_t PMIx_Fabric_update(pmix_fabric_t *fabric)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Fabric_update_nb(fabric, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}

pmix_status_t PMIx_Fabric_deregister(pmix_fabric_t *fabric)
{
    if (px_ctx_peek() == NULL) {
        return PMIX_ERR_INIT;
    }
    if (fabric == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Info_free(fabric->info, fabric->ninfo);
    fabric->info = NULL;
    fabric->ninfo = 0;
    return PMIX_SUCCESS;
}

/* Nothing has to be waited for, so there is no callback. */
pmix_status_t PMIx_Fabric_deregister_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc,
                                        void *cbdata)
{
    pmix_status_t rc = PMIx_Fabric_deregister(fabric);

    (void) cbfunc;
    (void) cbdata;
    return rc == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : rc;
}
