/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_FAMILY_H
#define PX_BENCH_FAMILY_H

#include <pmix.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"

/* A family of metrics is a program of a job that bench/job starts, on one node or several. All
 * ranks run it; rank 0 measures and prints. Public interface only. */

struct crew {
    pmix_proc_t self;
    uint32_t size; /* of the job */
    uint32_t nodes;
    int argc; /* what the family is given */
    char **argv;
};

/* Between PMIx_Init and PMIx_Finalize. False: an answer was wrong in this process, which the
 * family's figures must not survive: the program then ends with 1. */
typedef bool (*family_fn)(const struct crew *crew);

extern const char *family_program; /* its path, for families that start it again */

bool family_event(const struct crew *crew);
bool family_group(const struct crew *crew);
bool family_connect(const struct crew *crew);
bool family_connect_child(const struct crew *crew);
bool family_fence(const struct crew *crew);
bool family_allgather(const struct crew *crew);
bool family_publish(const struct crew *crew);
bool family_query(const struct crew *crew);
bool family_spawn_one(const struct crew *crew);
bool family_spawn_child(const struct crew *crew);
bool family_attach(const struct crew *crew);

/* ---- programs that are no processes of bench/job; each returns its exit code */

int family_tool(int argc, char **argv);
int family_write(int argc, char **argv);
int family_read(void);

/* ---- family.c: what they share */

/* Prints "metric NAME MEDIAN P99", or "metric NAME failed" unless valid and measured. */
void metric(const char *name, bool valid, struct samples *samples);
/* The same of one number. */
void metric_one(const char *name, bool valid, double value);

/* BENCH_CORRUPT_SENT, for a test of the benchmarks: what is sent is not what is expected. 1 then,
 * else 0. */
unsigned family_corrupts(void);
/* Of the whole job. */
bool crew_fence(bool collect);
unsigned crew_fences(void); /* how many of them this process has begun */
/* A process of our job, or of nspace. */
pmix_proc_t crew_proc(const struct crew *crew, pmix_rank_t rank);
/* Whether info has the key; its value, or NULL. */
const pmix_value_t *family_find(const pmix_info_t *info, size_t n, const char *key);

/* PMIx_Spawn of so many processes of this program, for that family. */
bool family_spawn(const char *family, const char *argument, int n, pmix_nspace_t ret_nspace);

/* A callback of an operation that this thread waits for. */
struct awaited {
    pmix_status_t status;
    bool over;
};
void family_done(pmix_status_t status, void *awaited);
pmix_status_t family_await(pmix_status_t started, struct awaited *awaited);

#endif
