/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_API_H
#define PX_API_API_H

#include <pmix.h>

#include "src/context/context.h"
#include "src/request/schema.h"

struct px_call;

/* What the exported functions share. */

/* Every exported function starts like this; the role may lack the operation. */
#define PX_ENTER(ctx, op)                                                                          \
    ((ctx) == NULL ? PMIX_ERR_INIT : (ctx)->ops->op == NULL ? PMIX_ERR_NOT_SUPPORTED : PMIX_SUCCESS)

/* --- life; under ctx->lock --- */

/* Parameters, log levels, loop, events: what a role starts on. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
int px_api_open(struct px_ctx *ctx, bool external);
/* After that, when the role has started, with that status: the context is up, or, when the role is
 * not, closed. Returns the status. */
pmix_status_t px_api_started(struct px_ctx *ctx, pmix_status_t status, bool up);
/* The opposite, after the role has stopped. Not on the loop thread. */
void px_api_close(struct px_ctx *ctx);
/* True when the context is up but belongs to the process that forked us; it is dropped then, and
 * what it held with it: the parent's connection is not ours to use. */
bool px_api_dropped_after_fork(struct px_ctx *ctx);

/* Does the library do everything that is required of a call that it does alone? */
bool px_api_check_required(const struct px_ctx *ctx, const struct px_call *call,
                           const pmix_info_t *info, size_t ninfo);

/* --- blocking forms --- */

/* As px_ctx_may_block; PMIX_ERR_INIT without a context. */
pmix_status_t px_api_may_block(const struct px_ctx *ctx);

/* pmix_op_cbfunc_t on a struct px_wait. */
void px_api_op_done(pmix_status_t status, void *wait);

/* pmix_info_cbfunc_t on one of these: keeps a copy of the results. */
struct px_results {
    struct px_wait wait;
    pmix_info_t *info;
    size_t n;
};
void px_api_info_done(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *results,
                      pmix_release_cbfunc_t release_fn, void *release_cbdata);

/* As px_ctx_await, then hands the results over (NULL and 0 when there are none); out pointers may
 * be NULL. */
pmix_status_t px_api_await_results(struct px_ctx *ctx, struct px_results *results,
                                   pmix_status_t accepted, pmix_info_t **ret, size_t *ret_n);

#endif
