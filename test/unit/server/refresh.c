/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* S10: what is known of processes of other nodes grows old, and is renewed when somebody asks for
 * that. Two ranks on each of two nodes; requirement ids in brackets. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

enum { FAR = 2 };

static void is(pmix_rank_t rank, const char *key, const char *directive, uint32_t want)
{
    char what[128];
    uint32_t v = 0;

    check_status(get_with(rank, key, directive, &v), PMIX_SUCCESS);
    snprintf(what, sizeof(what), "%.32s of %u, %.32s: %u, not %u", key, rank,
             directive ? directive : "plain", v, want);
    check_at(v == want, what, __FILE__, __LINE__);
}

static pmix_status_t refresh_all(pmix_rank_t rank)
{
    pmix_proc_t proc = proc_of(me.nspace, rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    return PMIx_Get(&proc, NULL, &info, 1, &value);
}

static void post_both(uint32_t v)
{
    post(PMIX_GLOBAL, "a", v);
    post(PMIX_REMOTE, "b", v);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

/* Rank 0 looks at rank 2 of the other node. Five direct modexes: one for both keys, four that
 * renew. [GET-026], [GET-027], [GET-030], [GET-031] */
static void look_again(void)
{
    pmix_proc_t proc = proc_of(me.nspace, FAR);
    pmix_value_t *value = NULL;
    pmix_info_t info[2];

    is(FAR, "a", NULL, 1);
    is(FAR, "a", PMIX_GET_REFRESH_CACHE, 2);
    is(FAR, "a", NULL, 2);
    is(FAR, "b", NULL, 1);
    check_status(refresh_all(FAR), PMIX_SUCCESS);
    is(FAR, "b", NULL, 2);
    PMIX_INFO_LOAD(&info[0], PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    check_status(PMIx_Get(&proc, "a", info, 2, &value), PMIX_SUCCESS);
    check(value->data.uint32 == 2);
    PMIx_Value_free(value, 1);
    check_status(PMIx_Get(&proc, "unknown", info, 2, &value), PMIX_ERR_NOT_FOUND);
}

static int act_far(void)
{
    if (me.rank == FAR) {
        post_both(1);
    }
    fence_all(false);
    if (me.rank == 0) {
        is(FAR, "a", NULL, 1);
        is(FAR, "b", NULL, 1);
    }
    fence_all(false);
    if (me.rank == FAR) {
        post_both(2);
    }
    fence_all(false);
    if (me.rank == 0) {
        look_again();
    }
    fence_all(false);
    if (me.rank == 1) {
        is(FAR, "a", PMIX_IMMEDIATE, 2); /* renewed for the node, not for one process */
        is(FAR, "b", PMIX_IMMEDIATE, 2);
    }
    fence_all(false);
    return 0;
}

/* An answer with so many bytes waits for its memory, as that of a renewal does. */
enum { LARGE = 3 << 20, RENEWALS = 3 };

static void get_large(void)
{
    pmix_proc_t proc = proc_of(me.nspace, FAR);
    pmix_value_t *value = NULL;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_GET_REFRESH_CACHE, NULL, PMIX_BOOL);
    check_status(PMIx_Get(&proc, "large", &info, 1, &value), PMIX_SUCCESS);
    check(value->type == PMIX_BYTE_OBJECT && value->data.bo.size == LARGE);
    check(value->data.bo.bytes[LARGE - 1] == 'x');
    PMIx_Value_free(value, 1);
}

static int act_large(void)
{
    static char bytes[LARGE];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT, .data.bo = {bytes, LARGE}};

    memset(bytes, 'x', LARGE);
    if (me.rank == FAR) {
        check_status(PMIx_Put(PMIX_GLOBAL, "large", &value), PMIX_SUCCESS);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    fence_all(false);
    for (int i = 0; me.rank < FAR && i < RENEWALS; i++) {
        get_large();
    }
    fence_all(false);
    return 0;
}

static int after_far(unsigned node)
{
    return calls[ON_MODEX] == (node == 0 ? 5 : 0) ? 0 : 1;
}

/* [GET-029] neighbours need not ask; those who do get the same. */
static int act_near(void)
{
    for (uint32_t v = 1; v <= 3; v++) {
        if (me.rank == 1) {
            post(PMIX_GLOBAL, "a", v);
            check_status(PMIx_Commit(), PMIX_SUCCESS);
        }
        fence_all(false);
        if (me.rank == 0) {
            is(1, "a", NULL, v);
            is(1, "a", PMIX_GET_REFRESH_CACHE, v);
            check_status(refresh_all(1), PMIX_SUCCESS);
            is(1, "a", NULL, v);
        }
        fence_all(false);
    }
    return 0;
}

static int after_near(unsigned node)
{
    (void) node;
    return calls[ON_MODEX] == 0 ? 0 : 1;
}

/* [GET-028] the host registers the job again at the second fence. */
static int act_job(void)
{
    fence_all(false);
    is(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, NULL, 100);
    fence_all(false);
    is(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, PMIX_GET_REFRESH_CACHE, 200);
    is(PMIX_RANK_WILDCARD, PMIX_MAX_PROCS, NULL, 200);
    check_status(refresh_all(PMIX_RANK_WILDCARD), PMIX_SUCCESS);
    check(job_size == 4);
    is(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 4);
    fence_all(false);
    return 0;
}

static void set_max(uint32_t v, pmix_op_cbfunc_t fn)
{
    static pmix_nspace_t nspace = WORLD_NSPACE;
    static pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_MAX_PROCS, &v, PMIX_UINT32);
    (void) PMIx_server_register_nspace(nspace, 2, &info, 1, fn, NULL);
}

static struct upcall held;

/* The second fence goes on when the job has been registered. */
static void registered(pmix_status_t status, void *cbdata)
{
    check_status(status, PMIX_SUCCESS);
    (void) cbdata;
    (void) world_fence(&held);
    free((char *) held.data);
}

static pmix_status_t registering(struct upcall *upcall)
{
    if (calls[ON_FENCE] != 2) {
        return world_fence(upcall);
    }
    held = *upcall;
    upcall->data_taken = true;
    set_max(200, registered);
    return PMIX_SUCCESS;
}

static void host_registers(unsigned node, struct answer *answers)
{
    (void) node;
    answers[ON_FENCE].own = registering;
}

static void ready_job(unsigned node)
{
    (void) node;
    set_max(100, NULL);
}

static const struct act acts[] = {
    {"far", act_far}, {"large", act_large}, {"near", act_near}, {"job", act_job}, {NULL, NULL}};

static void run(struct world world)
{
    world.n_nodes = 2;
    world.per_node = 2;
    assert_int_equal(world_run(&world), 0);
    world.private_store = true;
    assert_int_equal(world_run(&world), 0);
}

static void far(void **state)
{
    (void) state;
    run((struct world){.act = "far", .after = after_far});
}

static void large(void **state)
{
    (void) state;
    run((struct world){.act = "large"});
}

static void near(void **state)
{
    (void) state;
    run((struct world){.act = "near", .after = after_near});
}

static void job(void **state)
{
    (void) state;
    run((struct world){.act = "job", .host = host_registers, .ready = ready_job});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far),
        cmocka_unit_test(large),
        cmocka_unit_test(near),
        cmocka_unit_test(job),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
