/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_FUZZ_FUZZ_CLOCK_H
#define PX_TEST_FUZZ_FUZZ_CLOCK_H

#include <stdint.h>

/* The clock of a target, in place of the library's: time limits end because an input says so. It
 * goes as the machine's clock until it is told otherwise. Linked with --wrap for px_clock_ns and
 * epoll_wait. Any thread. */

/* The clock is that of the machine again. No other thread may read it meanwhile. */
void fuzz_clock_reset(void);
/* Moves it on at once. A loop that sleeps does not notice. */
void fuzz_clock_pass(uint64_t ms);
/* From now on each reading moves the clock on by so much, so that a short time limit has passed
 * when the code looks. */
void fuzz_clock_tick(uint64_t us);
/* From now on the clock runs so many times as fast as the machine's, and a loop waits for a timer
 * by this clock. Only after fuzz_clock_reset. */
void fuzz_clock_speed(unsigned times);

#endif
