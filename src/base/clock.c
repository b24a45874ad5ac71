/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The clock of timers and deadlines. */

#include "src/base/clock.h"

#include <time.h>

uint64_t px_clock_ns(void)
{
    struct timespec now = {0};

    (void) clock_gettime(CLOCK_MONOTONIC,
                         &now); /* cannot fail with this clock and a valid pointer */
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}
