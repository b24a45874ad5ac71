/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LOCK_H
#define PX_BASE_LOCK_H

/* A mutex that knows which thread holds it, so that a function whose name ends in _locked can
 * assert that its caller does. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

/* Embedded in the object that it guards. Not recursive. A forked child inherits the locks that the
 * forking thread held. */
struct px_lock {
    pthread_mutex_t mutex;
    uint64_t owner; /* atomic: pthread_self() of the holder, 0: free */
};

/* Initializer of a lock with static storage. */
#define PX_LOCK_INIT                                                                               \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }

static inline void px_lock_init(struct px_lock *lock)
{
    (void) pthread_mutex_init(&lock->mutex, NULL); /* cannot fail on Linux without attributes */
    px_store_relaxed(&lock->owner, 0);
}

/* True if the calling thread holds the lock. Any thread. */
static inline bool px_lock_held(const struct px_lock *lock)
{
    return px_load_relaxed(&lock->owner) == (uint64_t) (uintptr_t) pthread_self();
}

/* Blocks until the lock is free. The calling thread must not hold it already. */
static inline void px_lock_take(struct px_lock *lock)
{
    px_assert(!px_lock_held(lock));
    (void) pthread_mutex_lock(&lock->mutex);
    px_store_relaxed(&lock->owner, (uint64_t) (uintptr_t) pthread_self());
}

/* Releases the lock; by the thread that took it. */
static inline void px_lock_give(struct px_lock *lock)
{
    px_assert(px_lock_held(lock));
    px_store_relaxed(&lock->owner, 0);
    (void) pthread_mutex_unlock(&lock->mutex);
}

/* Destroys a lock that no thread holds or waits for. */
static inline void px_lock_fini(struct px_lock *lock)
{
    px_assert(px_load_relaxed(&lock->owner) == 0);
    (void) pthread_mutex_destroy(&lock->mutex);
}

#endif
