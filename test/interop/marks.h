/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef TEST_INTEROP_MARKS_H
#define TEST_INTEROP_MARKS_H

#include <pthread.h>
#include <stdbool.h>

/* Flags that callbacks set in a thread of the library, and the main thread waits for. Each is read
 * and written under marks_lock. */

static pthread_mutex_t marks_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t marks_changed = PTHREAD_COND_INITIALIZER;

static inline void mark(bool *flag)
{
    pthread_mutex_lock(&marks_lock);
    *flag = true;
    pthread_cond_broadcast(&marks_changed);
    pthread_mutex_unlock(&marks_lock);
}

static inline void await(const bool *flag)
{
    pthread_mutex_lock(&marks_lock);
    while (!*flag) {
        pthread_cond_wait(&marks_changed, &marks_lock);
    }
    pthread_mutex_unlock(&marks_lock);
}

#endif
