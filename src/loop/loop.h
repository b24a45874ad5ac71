/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_LOOP_H
#define PX_LOOP_LOOP_H

/* The loop: one thread at a time runs tasks, timers and watchers of descriptors. Tasks may be
 * posted from any thread; everything else happens on the loop's thread (names end in _loop).
 *
 * A loop has a thread of its own, the progress thread. While that sleeps another thread may be the
 * loop's for a moment: for a function (px_loop_try_run), or to handle what comes on the connection
 * on which it waits for a reply (loan.h). Or a loop is driven externally: then the application's
 * calls run its rounds (PMIx_Progress, and each blocking call while it waits). After fork() the
 * child has no progress thread: px_loop_alive() is false there. */

#include <stdbool.h>

#include "src/loop/watch.h"

struct px_after_queue;
struct px_loop;
struct px_poll;
struct px_wait;

/* A unit of work, embedded in the request that owns it. The loop does not touch it after it has
 * called run(), which may free it. Do not post a task again before it has run: it has one place in
 * the queue. */
struct px_task {
    struct px_task *next;
    void (*run)(struct px_task *task);
};

/* Makes a loop. external: no thread is started; px_loop_progress() and px_loop_wait() drive it. Any
 * thread. 0, PX_ERR_NOMEM, or PX_ERR_OUT_OF_RESOURCE (no descriptors, or no thread). */
int px_loop_create(bool external, struct px_loop **ret_loop);

/* Runs the tasks that are queued, ends the thread, frees the loop; timers and watchers must have
 * been stopped. Not on the loop's own thread. Takes NULL. In a forked child nothing is done or
 * freed. */
void px_loop_destroy(struct px_loop *loop);

/* Queues a task; the loop runs tasks in the order in which they were posted. Any thread, never
 * fails, never blocks. In a forked child the task never runs. */
void px_loop_post(struct px_loop *loop, struct px_task *task);

/* Runs fn as the loop's thread, behind the tasks that are queued, and returns when it has run; in
 * the calling thread if that is the loop's, or px_loop_try_run may. An externally driven loop is
 * driven by the caller meanwhile. 0, or PX_ERR_UNREACH in a forked child (fn is not called). */
int px_loop_run(struct px_loop *loop, void (*fn)(void *arg), void *arg);

/* Runs fn at once in the calling thread, which is the loop's thread meanwhile, if the loop has a
 * thread of its own that sleeps, and no task is queued; otherwise false. Never blocks. Not in a
 * forked child. */
bool px_loop_try_run(struct px_loop *loop, void (*fn)(void *arg), void *arg);

/* True on the thread that runs the loop, hence in every callback of it. */
bool px_loop_inside(const struct px_loop *loop);

/* True in the process that created the loop, false in a child that it has forked: there is no
 * progress thread there, and the sockets are the parent's. */
bool px_loop_alive(const struct px_loop *loop);

/* Runs one round of an externally driven loop without sleeping: PMIx_Progress. Does nothing if the
 * loop has its own thread, if another thread is driving it, or in a callback of it. */
void px_loop_progress(struct px_loop *loop);

/* Waits for the completion as px_wait_for, which it includes; the caller drives an externally
 * driven loop meanwhile, and sleeps in it when there is nothing to do; of another loop it may
 * borrow the watcher that the loop offers (loan.h). Several threads may wait at once. Not on the
 * loop's own thread. Returns the status of px_wait_done. */
int px_loop_wait(struct px_loop *loop, struct px_wait *wait);

/* Ends the present sleep, or the next one, of a thread that px_loop_wait has sleep elsewhere than
 * in px_wait_for. Any thread. */
void px_loop_wake(struct px_loop *loop);

/* --- for src/loop --- */

/* True if the calling thread may use what the loop sleeps on: it runs the loop, or no thread
 * does. */
bool px_loop_may_touch(const struct px_loop *loop);

/* What the loop sleeps on. The thread that px_loop_may_touch allows. */
struct px_poll *px_loop_poll(struct px_loop *loop);

/* Makes the calling thread the one that runs the loop. False: the loop has no thread of its own, or
 * the calling thread runs a loop already. Without `wait` also: the loop does not sleep, another
 * thread is inside, or a task is queued; so all tasks have run that the calling thread had posted.
 * Otherwise px_loop_leave has to follow. */
bool px_loop_enter(struct px_loop *loop, bool wait);

/* Runs the tasks that are queued, and those that they queue, up to a bound. Between px_loop_enter
 * and px_loop_leave. */
void px_loop_run_queued(struct px_loop *loop);

/* The end of px_loop_enter. Wakes the progress thread for tasks, timers and held callbacks that
 * came up meanwhile. */
void px_loop_leave(struct px_loop *loop);

/* What the loop holds for calls that have not returned. Any thread may ask for it. */
struct px_after_queue *px_loop_afters(struct px_loop *loop);

/* The same of the loop whose thread this is; NULL: of none. */
struct px_after_queue *px_loop_own_afters(void);

#endif
