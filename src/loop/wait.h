/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_WAIT_H
#define PX_LOOP_WAIT_H

/* A blocking call that waits for its completion in another thread: init, hand the request over,
 * wait; the other side calls done once. The object lives on the waiter's stack. */

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

struct px_loop;

/* One blocking call. Owned by the waiter until px_wait_for returns; the other side uses it only
 * through px_wait_done. */
struct px_wait {
    sem_t over;       /* posted once, by px_wait_done */
    pthread_t thread; /* the waiter's */
    int status;       /* written before `done` and `over` */
    uint64_t done;    /* atomic: 1 when px_wait_done has been called */
    uint64_t loop;    /* atomic: struct px_loop *, which the waiter drives and sleeps in, or 0 */
};

/* Prepares the object, in the thread that is going to wait; px_wait_for releases what it takes. */
void px_wait_init(struct px_wait *wait);

/* Ends the wait with `status`. Any thread, once. The waiter may have returned, and the object be
 * gone, before this returns: do not touch it afterwards. */
void px_wait_done(struct px_wait *wait, int status);

/* The same for the answer to a call of the application: before that, callbacks of the waiter's
 * earlier calls that are held (after.h) are run. */
void px_wait_answer(struct px_wait *wait, int status);

/* Blocks until px_wait_done, destroys the semaphore, returns the status. Never on a loop's
 * own thread, which would wait for itself: check px_loop_inside() first and refuse with
 * PMIX_ERR_WOULD_BLOCK. For a loop that may be driven externally, use px_loop_wait. */
int px_wait_for(struct px_wait *wait);

/* For px_loop_wait: from now on px_wait_done in another thread also calls px_loop_wake for this
 * loop. Called by the waiter. */
void px_wait_wakes(struct px_wait *wait, struct px_loop *loop);

/* True if px_wait_done has been called. Any thread that may still use the object. */
bool px_wait_is_done(struct px_wait *wait);

#endif
