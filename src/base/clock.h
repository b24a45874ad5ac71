/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_CLOCK_H
#define PX_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic time in nanoseconds, for deadlines and intervals; unrelated to the wall clock. Any
 * thread. */
uint64_t px_clock_ns(void);

#endif
