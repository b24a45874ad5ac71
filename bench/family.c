/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* usage: job NODES PER_NODE family NAME [ARGUMENT...]   a process of bench/job
 *        family nothing|tool|pull-tool|write|read [ARGUMENT...]   a process of its own; see
 * run_apart */

#include "family.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"

static const struct {
    const char *name;
    family_fn run;
} families[] = {
    {"event", family_event},     {"group", family_group},
    {"connect", family_connect}, {"connect-child", family_connect_child},
    {"fence", family_fence},     {"allgather", family_allgather},
    {"publish", family_publish}, {"query", family_query},
    {"spawn", family_spawn_one}, {"spawn-child", family_spawn_child},
    {"attach", family_attach},   {"pull", family_pull},
};

const char *family_program;

void metric(const char *name, bool valid, struct samples *samples)
{
    if (valid && samples->n) {
        double median = sample_median(samples);

        printf("metric %s %.1f %.1f\n", name, median, sample_p99(samples));
    } else {
        printf("metric %s failed\n", name);
    }
    fflush(stdout);
}

void metric_one(const char *name, bool valid, double value)
{
    struct samples one = {.n = 0};

    sample_add(&one, value);
    metric(name, valid, &one);
}

unsigned family_corrupts(void)
{
    return getenv("BENCH_CORRUPT_SENT") != NULL;
}

static unsigned n_fences;

unsigned crew_fences(void)
{
    return n_fences;
}

bool crew_fence(bool collect)
{
    pmix_info_t info;
    pmix_status_t rc;

    n_fences++;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    rc = PMIx_Fence(NULL, 0, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return rc == PMIX_SUCCESS;
}

pmix_proc_t crew_proc(const struct crew *crew, pmix_rank_t rank)
{
    pmix_proc_t proc = crew->self;

    proc.rank = rank;
    return proc;
}

const pmix_value_t *family_find(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (!strncmp(info[i].key, key, PMIX_MAX_KEYLEN)) {
            return &info[i].value;
        }
    }
    return NULL;
}

bool family_spawn(const char *family, const char *argument, int n, pmix_nspace_t ret_nspace)
{
    pmix_app_t app;
    pmix_status_t rc = PMIX_SUCCESS;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup(family_program);
    app.maxprocs = n;
    PMIX_ARGV_APPEND(rc, app.argv, family_program);
    PMIX_ARGV_APPEND(rc, app.argv, family);
    if (argument) {
        PMIX_ARGV_APPEND(rc, app.argv, argument);
    }
    rc = rc == PMIX_SUCCESS ? PMIx_Spawn(NULL, 0, &app, 1, ret_nspace) : rc;
    PMIX_APP_DESTRUCT(&app);
    return rc == PMIX_SUCCESS;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

void family_done(pmix_status_t status, void *awaited)
{
    struct awaited *a = awaited;

    pthread_mutex_lock(&lock);
    a->status = status;
    a->over = true;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
}

pmix_status_t family_await(pmix_status_t started, struct awaited *awaited)
{
    if (started != PMIX_SUCCESS) {
        return started == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : started;
    }
    pthread_mutex_lock(&lock);
    while (!awaited->over) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
    return awaited->status;
}

uint32_t family_of_job(const char *nspace, const char *key)
{
    pmix_proc_t job;
    pmix_value_t *value = NULL;
    uint32_t n = 0;

    PMIX_LOAD_PROCID(&job, nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&job, key, NULL, 0, &value) == PMIX_SUCCESS && value) {
        n = value->data.uint32;
        PMIX_VALUE_RELEASE(value);
    }
    return n;
}

static int run(family_fn fn, int argc, char **argv)
{
    struct crew crew = {.argc = argc, .argv = argv};
    bool good;

    if (!board_open() || PMIx_Init(&crew.self, NULL, 0) != PMIX_SUCCESS) {
        fprintf(stderr, "family: init failed\n");
        return 70;
    }
    crew.size = family_of_job(crew.self.nspace, PMIX_JOB_SIZE);
    crew.nodes = family_of_job(crew.self.nspace, PMIX_NUM_NODES);
    good = crew.size && fn(&crew);
    good &= PMIx_Finalize(NULL, 0) == PMIX_SUCCESS;
    return good ? 0 : 1;
}

/* Runs a program that is not a process of a job. Returns its exit code; -1: no such name. */
static int run_apart(const char *name, int argc, char **argv)
{
    if (!strcmp(name, "nothing")) { /* to measure the start of the program alone */
        return 0;
    }
    if (!strcmp(name, "tool")) {
        return family_tool(argc, argv);
    }
    if (!strcmp(name, "pull-tool")) {
        return family_pull_tool(argc, argv);
    }
    if (!strcmp(name, "write")) {
        return family_write(argc, argv);
    }
    return strcmp(name, "read") ? -1 : family_read();
}

int main(int argc, char **argv)
{
    static char path[4096];
    int apart;

    if (readlink("/proc/self/exe", path, sizeof(path) - 1) > 0) {
        family_program = path;
    }
    apart = argc > 1 ? run_apart(argv[1], argc - 2, argv + 2) : -1;
    if (apart >= 0) {
        return apart;
    }
    for (size_t f = 0; argc > 1 && f < sizeof(families) / sizeof(families[0]); f++) {
        if (!strcmp(families[f].name, argv[1])) {
            return run(families[f].run, argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "usage: job NODES PER_NODE family NAME [ARGUMENT...]\n");
    return 2;
}
