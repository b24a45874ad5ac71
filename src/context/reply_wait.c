/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A request's completion for a caller that blocks. The reply moves from the loop thread, which runs
 * the completion, to the waiter's stack; the end of the wait orders the two. */

#include "reply_wait.h"

/* The completion: takes over what the reply holds, leaves its status, and ends the wait. Loop
 * thread. */
static void keep(const struct px_completion *to, struct px_reply *reply)
{
    struct px_reply_wait *waiting = to->target;
    pmix_status_t status = reply->status;

    waiting->reply = *reply;
    *reply = (struct px_reply){.status = status};
    px_wait_answer(&waiting->wait, status);
}

struct px_completion px_reply_wait_begin(struct px_reply_wait *waiting)
{
    waiting->reply = (struct px_reply){0};
    px_wait_init(&waiting->wait);
    return (struct px_completion){.done = keep, .target = waiting};
}

pmix_status_t px_reply_wait_end(struct px_ctx *ctx, struct px_reply_wait *waiting,
                                pmix_status_t accepted)
{
    return px_ctx_await(ctx, &waiting->wait, accepted);
}
