/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_CALL_H
#define PX_API_CALL_H

#include <stddef.h>

#include <pmix.h>

#include "src/request/schema.h"

struct px_args;
struct px_completion;
struct px_reply;
struct px_request;

/* The non-blocking form. args NULL: what the application gave is refused. */
pmix_status_t px_api_start(const struct px_request *request, const struct px_args *args,
                           px_callback callback, void *cbdata);

/* The same with a completion of ours that has a callback of the application's in it. */
pmix_status_t px_api_start_to(const struct px_request *request, const struct px_args *args,
                              const struct px_completion *to);

/* The blocking form. ret: what came (px_reply_fini), whatever the status; may be NULL. */
pmix_status_t px_api_run(const struct px_request *request, const struct px_args *args,
                         struct px_reply *ret);

/* The same with infos for the application, who may not want them (NULL). */
pmix_status_t px_api_run_infos(const struct px_request *request, const struct px_args *args,
                               pmix_info_t **ret, size_t *ret_n);

/* A call that is blocking when it has no callback. */
pmix_status_t px_api_call(const struct px_request *request, const struct px_args *args,
                          px_callback callback, void *cbdata);

#endif
