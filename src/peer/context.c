/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The one process-wide object. `state` is the only word read without the lock: a thread that sees
 * it up sees everything that was set before px_ctx_up, and nothing of that changes until
 * px_ctx_down. */

#include "context.h"

#include "src/base/lock.h"

static pmix_status_t not_up(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                            size_t ninfo, pmix_value_t **value)
{
    (void) proc;
    (void) key;
    (void) info;
    (void) ninfo;
    (void) value;
    return PMIX_ERR_INIT;
}

struct px_ctx px_the_context = {.lock = PX_LOCK_INIT, .glance = (void *) not_up};

void px_ctx_up(struct px_ctx *ctx)
{
    px_store_release(&ctx->state, PX_STATE_UP); /* pairs with px_ctx_enter */
    if (NULL != ctx->ops) {
        px_get_fn get = NULL != ctx->ops->glance ? ctx->ops->glance : ctx->get;

        px_store_ptr_release(&ctx->glance, (void *) (uintptr_t) get); /* pairs with px_ctx_glance */
    }
}

void px_ctx_down(struct px_ctx *ctx)
{
    /* pairs with px_ctx_glance */
    px_store_ptr_release(&ctx->glance, (void *) (uintptr_t) not_up);
    px_store_release(&ctx->state, PX_STATE_DOWN); /* pairs with px_ctx_enter */
}

int px_ctx_wait(struct px_ctx *ctx, struct px_wait *wait)
{
    return px_loop_wait(ctx->loop, wait);
}
