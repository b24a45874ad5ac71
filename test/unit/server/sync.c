/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives: fences of every shape, members that die or never come, connect, groups. Requirement
 * ids in brackets. */

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

static pmix_status_t now(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                         size_t ninfo, pmix_op_cbfunc_t fn, void *cbdata)
{
    (void) procs;
    (void) nprocs;
    (void) info;
    (void) ninfo;
    (void) fn;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static void host_connects(unsigned node, pmix_server_module_t *module)
{
    (void) node;
    module->connect = now;
    module->disconnect = now;
}

static void host_alone(unsigned node, pmix_server_module_t *module)
{
    (void) node;
    *module = (pmix_server_module_t){0};
}

static pmix_status_t group(pmix_group_operation_t op, char name[], const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t directives[], size_t ndirs,
                           pmix_info_cbfunc_t fn, void *cbdata)
{
    pmix_info_t info;
    size_t id = 42;

    (void) name;
    (void) procs;
    (void) nprocs;
    (void) directives;
    (void) ndirs;
    calls.group++;
    if (op == PMIX_GROUP_DESTRUCT) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    PMIX_INFO_LOAD(&info, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    fn(PMIX_SUCCESS, &info, 1, cbdata, NULL, NULL);
    return PMIX_SUCCESS;
}

static void host_groups(unsigned node, pmix_server_module_t *module)
{
    (void) node;
    module->group = group;
}

/* A fence over a process's own node only is nobody else's business. */
static int after_no_fence(unsigned node)
{
    (void) node;
    return calls.fence ? 1 : 0;
}

static int after_two_fences(unsigned node)
{
    (void) node;
    return calls.fence == 2 && calls.connected == 2 && calls.finalized == 2 ? 0 : 1;
}

static int after_group(unsigned node)
{
    (void) node;
    return calls.group == 2 ? 0 : 1;
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

/* [FEN-011] what nobody supports, where the host is not asked. */
static int act_required(void)
{
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, "made.up", NULL, PMIX_BOOL);
    check_status(PMIx_Fence(NULL, 0, &info, 1), PMIX_SUCCESS);
    if (me.rank == 0) {
        PMIX_INFO_REQUIRED(&info);
    }
    check_status(PMIx_Fence(NULL, 0, &info, 1), PMIX_ERR_NOT_SUPPORTED);
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

static size_t construct(const char *name, const pmix_info_t *info, size_t ninfo, pmix_status_t want)
{
    pmix_proc_t members[2] = {proc_of(me.nspace, 1), proc_of(me.nspace, 0)};
    pmix_info_t *results = NULL;
    size_t n = 0;
    size_t id = 0;

    check_status(PMIx_Group_construct(name, members, 2, info, ninfo, &results, &n), want);
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            id = results[i].value.data.size;
        } else if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            const pmix_proc_t *procs = results[i].value.data.darray->array;

            check(results[i].value.data.darray->size == 2);
            check(procs[0].rank == 0 && procs[1].rank == 1);
        }
    }
    PMIx_Info_free(results, n);
    return id;
}

/* [GRP-031], [GRP-034] */
static int act_groups_alone(void)
{
    pmix_info_t info;
    bool yes = true;

    for (int i = 0; i < 10; i++) {
        construct("g", NULL, 0, PMIX_SUCCESS);
        check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    }
    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    construct("g", &info, 1, PMIX_ERR_NOT_SUPPORTED);
    return 0;
}

/* What a process belongs to, asked with PMIx_Get and PMIx_Query_info; never remembered. */
static bool has_name(const pmix_value_t *value, const char *name)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    return array && array->type == PMIX_STRING && array->size == 1 &&
           strcmp(((char **) array->array)[0], name) == 0;
}

static void belongs(const pmix_proc_t *proc, const char *key, const char *name)
{
    pmix_value_t *value = NULL;
    pmix_info_t *results = NULL;
    pmix_query_t query;
    size_t n = 0;
    char *keys[] = {(char *) (uintptr_t) key, NULL};
    pmix_proc_t who = *proc;
    pmix_info_t qualifier = {.key = PMIX_PROCID, .value = {.type = PMIX_PROC, .data.proc = &who}};
    pmix_status_t rc = PMIx_Get(proc, key, NULL, 0, &value);

    check_status(rc, name ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND);
    if (name) {
        check(has_name(value, name));
        PMIx_Value_free(value, 1);
    }
    query = (pmix_query_t){.keys = keys, .qualifiers = &qualifier, .nqual = 1};
    rc = PMIx_Query_info(&query, 1, &results, &n);
    check((rc == PMIX_SUCCESS) == (name != NULL));
    if (name) {
        check(n > 0 && PMIX_CHECK_KEY(&results[0], key) && has_name(&results[0].value, name));
    }
    PMIx_Info_free(results, n);
}

