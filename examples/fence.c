/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: waiting for each other, with and without exchange of data, for all and for some.
 *
 *     pmixrun -n 4 examples/fence
 */

#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "fence: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

static uint32_t job_size(const pmix_proc_t *me)
{
    pmix_proc_t job;
    pmix_value_t *value;

    PMIX_LOAD_PROCID(&job, me->nspace, PMIX_RANK_WILDCARD);
    check(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value), "get the size");
    uint32_t size = value->data.uint32;
    PMIx_Value_free(value, 1);
    return size;
}

static void post(uint32_t round)
{
    pmix_value_t value;

    check(PMIx_Value_load(&value, &round, PMIX_UINT32), "load");
    check(PMIx_Put(PMIX_GLOBAL, "example.round", &value), "put");
    check(PMIx_Commit(), "commit");
}

/* After a fence with PMIX_COLLECT_DATA everybody has everybody's committed data at hand. */
static void exchange(const pmix_proc_t *me, uint32_t size, uint32_t round)
{
    bool yes = true;
    pmix_info_t *info = PMIx_Info_create(1);
    pmix_proc_t peer;

    post(round);
    check(PMIx_Info_load(&info[0], PMIX_COLLECT_DATA, &yes, PMIX_BOOL), "load");
    check(PMIx_Fence(NULL, 0, info, 1), "fence with data");
    PMIx_Info_free(info, 1);
    for (pmix_rank_t rank = 0; rank < size; rank++) {
        pmix_value_t *value;
        PMIX_LOAD_PROCID(&peer, me->nspace, rank);
        check(PMIx_Get(&peer, "example.round", NULL, 0, &value), "get after the fence");
        if (value->data.uint32 < round) {
            check(PMIX_ERR_DATA_VALUE_NOT_FOUND, "an old value came through the fence");
        }
        PMIx_Value_free(value, 1);
    }
}

/* A fence of some: everybody in the list calls it with the same list, nobody else does. */
static void fence_of_the_even(const pmix_proc_t *me, uint32_t size)
{
    uint32_t n = (size + 1) / 2;
    pmix_proc_t *procs = PMIx_Proc_create(n);

    if (me->rank % 2 == 0) {
        for (uint32_t i = 0; i < n; i++) {
            PMIX_LOAD_PROCID(&procs[i], me->nspace, 2 * i);
        }
        check(PMIx_Fence(procs, n, NULL, 0), "fence of the even ranks");
    }
    PMIx_Proc_free(procs, n);
}

int main(void)
{
    pmix_proc_t me;

    check(PMIx_Init(&me, NULL, 0), "init (is this program started by pmixrun?)");
    uint32_t size = job_size(&me);
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence"); /* no list: the whole job */
    for (uint32_t round = 1; round <= 3; round++) {
        exchange(&me, size, round);
        check(PMIx_Fence(NULL, 0, NULL, 0), "fence"); /* all have read before anybody posts again */
    }
    fence_of_the_even(&me, size);
    printf("rank %u has passed all fences\n", me.rank);
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
