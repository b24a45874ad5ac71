/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include <stdlib.h>
#include <string.h>

#include "api.h"

pmix_status_t PMIx_Publish_nb(const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                              void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, publish_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (info == NULL || ninfo == 0 || cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->publish_nb(ctx, info, ninfo, cbfunc, cbdata);
}

pmix_status_t PMIx_Publish(const pmix_info_t info[], size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Publish_nb(info, ninfo, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}

pmix_status_t PMIx_Unpublish_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, unpublish_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->unpublish_nb(ctx, keys, info, ninfo, cbfunc, cbdata);
}

pmix_status_t PMIx_Unpublish(char **keys, const pmix_info_t info[], size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Unpublish_nb(keys, info, ninfo, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}

pmix_status_t PMIx_Lookup_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                             pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, lookup_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (keys == NULL || keys[0] == NULL || cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->lookup_nb(ctx, keys, info, ninfo, cbfunc, cbdata);
}

struct looking {
    struct px_wait wait;
    pmix_pdata_t *data;
    size_t n;
};

/* Fills in what was found; the caller's other entries keep no value. */
static void looked_up(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata)
{
    struct looking *looking = cbdata;
    size_t found = 0;

    if (status != PMIX_SUCCESS && status != PMIX_ERR_PARTIAL_SUCCESS) {
        px_wait_done(&looking->wait, status);
        return;
    }
    for (size_t i = 0; i < looking->n; i++) {
        for (size_t k = 0; k < ndata; k++) {
            if (strncmp(looking->data[i].key, data[k].key, PMIX_MAX_KEYLEN) == 0 &&
                data[k].value.type != PMIX_UNDEF) {
                looking->data[i].proc = data[k].proc;
                PMIx_Value_destruct(&looking->data[i].value);
                status = PMIx_Value_xfer(&looking->data[i].value, &data[k].value);
                found += PMIX_SUCCESS == status ? 1 : 0;
                break;
            }
        }
    }
    if (found == 0) {
        status = PMIX_ERR_NOT_FOUND;
    } else {
        status = found < looking->n ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS;
    }
    px_wait_done(&looking->wait, status);
}

pmix_status_t PMIx_Lookup(pmix_pdata_t data[], size_t ndata, const pmix_info_t info[], size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct looking looking = {.data = data, .n = ndata};
    char **keys;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (data == NULL || ndata == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    keys = calloc(ndata + 1, sizeof(*keys));
    if (keys == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < ndata; i++) {
        keys[i] = data[i].key;
    }
    px_wait_init(&looking.wait);
    rc = PMIx_Lookup_nb(keys, info, ninfo, looked_up, &looking);
    rc = px_api_await(ctx, &looking.wait, rc);
    free(keys);
    return rc;
}
