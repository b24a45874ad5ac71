/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "call.h"
#include "src/request/reply.h"

pmix_status_t PMIx_Publish_nb(const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                              void *cbdata)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);

    return px_api_start(&px_request_publish, &args, (px_callback) cbfunc, cbdata);
}

pmix_status_t PMIx_Publish(const pmix_info_t info[], size_t ninfo)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);

    return px_api_run(&px_request_publish, &args, NULL);
}

pmix_status_t PMIx_Unpublish_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};

    return px_api_start(&px_request_unpublish, &args.head, (px_callback) cbfunc, cbdata);
}

pmix_status_t PMIx_Unpublish(char **keys, const pmix_info_t info[], size_t ninfo)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};

    return px_api_run(&px_request_unpublish, &args.head, NULL);
}

pmix_status_t PMIx_Lookup_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                             pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};

    return px_api_start(&px_request_lookup, &args.head, (px_callback) cbfunc, cbdata);
}

/* Moves what was found to the caller's entries; the others keep no value. */
static pmix_status_t fill_in(pmix_pdata_t *data, size_t n, struct px_reply *reply)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < reply->ndata; k++) {
            if (strncmp(data[i].key, reply->data[k].key, PMIX_MAX_KEYLEN) == 0 &&
                reply->data[k].value.type != PMIX_UNDEF) {
                data[i].proc = reply->data[k].proc;
                PMIx_Value_destruct(&data[i].value);
                found += PMIx_Value_xfer(&data[i].value, &reply->data[k].value) == PMIX_SUCCESS;
                break;
            }
        }
    }
    return found == 0 ? PMIX_ERR_NOT_FOUND : found < n ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS;
}

/* Only a reply that holds something has a say about what was found. */
static pmix_status_t lookup(pmix_pdata_t *data, size_t n, const struct px_keys_args *args)
{
    struct px_reply reply = {.status = PMIX_ERROR};
    pmix_status_t rc = px_api_run(&px_request_lookup, &args->head, &reply);

    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS) {
        rc = fill_in(data, n, &reply);
    }
    px_reply_fini(&reply);
    return rc;
}

pmix_status_t PMIx_Lookup(pmix_pdata_t data[], size_t ndata, const pmix_info_t info[], size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), NULL};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (data == NULL || ndata == 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    args.keys = calloc(ndata + 1, sizeof(*args.keys));
    if (args.keys == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < ndata; i++) {
        args.keys[i] = data[i].key;
    }
    rc = lookup(data, ndata, &args);
    free(args.keys);
    return rc;
}
