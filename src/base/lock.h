/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_LOCK_H
#define PX_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

/* A mutex that knows which thread holds it, so that a function whose name ends in _locked can
 * assert that its caller does. Not recursive. A forked child inherits the locks of its thread. */
struct px_lock {
    pthread_mutex_t mutex;
    uint64_t owner; /* atomic: pthread_self() of the holder, 0: free */
};

#define PX_LOCK_INIT                                                                               \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }

static inline void px_lock_init(struct px_lock *lock)
{
    (void) pthread_mutex_init(&lock->mutex, NULL); /* cannot fail on Linux without attributes */
    px_store_relaxed(&lock->owner, 0);
}

/* Whether the calling thread holds the lock. Any thread. */
static inline bool px_lock_held(const struct px_lock *lock)
{
    return px_load_relaxed(&lock->owner) == (uint64_t) (uintptr_t) pthread_self();
}

static inline void px_lock_take(struct px_lock *lock)
{
    px_assert(!px_lock_held(lock));
    (void) pthread_mutex_lock(&lock->mutex);
    px_store_relaxed(&lock->owner, (uint64_t) (uintptr_t) pthread_self());
}

static inline void px_lock_give(struct px_lock *lock)
{
    px_assert(px_lock_held(lock));
    px_store_relaxed(&lock->owner, 0);
    (void) pthread_mutex_unlock(&lock->mutex);
}

/* Nobody holds it any more. */
static inline void px_lock_fini(struct px_lock *lock)
{
    px_assert(px_load_relaxed(&lock->owner) == 0);
    (void) pthread_mutex_destroy(&lock->mutex);
}

#endif
