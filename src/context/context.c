/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The one process-wide object. Calls read `state` and `get` without the lock: a thread that sees
 * the context up sees everything that was set before px_ctx_up, and none of that changes until
 * px_ctx_down. init and finalize hold the lock, one at a time. */

#include "context.h"

#include <sched.h>

#include "src/base/assert.h"
#include "src/base/clock.h"
#include "src/base/epoch.h"
#include "src/loop/after.h"

/* PMIx_Get while the library is not up. */
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

/* How long a finalize waits for calls in other threads. A thread that is inside longer has been
 * stopped, or is in a callback of its program. */
enum { DRAIN_MS = 10000 };

struct px_ctx px_the_context = {.lock = PX_LOCK_INIT, .get = (void *) not_up};

void px_ctx_up(struct px_ctx *ctx)
{
    px_assert(px_lock_held(&ctx->lock));
    px_store_release(&ctx->state, PX_STATE_UP); /* pairs with px_ctx_peek */
    if (ctx->ops != NULL) {
        /* pairs with px_ctx_get */
        px_store_ptr_release(&ctx->get, (void *) (uintptr_t) ctx->ops->get);
    }
}

void px_ctx_down(struct px_ctx *ctx)
{
    px_assert(px_lock_held(&ctx->lock));
    /* pairs with px_ctx_get */
    px_store_ptr_release(&ctx->get, (void *) (uintptr_t) not_up);
    px_store_release(&ctx->state, PX_STATE_DOWN); /* pairs with px_ctx_peek */
}

bool px_ctx_drain(struct px_ctx *ctx)
{
    uint64_t end = px_clock_ns() + DRAIN_MS * UINT64_C(1000000);

    px_assert(px_lock_held(&ctx->lock) && !px_loop_inside(ctx->loop));
    while (!px_calls_over(NULL)) {
        if (px_clock_ns() > end) {
            return false;
        }
        if (ctx->external) {
            px_loop_progress(ctx->loop);
        }
        (void) sched_yield(); /* what they waited for is answered, so this is short */
    }
    px_after_settle(ctx->loop);
    return true;
}

pmix_status_t px_ctx_may_block(const struct px_ctx *ctx)
{
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    return px_loop_inside(ctx->loop) ? PMIX_ERR_WOULD_BLOCK : PMIX_SUCCESS;
}

int px_ctx_wait(struct px_ctx *ctx, struct px_wait *wait)
{
    return px_loop_wait(ctx->loop, wait);
}

pmix_status_t px_ctx_await(struct px_ctx *ctx, struct px_wait *wait, pmix_status_t accepted)
{
    pmix_status_t rc;

    if (accepted != PMIX_SUCCESS) {
        px_wait_done(wait, accepted);
        rc = px_wait_for(wait);
    } else {
        rc = px_ctx_wait(ctx, wait);
    }
    return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
}
