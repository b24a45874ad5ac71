/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_AFTER_H
#define PX_LOOP_AFTER_H

/* What is run on the loop's thread after a call of another thread has returned: the callback of a
 * non-blocking call, which the Standard forbids before the return. Two things have to happen, in
 * either order: the result is there (px_after_done), and the call ends (px_after_return). The loop
 * never waits for the second: it holds what is done too early, goes on with its other work, and
 * looks again in its next turns (docs/decisions/0023-callbacks-after-their-call.md).
 *
 * A call cannot tell from inside that it has returned. px_after_return is the last thing that it
 * does but for counting itself out, which takes no lock and no system call. The loop goes on
 * turning for PX_AFTER_NS, many times what the rest takes, and then asks whether the thread has run
 * on or sleeps elsewhere (callers.h); one that has lost its processor in between has not returned,
 * however long ago its store was. The call wakes nobody: a write to the loop's descriptor at that
 * point would let the loop run before the return. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/list.h"
#include "src/loop/callers.h"
#include "src/loop/loop.h"

/* The least time between the last thing that a call does and its callback, in nanoseconds. */
enum { PX_AFTER_NS = 20000 };

/* What a loop holds. Owned by the loop; its thread. */
struct px_after_queue {
    struct px_list held; /* struct px_after, in the order of px_after_done */
    unsigned looks;      /* turns without sleep, and sleeps, since something was held last */
    bool soon;           /* something may run when PX_AFTER_NS have passed */
    bool running;        /* in px_after_run */
    const pthread_t
        *waiter;  /* a thread whose calls have returned, as it waits in another; or NULL */
    bool settled; /* no call is under way, and none begins */
    struct px_callers callers;
};

/* Embedded in what one call leaves to the loop. `run` may free its owner. */
struct px_after {
    struct px_list link; /* loop thread: in `held` */
    struct px_task task;
    struct px_loop *loop;
    struct px_after_queue *queue; /* of the loop */
    void (*run)(struct px_after *after);
    pthread_t thread; /* the caller's */
    struct px_caller caller;
    uint64_t left; /* atomic: 0, or when the call ended (px_clock_ns); the last thing that the
                      caller touches, px_after_return pairs with may_run */
};

/* Prepares it in the thread of the call: `run` will be called once, on the loop's thread. A call
 * that fails frees the owner instead, and calls none of the others. */
void px_after_init(struct px_after *after, struct px_loop *loop,
                   void (*run)(struct px_after *after));

/* The result is there; once. In another thread than the loop's, which may be the caller's, it is
 * posted. On the loop's thread it is held; if its call has returned, all that may run is run, in
 * the order in which it was done. */
void px_after_done(struct px_after *after);

/* The call returns: the last thing it does. The owner may be gone when this returns. */
void px_after_return(struct px_after *after);

/* Runs the callbacks that are held for calls of this thread, in the order of their results, before
 * a call in which it waits is ended: the thread has returned from all calls before that one. Has no
 * effect outside of a loop's thread, nor within another callback. */
void px_after_waits(pthread_t thread);

/* Runs what is held, and from now on everything as soon as it is done. No call is under way any
 * more, nor begins. Any thread, as px_loop_run. */
void px_after_settle(struct px_loop *loop);

/* --- for the loop; its thread --- */

void px_after_queue_init(struct px_after_queue *queue);

/* Runs what is held and may run, one after the other: nothing from within another one. True if
 * there was something. */
bool px_after_run(struct px_after_queue *queue);

/* How long the loop may sleep in this turn, in milliseconds: 0 at first, then ever longer, since
 * nobody wakes it; -1: as long as it likes, nothing is held. */
int px_after_pause(struct px_after_queue *queue);

#endif
