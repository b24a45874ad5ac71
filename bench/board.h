/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_BOARD_H
#define PX_BENCH_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Shared memory of all processes of a benchmark's job, hosts and clients, beside any library: times
 * that one process takes and another one needs, and a count of those who have arrived. All times
 * are of CLOCK_MONOTONIC, which the processes share. */

enum stamp {
    STAMP_ENTERED,  /* the last process called */
    STAMP_UPCALL,   /* the last host was asked */
    STAMP_ANSWERED, /* the last host answered */
    STAMP_ARRIVED,  /* the last process received */
    STAMPS
};

/* The host, before it starts anybody: makes the board, which children inherit. */
void board_make(void);
/* A child: maps it. False if there is none, which is said on standard error. */
bool board_open(void);

/* Keeps the latest of all times that are given. Without a board nothing happens. */
void board_stamp(enum stamp which);
uint64_t board_time(enum stamp which);
/* One process; nobody else uses the board meanwhile. */
void board_reset(unsigned expected);
/* Stamps STAMP_ARRIVED, counts, and wakes whoever waits if all who are expected have arrived. */
void board_arrive(void);
/* Waits for them. False: not all came within the seconds. */
bool board_wait(unsigned seconds);

/* Bytes that all hosts together were given for the nth fence of the job (from 0), of the first
 * BOARD_FENCES. */
enum { BOARD_FENCES = 1024 };
void board_count_fence(unsigned nth, uint64_t bytes);
uint64_t board_fence_bytes(unsigned nth);

#endif
