/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_CONTEXT_H
#define PX_CONTEXT_CONTEXT_H

/* The context: what the process knows of the library, from the first init to the last finalize.
 * Role, progress thread, event handlers and own name hang here. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

#include "src/base/atomic.h"
#include "src/base/epoch.h"
#include "src/base/list.h"
#include "src/base/lock.h"
#include "src/loop/loop.h"
#include "src/loop/wait.h"
#include "src/context/role.h"

struct px_attrs;
struct px_events;
struct px_input;
struct px_server;
struct px_session;

/* Up from the end of the first init to the beginning of the last finalize. */
enum px_state { PX_STATE_DOWN = 0, PX_STATE_UP = 1 };

/* The one context of the process. Members said to be constant while up are set by init before
 * px_ctx_up and may be read by any thread that has entered. */
struct px_ctx {
    /* atomic: enum px_state; released by px_ctx_up, pairs with px_ctx_enter */
    uint64_t state;
    struct px_lock lock; /* init and finalize, one at a time */
    unsigned refs;       /* lock: inits that no finalize has matched yet */
    void *get;           /* atomic px_get_fn: ops->get while up, else one that returns ERR_INIT */
    const struct px_role_ops *ops; /* set before state goes up, constant while up */
    void *role; /* of a server struct px_server, of a client or tool struct px_session */
    /* The server of this process: of a server its role, of a launcher beside its session; else
     * NULL. Constant while up. */
    struct px_server *server;
    struct px_loop *loop;
    struct px_events *events; /* loop thread */
    /* Loop thread: registrations of handlers that a server has not answered (src/api/event.c). */
    struct px_list registrations;
    struct px_input *input;      /* loop thread: standard input that is being pushed, or NULL */
    struct px_session *inviting; /* loop thread: of a client or tool, once it uses invitations */
    struct px_attrs *attrs;      /* constant while up: what the host supports */
    pmix_proc_t self;            /* constant while up */
    void *loaded;  /* lock: dlopen handle that keeps this library loaded while up, or NULL */
    bool external; /* constant while up: the application drives the loop (PMIx_Progress) */
    pmix_status_t init_status; /* lock: what the first init returned */
};

/* Use px_ctx(). */
extern struct px_ctx px_the_context __attribute__((visibility("hidden")));

/* The context, in whatever state; never NULL. */
static inline struct px_ctx *px_ctx(void)
{
    return &px_the_context;
}

/* The context if it is up, else NULL (the caller returns PMIX_ERR_INIT). One acquire load. For
 * calls that take ctx->lock and check again: a finalize does not wait for a caller that has only
 * peeked. */
static inline struct px_ctx *px_ctx_peek(void)
{
    struct px_ctx *ctx = px_ctx();

    /* pairs with px_ctx_up and px_ctx_down */
    return px_load_acquire(&ctx->state) == PX_STATE_UP ? ctx : NULL;
}

/* Ends px_ctx_enter; NULL is no context entered. Called by PX_SCOPED. */
static inline void px_ctx_leave(struct px_ctx **ctx)
{
    if (*ctx != NULL) {
        px_call_end();
    }
}

/* Attribute of the variable that holds the context of a call: px_ctx_leave runs at the end of its
 * block. */
#define PX_SCOPED __attribute__((cleanup(px_ctx_leave)))

/* The context if it is up, else NULL. Until px_ctx_leave a finalize waits for the calling thread
 * (px_ctx_drain), so role and loop stay. Exported functions begin so:
 *
 * PX_SCOPED struct px_ctx *ctx = px_ctx_enter(); */
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

/* The function that PMIx_Get calls now. One acquire load; no check of the state is needed
 * besides. */
static inline px_get_fn px_ctx_get(const struct px_ctx *ctx)
{
    /* pairs with px_ctx_up and px_ctx_down */
    return (px_get_fn) (uintptr_t) px_load_ptr_acquire(&ctx->get);
}

/* Mark the context up or down: publish what init has set, and make later calls return
 * PMIX_ERR_INIT. Under ctx->lock. */
void px_ctx_up(struct px_ctx *ctx);
void px_ctx_down(struct px_ctx *ctx);

/* Waits until no thread is inside a call; after px_ctx_down, when every request that a call waits
 * for has been answered. Callbacks that were held until their call returned have run then, and
 * later ones are not held any more. False: a thread stayed inside for 10 seconds; nothing that
 * calls use may then be freed. Under ctx->lock, not on the loop's thread. */
bool px_ctx_drain(struct px_ctx *ctx);

/* PMIX_SUCCESS if the calling thread may wait for a completion; PMIX_ERR_WOULD_BLOCK on the
 * progress thread, PMIX_ERR_UNREACH in a forked child. */
pmix_status_t px_ctx_may_block(const struct px_ctx *ctx);

/* Waits for a completion as px_loop_wait: the caller drives an externally driven loop. Check
 * px_ctx_may_block first. Returns the status of px_wait_done. */
int px_ctx_wait(struct px_ctx *ctx, struct px_wait *wait);

/* The end of a blocking call. accepted: what the operation returned; PMIX_SUCCESS means that its
 * completion comes, and is waited for as by px_ctx_wait; anything else is the result.
 * PMIX_OPERATION_SUCCEEDED is returned as PMIX_SUCCESS. Releases `wait` in any case. */
pmix_status_t px_ctx_await(struct px_ctx *ctx, struct px_wait *wait, pmix_status_t accepted);

#endif
