/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The one process-wide object. `state` is the only word read without the lock: a thread that sees
 * it up sees everything that was set before px_ctx_up, and nothing of that changes until
 * px_ctx_down. */

#include "context.h"

struct px_ctx px_the_context = {.lock = PTHREAD_MUTEX_INITIALIZER};

void px_ctx_up(struct px_ctx *ctx)
{
    px_store_release(&ctx->state, PX_STATE_UP); /* pairs with px_ctx_enter */
    if (NULL != ctx->ops) {
        /* pairs with px_ctx_glance */
        px_store_ptr_release(&ctx->glance, (void *) (uintptr_t) ctx->ops->glance);
    }
}

void px_ctx_down(struct px_ctx *ctx)
{
    px_store_ptr_release(&ctx->glance, NULL); /* pairs with px_ctx_glance */
    px_store_release(&ctx->state, PX_STATE_DOWN); /* pairs with px_ctx_enter */
}

int px_ctx_wait(struct px_ctx *ctx, struct px_wait *wait)
{
    return px_loop_wait(ctx->loop, wait);
}
