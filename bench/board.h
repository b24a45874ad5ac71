/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_BOARD_H
#define PX_BENCH_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One mapping (a memfd) that all hosts and clients of a benchmark's job share, independent of the
 * library that is measured: time stamps that one process sets and another reads, a counter of
 * arrivals, and what hosts saw of fences. Times are CLOCK_MONOTONIC in ns. All fields are atomic:
 * any process and thread may call these functions, unless stated. */

enum stamp {
    STAMP_ENTERED, /* the last process calls */
    STAMP_ARRIVED, /* the last process receives the result */
    STAMP_ENOUGH,  /* no further round: rank 0 has measured for as long as it may, or one has read
                      something wrong */
    STAMPS
};

/* Creates the board and puts its descriptor into the environment, for the children. Called by
 * bench/job before it starts the first one. On failure: message and exit code 70. */
void board_make(void);
/* Maps the inherited board, in a client. Without one: message on standard error, false. The
 * functions that read need a board; board_stamp and board_fence_* of hosts do nothing without one.
 */
bool board_open(void);

/* Sets the stamp to the current time if that is later: the last process to call wins. */
void board_stamp(enum stamp which);
uint64_t board_time(enum stamp which); /* 0: not set since board_reset */
/* Clears the stamps and expects so many arrivals. No other process may use the board meanwhile. */
void board_reset(unsigned expected);
/* Sets STAMP_ARRIVED and counts one arrival; the last expected one wakes board_wait. */
void board_arrive(void);
/* Blocks until all expected arrivals are counted. False: some are missing after `seconds`. One
 * thread of one process. */
bool board_wait(unsigned seconds);

/* What the hosts saw of one fence of the job: the bytes that all of them together were given, when
 * the last of them was asked, and when rank 0's answered. Zeros: no host was asked. */
struct board_fence {
    uint64_t bytes;
    uint64_t asked;
    uint64_t answered;
};

/* A host, of the job's nth fence (from 0); only the first BOARD_FENCES are kept. answered: the host
 * of rank 0 only. */
enum { BOARD_FENCES = 1024 };
void board_fence_asked(unsigned nth, uint64_t bytes);
void board_fence_answered(unsigned nth);
struct board_fence board_fence(unsigned nth);

#endif
