/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_REPLY_WAIT_H
#define PX_CONTEXT_REPLY_WAIT_H

#include "context.h"
#include "src/request/schema.h"

/* The blocking form of a request: a completion that keeps the reply for the thread that waits. On
 * the waiter's stack. */
struct px_reply_wait {
    struct px_wait wait;
    struct px_reply reply;
};

struct px_completion px_reply_wait_begin(struct px_reply_wait *waiting);

/* accepted: what the request was answered with at once; anything but PMIX_SUCCESS is the result.
 * Else waits, as px_ctx_wait. The reply is the caller's (px_reply_fini). Returns the status, and
 * PMIX_SUCCESS for PMIX_OPERATION_SUCCEEDED. */
pmix_status_t px_reply_wait_end(struct px_ctx *ctx, struct px_reply_wait *waiting,
                                pmix_status_t accepted);

#endif
