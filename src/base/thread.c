/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "thread.h"

#include <signal.h>

/* A thread begins with the signal mask of the one that creates it. */
int px_thread_start(void *(*run)(void *arg), void *arg, pthread_t *ret_thread)
{
    sigset_t all;
    sigset_t before;
    int rc;

    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_BLOCK, &all, &before);
    rc = pthread_create(ret_thread, NULL, run, arg);
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}
