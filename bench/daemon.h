/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_DAEMON_H
#define PX_BENCH_DAEMON_H

#include <stdint.h>
#include <sys/types.h>

#include "src/host/host.h"

/* What the hosts of the benchmarks have in common: a daemon without a network, which answers a
 * fence with what it was given. What goes wrong ends the program with a message. */

/* Makes what a fence gives back of what it was given, which may be nothing; the result is malloc'd,
 * or NULL for nothing. In the library's thread. */
typedef char *(*fence_fn)(const char *data, size_t len, size_t *ret_len);

/* hostname: NULL for the machine's. change: NULL when data go back as they came. */
void daemon_init(const char *hostname, fence_fn change);
/* The same with the caller's answers to upcalls, and its attributes. */
void daemon_start(const struct px_host *host, pmix_info_t *info, size_t ninfo);
void daemon_fini(const char *nspace);
void daemon_deregister(const char *nspace);
void daemon_register_job(const char *nspace, int n_local, pmix_info_t *info, size_t ninfo);
void daemon_register_client(const char *nspace, pmix_rank_t rank);

/* Starts argv as that process; its standard input and output are the given descriptors, -1: the
 * daemon's own. */
pid_t daemon_spawn(const char *nspace, pmix_rank_t rank, char *const argv[], int in, int out);
/* Processor time of all calls of posix_spawn by daemon_spawn so far. */
uint64_t daemon_spawn_cpu_ns(void);

/* BENCH_CORRUPT, for a test of the benchmarks themselves: hosts register and peers post other
 * values than clients expect. 1 then, else 0. */
unsigned daemon_corrupts(void);

int daemon_wait(pid_t pid); /* 0: it ended well */

#endif
