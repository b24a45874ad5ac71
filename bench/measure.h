/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_MEASURE_H
#define PX_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Samples of one metric; the median is what is reported. */
enum { SAMPLES_MAX = 1024 };

struct samples {
    double ns[SAMPLES_MAX];
    size_t n;
};

uint64_t now_ns(void);
uint64_t cpu_ns(void);        /* of the process, all threads */
uint64_t thread_cpu_ns(void); /* of the calling thread */
void sample_add(struct samples *samples, double ns);
double sample_median(struct samples *samples); /* sorts; NAN when empty */
double sample_p99(struct samples *samples);    /* the same; what 1 of 100 is above */

/* A process's memory, of /proc/PID/smaps: what is resident of shared mappings, what is resident of
 * all others, what no other process has, and its share of all. */
struct memory {
    long rss_kb;
    long shared_kb;
    long private_kb;
    long pss_kb;
};
struct memory memory_of(pid_t pid);

/* Directives of PMIx_IOF_pull by which a tool tells the host of bench/job what to deliver as
 * standard output of rank 0: so many lines of so many bytes (PMIX_SIZE). */
#define BENCH_LINE  "bench.line"
#define BENCH_LINES "bench.lines"

/* Fills a line of len bytes, more than NUMBERED_HEAD: rank and number, filling, and '\n'. */
enum { NUMBERED_HEAD = 13 };
void numbered_line(char *line, size_t len, unsigned rank, unsigned number);

/* BENCH_QUICK: few repetitions, for a test of the benchmark itself. At least 2. */
unsigned scaled(unsigned n);

/* Keeps this process and its threads on one CPU, as the method asks (README.md). */
void pin(int cpu);

/* The job that the host registers and the client expects. */
enum {
    LOCAL_CLIENTS = 2,
    FULL_NODE = 128, /* ranks of each node but the first and the last */
    LAST_NODE = 9,
    JOB_NODES = 9,
    JOB_RANKS = LOCAL_CLIENTS + (JOB_NODES - 2) * FULL_NODE + LAST_NODE,
    INIT_CLIENTS = 9
};
#define JOB_NSPACE "bench-job"
#define JOB_ID     "bench.1"

/* Rank to node: the first LOCAL_CLIENTS ranks are here, the rest in blocks on the other nodes. */
unsigned node_of(unsigned rank);
unsigned local_rank_of(unsigned rank);
void node_name(unsigned node, char *ret, size_t room);

int run_host(char *self, const char *const *wrapper);
int run_client(void);
int run_init_client(void);
int run_floor(void);

#endif
