/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_CONTEXT_H
#define PX_CONTEXT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

#include "src/base/atomic.h"
#include "src/base/epoch.h"
#include "src/base/lock.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"
#include "src/context/role.h"

/* Everything the process knows: the only process-wide state of the library. */

struct px_attrs;
struct px_events;

enum px_state { PX_STATE_DOWN = 0, PX_STATE_UP = 1 };

struct px_ctx {
    /* atomic: enum px_state; released by px_ctx_up, pairs with px_ctx_enter */
    uint64_t state;
    struct px_lock lock; /* init and finalize, one at a time */
    unsigned refs;       /* lock: matching finalizes still due */
    void *get; /* atomic px_get_fn: ops->get while up, else a function that returns ERR_INIT */
    const struct px_role_ops *ops; /* set before state goes up, constant while up */
    void *role; /* of a server struct px_server, of a client or tool struct px_session */
    struct px_loop *loop;
    struct px_events *events; /* loop thread */
    struct px_attrs *attrs;   /* constant while up: what the host supports */
    pmix_proc_t self;         /* constant while up */
    void *loaded;             /* lock: what keeps this library loaded while it is up, or NULL */
    bool external; /* constant while up: the application turns the loop (PMIx_Progress) */
    pmix_status_t init_status; /* lock: what the first init returned */
};

extern struct px_ctx px_the_context __attribute__((visibility("hidden")));

/* The context; never NULL. */
static inline struct px_ctx *px_ctx(void)
{
    return &px_the_context;
}

/* The context when it is up, else NULL (PMIX_ERR_INIT for the caller). One acquire load. For calls
 * that take ctx->lock and look again: a finalize does not wait for the caller. */
static inline struct px_ctx *px_ctx_peek(void)
{
    struct px_ctx *ctx = px_ctx();

    /* pairs with px_ctx_up and px_ctx_down */
    return px_load_acquire(&ctx->state) == PX_STATE_UP ? ctx : NULL;
}

static inline void px_ctx_leave(struct px_ctx **ctx)
{
    if (*ctx != NULL) {
        px_call_end();
    }
}

/* Leaves by itself at the end of the block. */
#define PX_SCOPED __attribute__((cleanup(px_ctx_leave)))

/* The same, and the calling thread is inside until px_ctx_leave: the role and the loop stay. How an
 * exported function begins: PX_SCOPED struct px_ctx *ctx = px_ctx_enter(); */
static inline struct px_ctx *px_ctx_enter(void)
{
    struct px_ctx *ctx;

    px_call_begin();
    ctx = px_ctx_peek();
    if (ctx == NULL) {
        px_call_end();
    }
    return ctx;
}

/* What PMIx_Get calls. One acquire load. */
static inline px_get_fn px_ctx_get(const struct px_ctx *ctx)
{
    /* pairs with px_ctx_up and px_ctx_down */
    return (px_get_fn) (uintptr_t) px_load_ptr_acquire(&ctx->get);
}

/* Marks the context up / down. Under ctx->lock. */
void px_ctx_up(struct px_ctx *ctx);
void px_ctx_down(struct px_ctx *ctx);

/* After px_ctx_down, when nothing that a call waits for is outstanding: waits until no thread is
 * inside. False: somebody stays; nothing that calls use may be freed. Under ctx->lock, not on the
 * loop's thread. */
bool px_ctx_drain(struct px_ctx *ctx);

/* May the calling thread wait for a completion? PMIX_SUCCESS, PMIX_ERR_WOULD_BLOCK on the progress
 * thread, PMIX_ERR_UNREACH in a forked child. */
pmix_status_t px_ctx_may_block(const struct px_ctx *ctx);

/* Waits for a completion: px_wait_for, but turns an externally driven loop meanwhile. Never on the
 * loop's own thread (see px_wait_for). */
int px_ctx_wait(struct px_ctx *ctx, struct px_wait *wait);

/* The end of a blocking call: waits when the operation was accepted (PMIX_SUCCESS), else that is
 * its status. PMIX_SUCCESS for PMIX_OPERATION_SUCCEEDED. */
pmix_status_t px_ctx_await(struct px_ctx *ctx, struct px_wait *wait, pmix_status_t accepted);

#endif
