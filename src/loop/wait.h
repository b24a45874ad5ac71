/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_WAIT_H
#define PX_LOOP_WAIT_H

#include <pthread.h>
#include <stdbool.h>

struct px_loop;

/* One blocking call waiting for one completion. Lives on the waiter's stack. */
struct px_wait {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool done;            /* lock */
    int status;           /* lock */
    struct px_loop *loop; /* lock: in which the waiter sleeps, or NULL */
};

void px_wait_init(struct px_wait *wait);

/* Any thread; the waiter may be gone as soon as this returns. */
void px_wait_done(struct px_wait *wait, int status);

/* Blocks until px_wait_done, releases the lock and condition, returns the status. Never call it on
 * a loop's thread: ask px_loop_inside() first and refuse with PMIX_ERR_WOULD_BLOCK. */
int px_wait_for(struct px_wait *wait);

/* For px_loop_wait: px_wait_done wakes this loop from now on. */
void px_wait_wakes(struct px_wait *wait, struct px_loop *loop);
bool px_wait_is_done(struct px_wait *wait);

#endif
