/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_WAITS_H
#define PX_BENCH_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a client's call may have waited for, in ns since its processes began: */
struct waits {
    uint64_t work;   /* processor time of the server's process */
    uint64_t server; /* the server's progress thread was ready to run, and had no CPU */
    uint64_t self;   /* threads of the caller's process were ready to run, and had no CPU */
};

/* Opens what waits_now reads: of a server that has started, and of the threads that the caller's
 * process has now. False: the kernel does not say. */
bool waits_open(pid_t server);

/* The sums at this moment. */
struct waits waits_now(void);

/* The difference of two sums. */
struct waits waits_between(struct waits before, struct waits after);

#endif
