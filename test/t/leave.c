/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that finalizes while its threads read, ask and wait, again and again. Each thread calls
 * until it is told PMIX_ERR_INIT; nothing may crash, hang, or be answered with nonsense. For the
 * thread sanitizer and for everybody. usage: leave [ROUNDS] */

#include <pmix.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, THREADS = 2 * KINDS };

static unsigned rounds = 30;
static atomic_uint failures;
static atomic_uint under_way; /* threads that have made a call in this round */
static pmix_proc_t me;

static pmix_status_t get(pmix_rank_t rank, const char *key, const pmix_info_t *info, size_t ninfo)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, me.nspace, rank);
    rc = PMIx_Get(&proc, key, info, ninfo, &value);
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(value, 1);
    }
    return rc;
}

static pmix_status_t read_number(void)
{
    return get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0);
}

static pmix_status_t read_text(void)
{
    return get(PMIX_RANK_WILDCARD, PMIX_NSDIR, NULL, 0);
}

static pmix_status_t read_optional(void)
{
    pmix_info_t info;
    pmix_status_t rc;

    PMIx_Info_load(&info, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    rc = get(0, "leave.nobody.posts.this", &info, 1);
    PMIx_Info_destruct(&info);
    return rc;
}

/* Asks the server, which waits for the process to post it: until the end. */
static pmix_status_t wait_for_value(void)
{
    return get(0, "leave.nobody.posts.that", NULL, 0);
}

static pmix_status_t resolve(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    pmix_status_t rc = PMIx_Resolve_peers(NULL, me.nspace, &procs, &n);

    if (rc == PMIX_SUCCESS) {
        PMIx_Proc_free(procs, n);
    }
    return rc;
}

static pmix_status_t post(void)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    pmix_status_t rc = PMIx_Put(PMIX_GLOBAL, "leave.posted", &value);

    return rc == PMIX_SUCCESS ? PMIx_Commit() : rc;
}

static pmix_status_t (*const calls[KINDS])(void) = {read_number,    read_text, read_optional,
                                                    wait_for_value, resolve,   post};

static bool expected(pmix_status_t rc)
{
    return rc == PMIX_SUCCESS || rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_LOST_CONNECTION ||
           rc == PMIX_ERR_UNREACH || rc == PMIX_ERR_INIT;
}

static void *work(void *arg)
{
    pmix_status_t (*call)(void) = calls[(size_t) arg % KINDS];
    bool waits = call == wait_for_value; /* its first call may not return before the end */
    bool counted = false;
    pmix_status_t rc;

    do {
        if (waits && !counted) {
            counted = true;
            under_way++;
        }
        rc = call();
        if (!expected(rc)) {
            fprintf(stderr, "leave: thread %zu: %s\n", (size_t) arg, PMIx_Error_string(rc));
            failures++;
        }
        if (!counted) {
            counted = true;
            under_way++;
        }
    } while (rc != PMIX_ERR_INIT);
    return NULL;
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "leave: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static void play(void)
{
    pthread_t threads[THREADS];

    under_way = 0;
    check(PMIx_Init(&me, NULL, 0), "init");
    for (size_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *) i)) {
            fprintf(stderr, "leave: no thread\n");
            exit(1);
        }
    }
    while (under_way < THREADS) {
        PMIx_Progress();
    }
    check(PMIx_Finalize(NULL, 0), "finalize");
    for (size_t i = 0; i < THREADS; i++) {
        (void) pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : rounds;
    for (unsigned i = 0; i < rounds; i++) {
        play();
    }
    return failures == 0 ? 0 : 1;
}
