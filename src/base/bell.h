/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_BELL_H
#define PX_BASE_BELL_H

/* A bell: a descriptor that is readable from the first ring to the reset, for a thread that sleeps
 * in the kernel. Closed by its owner. */

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The descriptor, or -1: there is none left. */
static inline int px_bell_open(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* Any thread. A write that fails for a full counter is as good. */
static inline void px_bell_ring(int fd)
{
    uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR) {
    }
}

/* The thread that the bell wakes. A bell that has not been rung stays so. */
static inline void px_bell_reset(int fd)
{
    uint64_t n;

    while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR) {
    }
}

#endif
