/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_API_H
#define PX_API_API_H

/* Shared parts of the exported functions: entering the context, start and end of a role, and the
 * blocking forms. Every exported function checks its arguments and the state of the context here in
 * src/api and leaves the work to the role (src/context/role.h), the server (src/server) or the
 * topology (src/topo).
 *
 * An exported function is built so:
 *   1. PX_SCOPED struct px_ctx *ctx = px_ctx_enter(): until the function returns, a finalize waits.
 *      Calls that take ctx->lock enter for their checks only, and then check the state again under
 *      the lock (px_ctx_peek).
 *   2. PX_ENTER: PMIX_ERR_INIT, PMIX_ERR_NOT_SUPPORTED.
 *   3. Arguments: PMIX_ERR_BAD_PARAM. An array may be NULL only with a number of 0.
 *   4. Required directives, if the library alone serves the call: px_api_check_required.
 *   5. The operation of the role, a request (call.h), or a function run on the loop thread
 *      (src/server/self/loop_call.h).
 * The outputs of a blocking form are set after a success or a partial success, results that are
 * arrays of infos to NULL and 0 if there are none; a failure leaves them alone. */

#include <pmix.h>

#include "src/context/context.h"
#include "src/request/schema.h"

struct px_call;

/* The first check of an exported function that a role serves by the operation `op`: PMIX_ERR_INIT
 * without a context, PMIX_ERR_NOT_SUPPORTED if the role lacks the operation. ctx is the result of
 * px_ctx_enter. */
#define PX_ENTER(ctx, op)                                                                          \
    ((ctx) == NULL ? PMIX_ERR_INIT : (ctx)->ops->op == NULL ? PMIX_ERR_NOT_SUPPORTED : PMIX_SUCCESS)

/* --- life; under ctx->lock --- */

/* Before a role starts: reads parameters, sets log levels, makes the loop (`external`: the
 * application drives it), the registry of events and the table of attributes. A former life that
 * px_api_stopped has left open is ended first, so that there are never two. 0; PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE: the context is closed or was never opened; PMIX_ERR_RESOURCE_BUSY: a
 * thread is still inside a call of the former life, which stays as it is. */
int px_api_open(struct px_ctx *ctx, bool external);
/* After the role's start, with its status. up: marks the context up, with one reference. Not up:
 * closes the context. Returns the status. */
pmix_status_t px_api_started(struct px_ctx *ctx, pmix_status_t status, bool up);
/* After the session of a client or tool has ended: stops the server that a launcher has beside it,
 * or that is the role itself, and closes the context. If a thread stayed inside a call, all of it
 * stays open, and belongs to the former life that px_api_open ends. The context is down. Not on the
 * loop thread. */
void px_api_stopped(struct px_ctx *ctx);
/* True if the context is up but belongs to the process that forked this one. The context is then
 * reset without being closed: loop, events and role are left to leak, because the connection is the
 * parent's. Under ctx->lock. */
bool px_api_dropped_after_fork(struct px_ctx *ctx);

/* True if this library itself honours every directive that is marked as required, for a call that
 * it serves in this role. False: the caller returns PMIX_ERR_NOT_SUPPORTED. */
bool px_api_check_required(const struct px_ctx *ctx, const struct px_call *call,
                           const pmix_info_t *info, size_t ninfo);

/* The first check of a finalize: PMIX_ERR_INIT, or PMIX_ERR_WOULD_BLOCK on the progress thread. The
 * context may have ended before the caller takes ctx->lock. */
pmix_status_t px_api_may_finalize(void);

/* --- blocking forms --- */

/* As px_ctx_may_block; PMIX_ERR_INIT if ctx is NULL. */
pmix_status_t px_api_may_block(const struct px_ctx *ctx);

#endif
