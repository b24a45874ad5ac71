/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives: fences of every shape, members that die or never come, connect. Requirement
 * ids in brackets. */

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

/* --- hosts --- */

static void host_connects(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_CONNECT] = (struct answer){AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED};
    answers[ON_DISCONNECT] = answers[ON_CONNECT];
}

static void host_alone(unsigned node, struct answer *answers)
{
    (void) node;
    memset(answers, 0, N_ENTRIES * sizeof(*answers));
}

/* A fence over a process's own node only is nobody else's business. */
static int after_no_fence(unsigned node)
{
    (void) node;
    return calls[ON_FENCE] ? 1 : 0;
}

static int after_two_fences(unsigned node)
{
    (void) node;
    return calls[ON_FENCE] == 2 && calls[ON_CONNECTED] == 2 && calls[ON_FINALIZED] == 2 ? 0 : 1;
}

/* --- acts --- */

static int act_fences(void)
{
    for (int i = 0; i < 1000; i++) {
        fence_all(i % 2);
    }
    return 0;
}

/* [FEN-010] one upcall per server and fence. */
static int act_two(void)
{
    fence_all(false);
    fence_all(true);
    return 0;
}

/* [FEN-004], [FEN-022], [FEN-026] */
static int act_subsets(void)
{
    pmix_proc_t even[2] = {proc_of(me.nspace, 0), proc_of(me.nspace, 2)};
    pmix_proc_t odd[2] = {proc_of(me.nspace, 3), proc_of(me.nspace, 1)};
    pmix_proc_t all[4];

    for (int i = 0; i < 100; i++) {
        if (me.rank % 2 == 0) {
            pmix_proc_t turned[2] = {even[1], even[0]};

            check_status(PMIx_Fence(me.rank == 0 ? even : turned, 2, NULL, 0), PMIX_SUCCESS);
        } else {
            check_status(PMIx_Fence(odd, 2, NULL, 0), PMIX_SUCCESS);
        }
        check_status(PMIx_Fence(&me, 1, NULL, 0), PMIX_SUCCESS);
    }
    for (pmix_rank_t r = 0; r < 4; r++) {
        all[r] = proc_of(me.nspace, 3 - r);
    }
    if (me.rank == 1) {
        check_status(PMIx_Fence(NULL, 0, NULL, 0), PMIX_SUCCESS);
    } else {
        check_status(PMIx_Fence(all, 4, NULL, 0), PMIX_SUCCESS);
    }
    return 0;
}

/* [FEN-016], [FEN-017] */
static int act_timeout(void)
{
    pmix_info_t info;
    int seconds = 1;

    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
    if (me.rank == 0) {
        check_status(PMIx_Fence(NULL, 0, &info, 1), PMIX_ERR_TIMEOUT);
        post(PMIX_LOCAL, "go", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    } else {
        uint32_t v;

        check_status(get_with(0, "go", NULL, &v), PMIX_SUCCESS);
    }
    fence_all(false);
    return 0;
}

static void fenced(pmix_status_t status, void *cbdata)
{
    *(_Atomic pmix_status_t *) cbdata = status;
}

/* [FEN-011] A directive that is not known is refused if one process requires it and the host is not
 * asked. That process is the last to call. */
static int act_required(void)
{
    _Atomic pmix_status_t status = 1;
    pmix_info_t info;
    uint32_t v;

    PMIX_INFO_LOAD(&info, "made.up", NULL, PMIX_BOOL);
    check_status(PMIx_Fence(NULL, 0, &info, 1), PMIX_SUCCESS);
    if (me.rank == 0) {
        for (pmix_rank_t rank = 1; rank < job_size; rank++) {
            check_status(get_with(rank, "has called", NULL, &v), PMIX_SUCCESS);
        }
        PMIX_INFO_REQUIRED(&info);
    }
    check_status(PMIx_Fence_nb(NULL, 0, &info, 1, fenced, (void *) &status), PMIX_SUCCESS);
    post(PMIX_LOCAL, "has called", 1);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    while (status == 1) {
        (void) sched_yield();
    }
    check_status(status, PMIX_ERR_NOT_SUPPORTED);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, NULL, PMIX_BOOL);
    PMIX_INFO_REQUIRED(&info);
    check_status(PMIx_Fence(NULL, 0, &info, 1), PMIX_SUCCESS);
    return 0;
}

