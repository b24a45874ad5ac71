/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A blocking call and its completion. The condition is signalled while the lock is held: a waiter
 * that sees `done` returns and its stack frame goes, so the last thing that the other side touches
 * is the lock that it releases. For the same reason the loop is woken under the lock. */

#include "src/loop/wait.h"

#include <stddef.h>

#include "src/base/assert.h"
#include "src/loop/loop.h"

void px_wait_init(struct px_wait *wait)
{
    (void) pthread_mutex_init(&wait->lock, NULL); /* neither can fail on Linux without attributes */
    (void) pthread_cond_init(&wait->cond, NULL);
    wait->done = false;
    wait->status = 0;
    wait->loop = NULL;
}

/* The waiter cannot leave px_wait_for or px_wait_is_done before the unlock at the end. */
void px_wait_done(struct px_wait *wait, int status)
{
    px_assert(!wait->done);
    (void) pthread_mutex_lock(&wait->lock);
    wait->done = true;
    wait->status = status;
    (void) pthread_cond_signal(&wait->cond);
    if (wait->loop) {
        px_loop_wake(wait->loop);
    }
    (void) pthread_mutex_unlock(&wait->lock);
}

int px_wait_for(struct px_wait *wait)
{
    int status;

    px_assert(!wait->loop || !px_loop_inside(wait->loop));
    (void) pthread_mutex_lock(&wait->lock);
    while (!wait->done) {
        (void) pthread_cond_wait(&wait->cond, &wait->lock);
    }
    status = wait->status;
    (void) pthread_mutex_unlock(&wait->lock);
    (void) pthread_cond_destroy(&wait->cond);
    (void) pthread_mutex_destroy(&wait->lock);
    return status;
}

void px_wait_wakes(struct px_wait *wait, struct px_loop *loop)
{
    (void) pthread_mutex_lock(&wait->lock);
    wait->loop = loop;
    (void) pthread_mutex_unlock(&wait->lock);
}

bool px_wait_is_done(struct px_wait *wait)
{
    bool done;

    (void) pthread_mutex_lock(&wait->lock);
    done = wait->done;
    (void) pthread_mutex_unlock(&wait->lock);
    return done;
}
