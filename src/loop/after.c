/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Callbacks that are held until their call has returned (after.h). The callers' side is one store;
 * everything else is the loop's: it looks at what it holds in each of its turns, of which it takes
 * some without sleep, as a call that is about to return needs less, and later sleeps between them,
 * as a thread that has lost its processor needs longer. Behind the store it gives a call some time,
 * because asking the kernel about its thread takes several system calls. */

#include "src/loop/after.h"

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/epoch.h"

/* Turns without sleep, and the exponent of the longest sleep in milliseconds after them. */
enum { TURNS = 64, PAUSE_EXPONENT = 10 };

void px_after_init(struct px_after *after, struct px_loop *loop,
                   void (*run)(struct px_after *after))
{
    *after = (struct px_after){.loop = loop,
                               .queue = px_loop_afters(loop),
                               .run = run,
                               .thread = pthread_self(),
                               .caller = px_caller_self()};
    px_list_init(&after->link);
}

/* True if the call has returned, or its thread has ended within it: only looked at when the call
 * takes long. A call of this thread, which runs the loop, has returned as soon as it says so. */
static bool may_run(struct px_after_queue *queue, const struct px_after *after, uint64_t now)
{
    uint64_t left = px_load_acquire(&after->left); /* pairs with px_after_return */

    if (left == 0) {
        return queue->settled || (queue->looks > TURNS && px_thread_has_ended(after->caller.tid));
    }
    if (queue->settled || pthread_equal(after->thread, pthread_self()) ||
        (queue->waiter && pthread_equal(after->thread, *queue->waiter))) {
        return true;
    }
    if (now < left + PX_AFTER_NS) {
        queue->soon = true;
        return false;
    }
    return px_callers_returned(&queue->callers, &after->caller, left, now);
}

/* The first that may run, off the list; NULL: none. */
static struct px_after *take(struct px_after_queue *queue)
{
    uint64_t now = px_list_empty(&queue->held) ? 0 : px_clock_ns();

    queue->soon = false;
    px_list_for(struct px_after, after, &queue->held, link) {
        if (may_run(queue, after, now)) {
            px_list_remove(&after->link);
            return after;
        }
    }
    return NULL;
}

/* Each is looked for from the front: what runs may add to the list. */
bool px_after_run(struct px_after_queue *queue)
{
    struct px_after *after = queue->running ? NULL : take(queue);
    bool any = after != NULL;

    while (after) {
        queue->running = true;
        after->run(after);
        queue->running = false;
        after = take(queue);
    }
    return any;
}

static void done_run(struct px_task *task)
{
    px_after_done(px_container_of(task, struct px_after, task));
}

/* A thread's calls follow each other, so a later one never runs before an earlier one that is done:
 * when it may run, the earlier one may. A call that the loop's own thread makes in a callback is
 * held at least until that callback is over. */
void px_after_done(struct px_after *after)
{
    struct px_after_queue *queue = after->queue;

    if (!px_loop_inside(after->loop)) {
        after->task.run = done_run;
        px_loop_post(after->loop, &after->task);
        return;
    }
    px_assert(px_list_empty(&after->link));
    px_list_append(&queue->held, &after->link);
    queue->looks = 0;
    if (px_load_relaxed(&after->left) != 0 || queue->settled) {
        (void) px_after_run(queue);
    }
}

void px_after_return(struct px_after *after)
{
    px_assert(px_load_relaxed(&after->left) == 0);
    px_store_release(&after->left, px_clock_ns()); /* pairs with may_run */
}

void px_after_waits(pthread_t thread)
{
    struct px_after_queue *queue = px_loop_own_afters();

    if (queue && !queue->running && !px_list_empty(&queue->held)) {
        queue->waiter = &thread;
        (void) px_after_run(queue);
        queue->waiter = NULL;
    }
}

static void settle(void *arg)
{
    struct px_after_queue *queue = arg;

    queue->settled = true;
    (void) px_after_run(queue);
}

void px_after_settle(struct px_loop *loop)
{
    (void) px_loop_run(loop, settle, px_loop_afters(loop)); /* fails in a forked child only */
}

void px_after_queue_init(struct px_after_queue *queue)
{
    *queue = (struct px_after_queue){.looks = 0};
    px_list_init(&queue->held);
}

int px_after_pause(struct px_after_queue *queue)
{
    unsigned slept;

    if (px_list_empty(&queue->held)) {
        return -1;
    }
    if (queue->soon) {
        return 0;
    }
    queue->looks++;
    if (queue->looks <= TURNS) {
        return 0;
    }
    slept = queue->looks - TURNS - 1;
    return 1 << (slept < PAUSE_EXPONENT ? slept : PAUSE_EXPONENT);
}
