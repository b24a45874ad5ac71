/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_CALL_H
#define PX_API_CALL_H

/* The exported calls that are described as requests (src/request/schema.h). An exported function
 * fills the arguments of its request and calls one of these; check, transport and reply follow from
 * the description. All return PMIX_ERR_INIT without a context and PMIX_ERR_BAD_PARAM if an argument
 * that the request needs is empty. Arguments are borrowed for the call.
 *
 * The way of a call in a client:  arguments checked here -> px_client_request packs them by the
 * description -> reply on the loop thread, unpacked by the reply type -> completion -> callback.
 * In a server px_self_request serves the same request at once, as one of its own. */

#include <stddef.h>

#include <pmix.h>

#include "src/request/schema.h"

struct px_args;
struct px_completion;
struct px_reply;
struct px_request;

/* The non-blocking form. The callback, of the type of the reply, is called on the loop thread if
 * the result is PMIX_SUCCESS. args NULL: the exported function found an argument wrong,
 * PMIX_ERR_BAD_PARAM. */
pmix_status_t px_api_start(const struct px_request *request, const struct px_args *args,
                           px_callback callback, void *cbdata);

/* The same with a completion of this library, which calls the application's callback itself. */
pmix_status_t px_api_start_to(const struct px_request *request, const struct px_args *args,
                              const struct px_completion *to);

/* The blocking form. *ret is the reply, whatever the status: the caller's, freed by px_reply_fini.
 * NULL: the reply is dropped. PMIX_ERR_WOULD_BLOCK on the progress thread. */
pmix_status_t px_api_run(const struct px_request *request, const struct px_args *args,
                         struct px_reply *ret);

/* Ends a blocking call whose reply is infos, with its status, which is returned: the infos become
 * the application's (*ret, *ret_n). After a failure, or if ret or ret_n is NULL, they are freed. */
pmix_status_t px_api_give_infos(pmix_status_t status, struct px_reply *reply, pmix_info_t **ret,
                                size_t *ret_n);

/* The blocking form for such replies. */
pmix_status_t px_api_run_infos(const struct px_request *request, const struct px_args *args,
                               pmix_info_t **ret, size_t *ret_n);

/* For calls that have one name for both forms: non-blocking with a callback, else blocking. */
pmix_status_t px_api_call(const struct px_request *request, const struct px_args *args,
                          px_callback callback, void *cbdata);

#endif
