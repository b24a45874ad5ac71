/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publish, look up and unpublish. The data are kept by the server's side; each call is one request.
 * Only the blocking lookup has work to do here: the Standard lets it return values in the caller's
 * array of pmix_pdata_t.
 *
 * PMIX_ERR_PARTIAL_SUCCESS of a lookup means that some keys have no value; the others are filled
 * in. Waiting for keys, ranges and persistence are directives that the server's side honours. */

#include <stdlib.h>

#include "api.h"
#include "call.h"
#include "src/request/reply.h"
#include "src/value/keys.h"

/* Data and directives are in one array; the server tells them apart by their keys. At the server:
 * call_publish (src/server/requests/requests.c). */
pmix_status_t PMIx_Publish_nb(const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                              void *cbdata)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);

    return px_api_start(&px_request_publish, &args, (px_callback) cbfunc, cbdata);
}

/* Returns when the server has confirmed. */
pmix_status_t PMIx_Publish(const pmix_info_t info[], size_t ninfo)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);

    return px_api_run(&px_request_publish, &args, NULL);
}

/* keys is a NULL-terminated array, borrowed for the call. At the server: call_unpublish
 * (src/server/requests/requests.c). */
pmix_status_t PMIx_Unpublish_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};

    return px_api_start(&px_request_unpublish, &args.head, (px_callback) cbfunc, cbdata);
}

/* The blocking form. */
pmix_status_t PMIx_Unpublish(char **keys, const pmix_info_t info[], size_t ninfo)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};

    return px_api_run(&px_request_unpublish, &args.head, NULL);
}

/* A non-blocking lookup: how many keys it has, and whom its result is for. */
struct lookup_nb {
    size_t n_keys;
    pmix_lookup_cbfunc_t cbfunc;
    void *cbdata;
};

/* What a lookup returns of which so many of its keys have a value. */
static pmix_status_t status_of(size_t found, size_t n_keys)
{
    return found == 0       ? PMIX_ERR_NOT_FOUND
           : found < n_keys ? PMIX_ERR_PARTIAL_SUCCESS
                            : PMIX_SUCCESS;
}

/* A host may say PMIX_SUCCESS for a part of the keys. */
static void lookup_done(pmix_status_t status, pmix_pdata_t data[], size_t ndata, void *cbdata)
{
    struct lookup_nb *lookup = cbdata;
    size_t found = 0;

    for (size_t i = 0; i < ndata; i++) {
        found += data[i].value.type != PMIX_UNDEF;
    }
    lookup->cbfunc(status == PMIX_SUCCESS ? status_of(found, lookup->n_keys) : status, data, ndata,
                   lookup->cbdata);
    free(lookup);
}

/* keys is a NULL-terminated array, copied into the message. Needs a callback, which gets the
 * values. At the server: call_lookup (src/server/requests/requests.c). */
pmix_status_t PMIx_Lookup_nb(char **keys, const pmix_info_t info[], size_t ninfo,
                             pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    struct px_keys_args args = {PX_DIRECTIVES_OF(info, ninfo), keys};
    struct lookup_nb *lookup = NULL;
    pmix_status_t rc;

    if (cbfunc != NULL) {
        lookup = malloc(sizeof(*lookup));
        if (lookup == NULL) {
            return PMIX_ERR_NOMEM;
        }
        *lookup = (struct lookup_nb){(size_t) PMIx_Argv_count(keys), cbfunc, cbdata};
    }
    rc = px_api_start(&px_request_lookup, &args.head,
                      lookup != NULL ? (px_callback) lookup_done : NULL, lookup);
    if (rc != PMIX_SUCCESS) {
        free(lookup);
    }
    return rc;
}

/* Copies the values of the reply to the entries with the same key; an entry without one is
 * unchanged. PMIX_ERR_NOT_FOUND: no value; PMIX_ERR_PARTIAL_SUCCESS: not all. */
static pmix_status_t fill_in(pmix_pdata_t *data, size_t n, struct px_reply *reply)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < reply->ndata; k++) {
            if (px_value_key_is(data[i].key, reply->data[k].key) &&
                reply->data[k].value.type != PMIX_UNDEF) {
                data[i].proc = reply->data[k].proc;
                PMIx_Value_destruct(&data[i].value);
                found += PMIx_Value_xfer(&data[i].value, &reply->data[k].value) == PMIX_SUCCESS;
                break;
            }
        }
    }
    return status_of(found, n);
}

/* Runs the request. A reply without data keeps its status; one with data gets it from the number of
 * entries found. */
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

/* The keys of the entries become a NULL-terminated array for the request; the strings stay in the
 * entries. */
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
