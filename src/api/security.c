/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include <stdlib.h>
#include <string.h>

#include "api.h"

pmix_status_t PMIx_Get_credential_nb(const pmix_info_t info[], size_t ninfo,
                                     pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, get_credential_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->get_credential_nb(ctx, info, ninfo, cbfunc, cbdata);
}

struct getting {
    struct px_wait wait;
    pmix_byte_object_t *to;
};

static void credential_done(pmix_status_t status, pmix_byte_object_t *credential,
                            pmix_info_t info[], size_t ninfo, void *cbdata)
{
    struct getting *getting = cbdata;
    char *bytes;

    (void) info;
    (void) ninfo;
    if (status == PMIX_SUCCESS && credential != NULL) {
        bytes = malloc(credential->size > 0 ? credential->size : 1);
        if (bytes == NULL) {
            px_wait_done(&getting->wait, PMIX_ERR_NOMEM);
            return;
        }
        memcpy(bytes, credential->bytes != NULL ? credential->bytes : "", credential->size);
        getting->to->bytes = bytes;
        getting->to->size = credential->size;
    }
    px_wait_done(&getting->wait, status);
}

pmix_status_t PMIx_Get_credential(const pmix_info_t info[], size_t ninfo,
                                  pmix_byte_object_t *credential)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct getting getting = {.to = credential};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (credential == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_wait_init(&getting.wait);
    rc = PMIx_Get_credential_nb(info, ninfo, credential_done, &getting);
    return px_api_await(ctx, &getting.wait, rc);
}

pmix_status_t PMIx_Validate_credential_nb(const pmix_byte_object_t *cred, const pmix_info_t info[],
                                          size_t ninfo, pmix_validation_cbfunc_t cbfunc,
                                          void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, validate_credential_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (cred == NULL || cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->validate_credential_nb(ctx, cred, info, ninfo, cbfunc, cbdata);
}

static void validated(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata)
{
    px_api_info_done(status, info, ninfo, cbdata, NULL, NULL);
}

pmix_status_t PMIx_Validate_credential(const pmix_byte_object_t *cred, const pmix_info_t info[],
                                       size_t ninfo, pmix_info_t **results, size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Validate_credential_nb(cred, info, ninfo, validated, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}