static int act_names(void)
{
    pmix_proc_t first = proc_of(me.nspace, 0);
    pmix_proc_t third = proc_of(me.nspace, 2);

    belongs(&first, PMIX_PSET_NAMES, "some");
    belongs(&third, PMIX_PSET_NAMES, NULL);
    belongs(&first, PMIX_GROUP_NAMES, NULL);
    fence_all(false);
    if (me.rank < 2) {
        construct("g", NULL, 0, PMIX_SUCCESS);
    }
    fence_all(false);
    belongs(&first, PMIX_GROUP_NAMES, "g");
    belongs(&third, PMIX_GROUP_NAMES, NULL);
    fence_all(false);
    if (me.rank < 2) {
        check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    }
    fence_all(false);
    belongs(&first, PMIX_GROUP_NAMES, NULL);
    return 0;
}

static void ready_set(unsigned node)
{
    pmix_proc_t members[2] = {proc_of(WORLD_NSPACE, 0), proc_of(WORLD_NSPACE, 1)};

    (void) node;
    check_status(PMIx_server_define_process_set(members, 2, "some"), PMIX_SUCCESS);
}

/* [GRP-032], [GRP-037], [GRP-041] */
static int act_groups_hosted(void)
{
    pmix_info_t info;
    bool yes = true;

    PMIX_INFO_LOAD(&info, PMIX_GROUP_ASSIGN_CONTEXT_ID, &yes, PMIX_BOOL);
    check(construct("g", &info, 1, PMIX_SUCCESS) == 42);
    check_status(PMIx_Group_destruct("g", NULL, 0), PMIX_SUCCESS);
    return 0;
}

/* Bootstrap and an added member, all of one node. [GRP-054] */
static int act_bootstrap(void)
{
    pmix_info_t info[2];
    size_t leaders = 2;
    pmix_proc_t extra = proc_of(me.nspace, 2);
    pmix_data_array_t added = {.type = PMIX_PROC, .size = 1, .array = &extra};
    pmix_info_t *results = NULL;
    size_t n = 0;
    bool seen = false;

    if (me.rank == 2) {
        check_status(PMIx_Group_construct("b", NULL, 0, NULL, 0, &results, &n), PMIX_SUCCESS);
    } else {
        PMIX_INFO_LOAD(&info[0], PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
        PMIX_INFO_LOAD(&info[1], PMIX_GROUP_ADD_MEMBERS, &added, PMIX_DATA_ARRAY);
        check_status(PMIx_Group_construct("b", &me, 1, info, me.rank == 0 ? 2 : 1, &results, &n),
                     PMIX_SUCCESS);
        PMIx_Value_destruct(&info[1].value);
    }
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            check(results[i].value.data.darray->size == 3);
            seen = true;
        }
    }
    check(seen);
    PMIx_Info_free(results, n);
    return 0;
}

static const struct act acts[] = {
    {"fences", act_fences},
    {"two", act_two},
    {"subsets", act_subsets},
    {"timeout", act_timeout},
    {"required", act_required},
    {"death", act_death},
    {"connect", act_connect},
    {"alone", act_alone},
    {"far_alone", act_far_alone},
    {"groups_alone", act_groups_alone},
    {"groups_hosted", act_groups_hosted},
    {"names", act_names},
    {"bootstrap", act_bootstrap},
    {NULL, NULL},
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

static void groups(void **state)
{
    (void) state;
    RUN(.act = "groups_alone", .n_nodes = 1, .per_node = 2);
    RUN(.act = "groups_hosted", .n_nodes = 1, .per_node = 2, .host = host_groups,
        .after = after_group);
    RUN(.act = "bootstrap", .n_nodes = 1, .per_node = 3);
    RUN(.act = "names", .n_nodes = 1, .per_node = 3, .ready = ready_set);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_fences), cmocka_unit_test(one_upcall), cmocka_unit_test(subsets),
        cmocka_unit_test(timeouts),    cmocka_unit_test(required),   cmocka_unit_test(deaths),
        cmocka_unit_test(connects),    cmocka_unit_test(alone),      cmocka_unit_test(groups),
    };

    world_maybe_client(argc, argv, acts);
    alarm(180);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
