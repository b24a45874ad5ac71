/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_THREAD_H
#define PX_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that calls run(arg), with all signals blocked: signals are the application's and
 * go to its own threads. Returns 0 and sets *ret_thread, which the caller joins; otherwise the
 * error number of pthread_create(3), and *ret_thread is undefined. The signal mask of the calling
 * thread is the same afterwards. Any thread. */
int px_thread_start(void *(*run)(void *arg), void *arg, pthread_t *ret_thread);

#endif