/* [FEN-018] rank 2 dies without a word. */
static int act_death(void)
{
    if (me.rank == 2) {
        _exit(0);
    }
    check(PMIx_Fence(NULL, 0, NULL, 0) != PMIX_SUCCESS);
    return 0;
}

/* [SPN-007], [SPN-011] */
static int act_connect(void)
{
    pmix_proc_t all = proc_of(me.nspace, PMIX_RANK_WILDCARD);

    check_status(PMIx_Disconnect(&all, 1, NULL, 0), PMIX_ERR_INVALID_OPERATION);
    check_status(PMIx_Connect(&all, 1, NULL, 0), PMIX_SUCCESS);
    check_status(PMIx_Disconnect(&all, 1, NULL, 0), PMIX_SUCCESS);
    check_status(PMIx_Disconnect(&all, 1, NULL, 0), PMIX_ERR_INVALID_OPERATION);
    return 0;
}

/* [FEN-014], [UPC-001] */
static int act_alone(void)
{
    pmix_proc_t all = proc_of(me.nspace, PMIX_RANK_WILDCARD);
    uint32_t v;

    post(PMIX_GLOBAL, "k", me.rank);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(true);
    check_status(get_with(1 - me.rank, "k", PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
    check_status(PMIx_Connect(&all, 1, NULL, 0), PMIX_ERR_NOT_SUPPORTED);
    return 0;
}

static int act_far_alone(void)
{
    check_status(PMIx_Fence(NULL, 0, NULL, 0), PMIX_ERR_NOT_SUPPORTED);
    check_status(PMIx_Fence(&me, 1, NULL, 0), PMIX_SUCCESS);
    return 0;
}

static const struct act acts[] = {
    {"fences", act_fences},       {"two", act_two},
    {"subsets", act_subsets},     {"timeout", act_timeout},
    {"required", act_required},   {"death", act_death},
    {"connect", act_connect},     {"alone", act_alone},
    {"far_alone", act_far_alone}, {NULL, NULL},
};

#define RUN(...) assert_int_equal(world_run(&(struct world){__VA_ARGS__}), 0)

static void many_fences(void **state)
{
    (void) state;
    RUN(.act = "fences", .n_nodes = 1, .per_node = 4, .after = after_no_fence);
    RUN(.act = "fences", .n_nodes = 2, .per_node = 2);
}

static void one_upcall(void **state)
{
    (void) state;
    RUN(.act = "two", .n_nodes = 2, .per_node = 2, .after = after_two_fences);
}

static void subsets(void **state)
{
    (void) state;
    RUN(.act = "subsets", .n_nodes = 1, .per_node = 4, .after = after_no_fence);
}

static void timeouts(void **state)
{
    (void) state;
    RUN(.act = "timeout", .n_nodes = 1, .per_node = 2);
}

static void required(void **state)
{
    (void) state;
    RUN(.act = "required", .n_nodes = 1, .per_node = 3, .after = after_no_fence);
}

static void deaths(void **state)
{
    (void) state;
    RUN(.act = "death", .n_nodes = 1, .per_node = 3);
    RUN(.act = "death", .n_nodes = 1, .per_node = 3, .host = host_alone);
}

static void connects(void **state)
{
    (void) state;
    RUN(.act = "connect", .n_nodes = 1, .per_node = 2, .host = host_connects);
}

static void alone(void **state)
{
    (void) state;
    RUN(.act = "alone", .n_nodes = 1, .per_node = 2, .host = host_alone);
    RUN(.act = "far_alone", .n_nodes = 2, .per_node = 1, .host = host_alone);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_fences), cmocka_unit_test(one_upcall), cmocka_unit_test(subsets),
        cmocka_unit_test(timeouts),    cmocka_unit_test(required),   cmocka_unit_test(deaths),
        cmocka_unit_test(connects),    cmocka_unit_test(alone),
    };

    world_maybe_client(argc, argv, acts);
    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
