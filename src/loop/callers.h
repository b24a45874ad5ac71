/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_LOOP_CALLERS_H
#define PX_LOOP_CALLERS_H

/* Tells whether a thread has returned from a call of the library whose last store is known: whether
 * it has executed anything behind it since. Time alone does not tell that, because the thread may
 * have lost its processor there. The kernel is asked: the thread has returned if it has used
 * PX_CALLER_RUN_NS of processor time since, many times what the rest of the call takes, or is
 * asleep in a system call, since the rest of the call makes none. Where the kernel does not show
 * system calls of threads (/proc/self/task/TID/syscall), a caller is taken to have returned. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Processor time, in nanoseconds, that proves the return. */
enum { PX_CALLER_RUN_NS = 10000 };

/* Number of threads about which something is remembered; others are asked about again. */
enum { PX_CALLERS = 16 };

/* A thread that calls. */
struct px_caller {
    uint64_t tid;    /* its kernel id */
    clockid_t clock; /* of its processor time */
};

/* What is known of threads, by their kernel id. Owned by a loop; its thread. */
struct px_callers {
    struct px_caller_state {
        uint64_t tid;
        uint64_t out;    /* it has returned from all calls whose last store was not later */
        uint64_t looked; /* when it was asked about last (px_clock_ns) */
        uint64_t since;  /* when `ran` was read; 0: not yet */
        uint64_t ran;    /* its processor time then */
    } at[PX_CALLERS];
};

/* The calling thread. No system call, for a thread that has a slot of px_reader_join of its own. */
struct px_caller px_caller_self(void);

/* True if the caller has returned from a call whose last store was at `left`, and was seen by the
 * loop's thread before `now` (both px_clock_ns). Asks the kernel about a thread once for one `now`.
 * A thread that has ended has returned. Never waits. Loop thread. */
bool px_callers_returned(struct px_callers *callers, const struct px_caller *caller, uint64_t left,
                         uint64_t now);

#endif
