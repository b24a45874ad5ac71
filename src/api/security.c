/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Credentials. Both calls are requests, served by the server or its host. */

#include "call.h"
#include "src/request/reply.h"

/* The callback gets the credential. At the server: call_credential
 * (src/server/requests/requests.c). */
pmix_status_t PMIx_Get_credential_nb(const pmix_info_t info[], size_t ninfo,
                                     pmix_credential_cbfunc_t cbfunc, void *cbdata)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);

    return px_api_start(&px_request_credential, &args, (px_callback) cbfunc, cbdata);
}

/* The bytes move from the reply to the caller, who frees them. */
pmix_status_t PMIx_Get_credential(const pmix_info_t info[], size_t ninfo,
                                  pmix_byte_object_t *credential)
{
    struct px_args args = PX_DIRECTIVES_OF(info, ninfo);
    struct px_reply reply = {0};
    pmix_status_t rc =
        px_api_run(&px_request_credential, credential != NULL ? &args : NULL, &reply);

    if (rc == PMIX_SUCCESS) {
        *credential = reply.bytes;
        reply.bytes = (pmix_byte_object_t){0};
    }
    px_reply_fini(&reply);
    return rc;
}

/* A NULL credential is PMIX_ERR_BAD_PARAM; its bytes are borrowed for the call. At the server:
 * call_validate (src/server/requests/requests.c). */
pmix_status_t PMIx_Validate_credential_nb(const pmix_byte_object_t *cred, const pmix_info_t info[],
                                          size_t ninfo, pmix_validation_cbfunc_t cbfunc,
                                          void *cbdata)
{
    struct px_validate_args args = {PX_DIRECTIVES_OF(info, ninfo),
                                    cred != NULL ? *cred : (pmix_byte_object_t){0}};

    return px_api_start(&px_request_validate, cred != NULL ? &args.head : NULL,
                        (px_callback) cbfunc, cbdata);
}

/* The results are what is known of the owner of the credential; the application frees them. */
pmix_status_t PMIx_Validate_credential(const pmix_byte_object_t *cred, const pmix_info_t info[],
                                       size_t ninfo, pmix_info_t **results, size_t *nresults)
{
    struct px_validate_args args = {PX_DIRECTIVES_OF(info, ninfo),
                                    cred != NULL ? *cred : (pmix_byte_object_t){0}};

    return px_api_run_infos(&px_request_validate, cred != NULL ? &args.head : NULL, results,
                            nresults);
}
