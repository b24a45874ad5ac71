/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server of two clients that make N groups, whose members want to be told of each other's end.
 * Then one of them ends. The other waits until it has been told for each group; without arguments
 * it has begun to take every second one apart before, and waits for that, too. The server's thread
 * has a small stack, whatever the number of groups. */

#include <pmix.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pair.h"

enum { STACK = 256 * 1024, MANY = 2000 };

/* ---- the clients */

static sem_t told;

static void on_failed(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t *info,
                      size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    sem_post(&told);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void on_destruct(pmix_status_t status, void *cbdata)
{
    (void) cbdata;
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "destruct: %s\n", PMIx_Error_string(status));
        exit(1);
    }
    sem_post(&told);
}

static const char *name_of(unsigned number)
{
    static char name[32];

    snprintf(name, sizeof(name), "group-%u", number);
    return name;
}

static bool make_group(unsigned number)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    pmix_status_t rc;
    pmix_info_t flag;
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, PAIR_JOB, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&flag, PMIX_GROUP_NOTIFY_TERMINATION, NULL, PMIX_BOOL);
    rc = PMIx_Group_construct(name_of(number), &all, 1, &flag, 1, &results, &n_results);
    PMIX_INFO_FREE(results, n_results);
    return rc == PMIX_SUCCESS;
}

static int be_client(unsigned n, bool destructs)
{
    unsigned ends = destructs ? n / 2 : 0;
    pmix_status_t failed = PMIX_GROUP_MEMBER_FAILED;
    pmix_proc_t self;

    sem_init(&told, 0, 0);
    if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS ||
        PMIx_Register_event_handler(&failed, 1, NULL, 0, on_failed, NULL, NULL) < 0) {
        return 1;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!make_group(i)) {
            return 1;
        }
    }
    for (unsigned i = 0; self.rank > 0 && i < ends; i++) {
        if (PMIx_Group_destruct_nb(name_of(2 * i), NULL, 0, on_destruct, NULL) != PMIX_SUCCESS) {
            return 1;
        }
    }
    if (PMIx_Fence(NULL, 0, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    if (self.rank == 0) {
        _exit(0); /* without PMIx_Finalize */
    }
    for (unsigned i = 0; i < n + ends; i++) {
        while (sem_wait(&told) != 0) {
        }
    }
    return PMIx_Finalize(NULL, 0) != PMIX_SUCCESS;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 0) : MANY;
    pthread_attr_t small;

    alarm(PAIR_SECONDS);
    if (getenv("PMIX_RANK")) {
        return be_client(n, argc == 1);
    }
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    pthread_setattr_default_np(&small);
    pthread_attr_destroy(&small);
    return pair_serve(argv);
}
