/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_REPLY_WAIT_H
#define PX_CONTEXT_REPLY_WAIT_H

/* The blocking form of a request (src/request/schema.h): a completion that keeps the reply for the
 * thread that waits. */

#include "context.h"
#include "src/request/schema.h"

/* One blocking call; on the waiter's stack. */
struct px_reply_wait {
    struct px_wait wait;
    struct px_reply reply; /* set by the completion */
};

/* Prepares `waiting` and returns the completion to start the request with. px_reply_wait_end must
 * follow. */
struct px_completion px_reply_wait_begin(struct px_reply_wait *waiting);

/* Waits for the reply, as px_ctx_wait. accepted: what the start of the request returned; anything
 * but PMIX_SUCCESS means that no reply comes, and is the result. waiting->reply is then the
 * caller's (px_reply_fini). Returns the status of the reply; PMIX_SUCCESS for
 * PMIX_OPERATION_SUCCEEDED. */
pmix_status_t px_reply_wait_end(struct px_ctx *ctx, struct px_reply_wait *waiting,
                                pmix_status_t accepted);

#endif
