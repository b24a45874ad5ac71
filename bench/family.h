/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BENCH_FAMILY_H
#define PX_BENCH_FAMILY_H

#include <pmix.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"

/* A family is a set of metrics that one function measures. bench/job starts all ranks of a job, on
 * one node or several, with this program, and each calls the family's function; rank 0 measures and
 * prints. Only the public interface of PMIx is used. One thread, except for PMIx callbacks. */

/* The job as one of its processes sees it; constant, owned by family.c. */
struct crew {
    pmix_proc_t self;
    uint32_t size;  /* processes of the job */
    uint32_t nodes; /* nodes of the job */
    int argc;       /* arguments of the family, after its name */
    char **argv;
};

/* Runs between PMIx_Init and PMIx_Finalize. False if an answer was wrong in this process: the
 * program then exits with 1, and no figure of the run counts. */
typedef bool (*family_fn)(const struct crew *crew);

extern const char *family_program; /* path of this program, for families that start it again */

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
bool family_pull(const struct crew *crew);

/* ---- programs that run outside a job of bench/job; each returns its exit code */

int family_tool(int argc, char **argv);
int family_pull_tool(int argc, char **argv);
int family_write(int argc, char **argv);
int family_read(void);

/* ---- family.c: helpers of the families */

/* Prints "metric NAME MEDIAN P99"; "metric NAME failed" if not valid or without samples. Sorts the
 * samples. */
void metric(const char *name, bool valid, struct samples *samples);
/* The same for a single value, as median and as percentile. */
void metric_one(const char *name, bool valid, double value);

/* Returns 1 if BENCH_CORRUPT_SENT is in the environment, else 0. A family adds the result to a byte
 * that it sends or expects; with 1 its metrics have to fail, which bench/smoke.sh checks. */
unsigned family_corrupts(void);
/* A fence of the whole job, with PMIX_COLLECT_DATA as given. True on success. */
bool crew_fence(bool collect);
/* Calls of crew_fence in this process so far. */
unsigned crew_fences(void);
/* The process with that rank of the own job. */
pmix_proc_t crew_proc(const struct crew *crew, pmix_rank_t rank);
/* A uint32_t of a job; 0 if it is not found. */
uint32_t family_of_job(const char *nspace, const char *key);
/* The value of the first info with that key, borrowed; NULL if there is none. */
const pmix_value_t *family_find(const pmix_info_t *info, size_t n, const char *key);

/* PMIx_Spawn of n processes of this program as that family. argument: may be NULL. True on success;
 * ret_nspace is then their namespace. */
bool family_spawn(const char *family, const char *argument, int n, pmix_nspace_t ret_nspace);

/* Runs this program as a tool, with no variable of the job in its environment. arguments: in a
 * shell's words. True if it prints so many numbers and exits with 0. */
bool family_run_tool(const char *arguments, double *ret, unsigned n);

/* Waits for a non-blocking call: its callback data is a struct awaited of the calling thread,
 * zeroed before. */
struct awaited {
    pmix_status_t status; /* valid when over */
    bool over;            /* both under a lock of family.c */
};
/* The callback; in a thread of the library. */
void family_done(pmix_status_t status, void *awaited);
/* started: what the call returned. Blocks until the callback unless that status means that there is
 * none. Returns the final status; PMIX_OPERATION_SUCCEEDED becomes PMIX_SUCCESS. */
pmix_status_t family_await(pmix_status_t started, struct awaited *awaited);

#endif
