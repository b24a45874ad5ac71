/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A blocking call and its completion: one semaphore, so that a sleep and its end are one system
 * call each. Its post is the last thing that the other side touches: a waiter that has got it
 * returns, and its stack frame goes. For the same reason the loop is woken before. */

#include "src/loop/wait.h"

#include <errno.h>
#include <stddef.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/loop/after.h"
#include "src/loop/loop.h"

void px_wait_init(struct px_wait *wait)
{
    (void) sem_init(&wait->over, 0, 0); /* cannot fail for a semaphore of one process */
    wait->thread = pthread_self();
    wait->status = 0;
    px_store_relaxed(&wait->done, 0);
    px_store_relaxed(&wait->loop, 0);
}

/* Either this sees the loop that the waiter has named, or the waiter sees `done` before it
 * sleeps. */
void px_wait_done(struct px_wait *wait, int status)
{
    struct px_loop *loop;

    px_assert(!px_wait_is_done(wait));
    wait->status = status;
    (void) px_cas(&wait->done, 0, 1);
    px_fence_behind(); /* pairs with px_wait_wakes */
    loop = (struct px_loop *) (uintptr_t) px_load_acquire(&wait->loop);
    if (loop && !pthread_equal(wait->thread, pthread_self())) {
        px_loop_wake(loop);
    }
    (void) sem_post(&wait->over);
}

void px_wait_answer(struct px_wait *wait, int status)
{
    px_after_waits(wait->thread);
    px_wait_done(wait, status);
}

int px_wait_for(struct px_wait *wait)
{
    px_assert(!px_load_relaxed(&wait->loop) ||
              !px_loop_inside((struct px_loop *) (uintptr_t) px_load_relaxed(&wait->loop)));
    while (sem_wait(&wait->over) != 0) {
        px_assert(errno == EINTR);
    }
    (void) sem_destroy(&wait->over);
    return wait->status;
}

void px_wait_wakes(struct px_wait *wait, struct px_loop *loop)
{
    (void) px_cas(&wait->loop, 0, (uint64_t) (uintptr_t) loop);
    px_fence_behind(); /* pairs with px_wait_done */
}

bool px_wait_is_done(struct px_wait *wait)
{
    return px_load_acquire(&wait->done) != 0;
}
