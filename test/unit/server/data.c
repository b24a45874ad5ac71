/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Data of processes, on one node and across two: scopes, fences with and without data, direct
 * modex. Requirement ids in brackets. Covers: SHM-013 */

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

/* Ranks of one node are neighbours. */
static bool is_near(pmix_rank_t rank)
{
    return rank / 2 == me.rank / 2;
}

static void post_all(void)
{
    post(PMIX_GLOBAL, "g", 100 + me.rank);
    post(PMIX_LOCAL, "l", 200 + me.rank);
    post(PMIX_REMOTE, "r", 300 + me.rank);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

/* [FEN-006], [PUT-004], [PUT-005], [PUT-006], [FEN-013] */
static int act_collect(void)
{
    post_all();
    fence_all(true);
    for (pmix_rank_t r = 0; r < job_size; r++) {
        uint32_t v = 0;

        check_status(get_with(r, "g", PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
        check(v == 100 + r);
        if (r != me.rank && is_near(r)) {
            check_status(get_with(r, "l", PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
            check(v == 200 + r);
            check_status(get_with(r, "r", PMIX_IMMEDIATE, &v), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
        } else if (r != me.rank) {
            check_status(get_with(r, "r", PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
            check(v == 300 + r);
            check(get_with(r, "l", PMIX_IMMEDIATE, &v) != PMIX_SUCCESS);
        }
    }
    fence_all(false);
    return 0;
}

/* Scopes in any order in one commit, and another order in the next. [PUT-004], [PUT-005],
 * [PUT-006], [PUT-009] */
static const pmix_scope_t mixed[] = {PMIX_LOCAL,  PMIX_GLOBAL, PMIX_LOCAL,  PMIX_LOCAL,
                                     PMIX_GLOBAL, PMIX_REMOTE, PMIX_GLOBAL, PMIX_REMOTE,
                                     PMIX_LOCAL,  PMIX_GLOBAL, PMIX_GLOBAL, PMIX_REMOTE};

enum { N_MIXED = sizeof(mixed) / sizeof(mixed[0]) };

static void check_mixed(pmix_rank_t rank, unsigned i, uint32_t want)
{
    char key[16];
    uint32_t v = 0;
    pmix_status_t rc;

    snprintf(key, sizeof(key), "m%u", i);
    rc = get_with(rank, key, PMIX_IMMEDIATE, &v);
    if (rank != me.rank && is_near(rank) && mixed[i] == PMIX_REMOTE) {
        check_status(rc, PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    } else if (is_near(rank) || mixed[i] != PMIX_LOCAL) {
        check_status(rc, PMIX_SUCCESS);
        check(v == want);
    } else {
        check(rc != PMIX_SUCCESS);
    }
}

static int act_mixed(void)
{
    for (uint32_t round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N_MIXED; i++) {
            unsigned which = (i * (2 * round + 1)) % N_MIXED; /* round 1: every third, again */
            char key[16];

            snprintf(key, sizeof(key), "m%u", which);
            post(mixed[which], key, 100 * round + which);
        }
        check_status(PMIx_Commit(), PMIX_SUCCESS);
        fence_all(true);
        for (pmix_rank_t r = 0; r < job_size; r++) {
            for (unsigned i = 0; i < N_MIXED; i += round == 1 ? 3 : 1) {
                check_mixed(r, i, 100 * round + i);
            }
        }
        fence_all(false);
    }
    return 0;
}

/* [FEN-005], [NRK-005], [NRK-010], [NRK-011] */
static int act_direct(void)
{
    post_all();
    fence_all(false);
    for (pmix_rank_t r = 0; r < job_size; r++) {
        uint32_t v = 0;

        if (is_near(r)) {
            continue;
        }
        check_status(get_with(r, "g", NULL, &v), PMIX_SUCCESS);
        check(v == 100 + r);
        check_status(get_with(r, "r", NULL, &v), PMIX_SUCCESS);
        check(v == 300 + r);
    }
    fence_all(false);
    return 0;
}

static int after_direct(unsigned node)
{
    (void) node;
    /* One for each rank of the other node, whoever asked and however often. */
    return calls[ON_MODEX] == 2 ? 0 : 1;
}

/* [PUT-009] */
static void overwrite(void)
{
    uint32_t v = 0;

    post(PMIX_GLOBAL, "k", 1);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(true);
    post(PMIX_GLOBAL, "k", 2);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(true);
    for (pmix_rank_t r = 0; r < job_size; r++) {
        check_status(get_with(r, "k", PMIX_IMMEDIATE, &v), PMIX_SUCCESS);
        check(v == 2);
    }
}

static int act_again_far(void)
{
    overwrite();
    fence_all(false);
    return 0;
}

/* The server process asks until there is a value, for a pointer that lasts. [GET-023] */
static pthread_t holder;
static pmix_value_t *held;

static void *hold(void *arg)
{
    pmix_proc_t first = proc_of(WORLD_NSPACE, 0);
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_GET_POINTER_VALUES, NULL, PMIX_BOOL);
    while (PMIx_Get(&first, "g", &info, 1, &held) == PMIX_ERR_NOT_FOUND) {
    }
    check(held != NULL);
    return arg;
}

static void before_held(unsigned node)
{
    (void) node;
    check(pthread_create(&holder, NULL, hold, NULL) == 0);
}

static int after_held(unsigned node)
{
    pmix_proc_t first = proc_of(WORLD_NSPACE, 0);
    pmix_value_t here = {0};
    pmix_value_t *place = &here;
    pmix_info_t info;
    bool yes = true;

    (void) node;
    check(pthread_join(holder, NULL) == 0);
    check(held->type == PMIX_UINT32 && held->data.uint32 == 100);
    PMIX_INFO_LOAD(&info, PMIX_GET_STATIC_VALUES, &yes, PMIX_BOOL);
    PMIx_Info_required(&info);
    check_status(PMIx_Get(&first, "g", &info, 1, &place), PMIX_SUCCESS);
    check(place == &here && here.type == PMIX_UINT32 && here.data.uint32 == 100);
    return 0;
}

/* Data that comes later than the question. [NRK-002] */
static int act_again(void)
{
    uint32_t v = 0;

    overwrite();
    if (me.rank == 0) {
        check_status(get_with(1, "later", NULL, &v), PMIX_SUCCESS);
        check(v == 9);
    } else {
        post(PMIX_LOCAL, "later", 9);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    fence_all(false);
    return 0;
}

/* [GET timeouts], [NRK-014] */
static int act_never(void)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    int seconds = 1;
    uint32_t v;

    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
    check_status(get_with(1 - me.rank, "nothing", PMIX_IMMEDIATE, &v), PMIX_ERR_NOT_FOUND);
    check_status(PMIx_Get(&other, "nothing", &info, 1, &value), PMIX_ERR_TIMEOUT);
    fence_all(false);
    return 0;
}

/* A process that goes without having posted. [NRK-004] */
static int act_gone(void)
{
    uint32_t v;

    if (me.rank == 0) {
        check_status(get_with(1, "nothing", NULL, &v), PMIX_ERR_NOT_FOUND);
    }
    return 0;
}

/* [PUT-013], [PUT-017] values of every size, and qualified ones. */
static int act_kinds(void)
{
    size_t len = 1 << 20;
    char *text = malloc(len + 1);
    pmix_value_t value = {.type = PMIX_STRING, .data.string = text};
    pmix_value_t *got = NULL;
    pmix_proc_t other = proc_of(me.nspace, (me.rank + 1) % job_size);

    check(text != NULL);
    memset(text, 'x', len);
    text[len] = 0;
    check_status(PMIx_Put(PMIX_GLOBAL, "big", &value), PMIX_SUCCESS);
    value = (pmix_value_t){.type = PMIX_BYTE_OBJECT};
    check_status(PMIx_Put(PMIX_GLOBAL, "empty", &value), PMIX_SUCCESS);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(true);
    check_status(PMIx_Get(&other, "big", NULL, 0, &got), PMIX_SUCCESS);
    check(got->type == PMIX_STRING && strcmp(got->data.string, text) == 0);
    PMIx_Value_free(got, 1);
    check_status(PMIx_Get(&other, "empty", NULL, 0, &got), PMIX_SUCCESS);
    check(got->type == PMIX_BYTE_OBJECT && got->data.bo.size == 0);
    PMIx_Value_free(got, 1);
    free(text);
    fence_all(false);
    return 0;
}

/* As long as a get that cannot succeed takes: two seconds. */
static void linger(void)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    int seconds = 2;

    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &seconds, PMIX_INT);
    check_status(PMIx_Get(&other, "nothing", &info, 1, &value), PMIX_ERR_TIMEOUT);
}

/* A key that its process has not committed with others: waited for without limit when asked so.
 * [NRK-003], [GET-022] */
static int act_missing(void)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    int forever = 0;
    uint32_t v;

    post(PMIX_LOCAL, "x", 1);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(false);
    PMIX_INFO_LOAD(&info, PMIX_TIMEOUT, &forever, PMIX_INT);
    if (me.rank == 0) {
        check_status(get_with(1, "k", NULL, &v), PMIX_ERR_NOT_FOUND);
        post(PMIX_LOCAL, "had none", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
        check_status(PMIx_Get(&other, "k", &info, 1, &value), PMIX_SUCCESS);
        check(value->data.uint32 == 7);
    } else {
        check_status(PMIx_Get(&other, "had none", &info, 1, &value), PMIX_SUCCESS);
        linger(); /* longer than the limit of the others */
        post(PMIX_LOCAL, "k", 7);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    }
    PMIx_Value_free(value, 1);
    fence_all(false);
    return 0;
}

/* The same where the operator wants it, or until the process goes. [NRK-003], [NRK-004] */
static int act_patient(void)
{
    uint32_t v;

    post(PMIX_LOCAL, "x", 1);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(false);
    if (me.rank == 1) {
        linger();
        post(PMIX_LOCAL, "k", 7);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    } else {
        check_status(get_with(1, "k", NULL, &v), PMIX_SUCCESS);
        check(v == 7);
        check_status(get_with(1, "l", NULL, &v), PMIX_ERR_NOT_FOUND);
    }
    return 0;
}

static void host_is_quick(unsigned node, struct answer *answers)
{
    (void) node;
    (void) answers;
    check(setenv("PMIX_MCA_shmix_missing_key_wait", "1", 1) == 0);
}

static void host_is_patient(unsigned node, struct answer *answers)
{
    (void) node;
    (void) answers;
    check(setenv("PMIX_MCA_shmix_missing_key_wait", "0", 1) == 0);
}

/* A directive whose value stays the caller's is copied when it outlives the call. */
struct got {
    sem_t come;
    pmix_status_t status;
    uint32_t v;
};

static void got(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    struct got *answer = cbdata;

    answer->v = value && value->type == PMIX_UINT32 ? value->data.uint32 : 0;
    answer->status = status;
    sem_post(&answer->come);
}

static int act_persistent(void)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    char part[] = "one";
    pmix_info_t infos[2] = {0};
    pmix_info_t qual = {.key = "part", .value = {.type = PMIX_STRING, .data.string = part}};
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = infos};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    struct got answer;
    uint32_t v = 8;

    sem_init(&answer.come, 0, 0);
    PMIX_INFO_LOAD(&infos[0], "key", &v, PMIX_UINT32);
    infos[1] = qual;
    check_status(PMIx_Put(PMIX_GLOBAL, PMIX_QUALIFIED_VALUE, &value), PMIX_SUCCESS);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(false);
    qual.flags = PMIX_INFO_PERSISTENT | PMIX_INFO_QUALIFIER;
    check_status(PMIx_Get_nb(&other, "key", &qual, 1, got, &answer), PMIX_SUCCESS);
    memcpy(part, "two", 3);
    fence_all(false);
    while (sem_wait(&answer.come) != 0) { /* a signal */
    }
    check_status(answer.status, PMIX_SUCCESS);
    check(answer.v == 8);
    return 0;
}

/* [GET-021] neighbours' values by scope; each answer is there at once. */
static pmix_status_t get_scoped(const char *key, pmix_scope_t scope)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info, PMIX_DATA_SCOPE, &scope, PMIX_SCOPE);
    rc = PMIx_Get(&other, key, &info, 1, &value);
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(value, 1);
    }
    return rc;
}

static int act_scope(void)
{
    post_all();
    fence_all(false);
    check_status(get_scoped("g", PMIX_GLOBAL), PMIX_SUCCESS);
    check_status(get_scoped("l", PMIX_LOCAL), PMIX_SUCCESS);
    check_status(get_scoped("g", PMIX_LOCAL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    check_status(get_scoped("l", PMIX_GLOBAL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    check_status(get_scoped("r", PMIX_LOCAL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    fence_all(false);
    return 0;
}

static int act_scope_far(void)
{
    post_all();
    fence_all(true);
    check_status(get_scoped("g", PMIX_GLOBAL), PMIX_SUCCESS);
    check_status(get_scoped("r", PMIX_REMOTE), PMIX_SUCCESS);
    check_status(get_scoped("g", PMIX_LOCAL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    fence_all(false);
    return 0;
}

/* [GET-033] */
static int act_required(void)
{
    pmix_proc_t other = proc_of(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;

    post(PMIX_GLOBAL, "k", 1);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    fence_all(true);
    PMIX_INFO_LOAD(&info, "made.up", NULL, PMIX_BOOL);
    check_status(PMIx_Get(&other, "k", &info, 1, &value), PMIX_SUCCESS);
    PMIx_Value_free(value, 1);
    PMIX_INFO_REQUIRED(&info);
    check_status(PMIx_Get(&other, "k", &info, 1, &value), PMIX_ERR_NOT_SUPPORTED);
    PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    PMIX_INFO_REQUIRED(&info);
    check_status(PMIx_Get(&other, "k", &info, 1, &value), PMIX_SUCCESS);
    PMIx_Value_free(value, 1);
    return 0;
}

static const struct act acts[] = {
    {"collect", act_collect}, {"direct", act_direct},         {"mixed", act_mixed},
    {"again", act_again},     {"again_far", act_again_far},   {"never", act_never},
    {"gone", act_gone},       {"kinds", act_kinds},           {"missing", act_missing},
    {"patient", act_patient}, {"persistent", act_persistent}, {"required", act_required},
    {"scope", act_scope},     {"scope_far", act_scope_far},   {NULL, NULL},
};

static void collect_one_node(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "collect", .n_nodes = 1, .per_node = 2}), 0);
}

static void collect_two_nodes(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "collect", .n_nodes = 2, .per_node = 2}), 0);
}

static void collect_by_messages(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "collect", .n_nodes = 2, .per_node = 2, .private_store = true}),
                     0);
}

static void held_by_server(void **state)
{
    struct world world = {
        .act = "direct", .n_nodes = 1, .per_node = 2, .ready = before_held, .after = after_held};

    (void) state;
    assert_int_equal(world_run(&world), 0);
}

static void mixed_scopes(void **state)
{
    struct world world = {.act = "mixed", .n_nodes = 2, .per_node = 2};

    (void) state;
    assert_int_equal(world_run(&world), 0);
    world.private_store = true;
    assert_int_equal(world_run(&world), 0);
}

static void direct(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "direct", .n_nodes = 2, .per_node = 2, .after = after_direct}),
                     0);
}

static void again(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "again", .n_nodes = 1, .per_node = 2}), 0);
    assert_int_equal(world_run(&(struct world){.act = "again_far", .n_nodes = 2, .per_node = 1}),
                     0);
}

static void never(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "never", .n_nodes = 1, .per_node = 2}), 0);
}

static void gone(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "gone", .n_nodes = 1, .per_node = 2}), 0);
    assert_int_equal(world_run(&(struct world){.act = "gone", .n_nodes = 2, .per_node = 1}), 0);
}

static void kinds(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "kinds", .n_nodes = 2, .per_node = 2}), 0);
}

static void missing(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "missing", .n_nodes = 1, .per_node = 2, .host = host_is_quick}),
                     0);
    assert_int_equal(world_run(&(struct world){
                         .act = "patient", .n_nodes = 1, .per_node = 2, .host = host_is_patient}),
                     0);
}

static void persistent(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "persistent", .n_nodes = 2, .per_node = 1}),
                     0);
}

static void scope(void **state)
{
    (void) state;
    for (int messages = 0; messages < 2; messages++) {
        struct world near = {
            .act = "scope", .n_nodes = 1, .per_node = 2, .private_store = messages};
        struct world far = {
            .act = "scope_far", .n_nodes = 2, .per_node = 1, .private_store = messages};

        assert_int_equal(world_run(&near), 0);
        assert_int_equal(world_run(&far), 0);
    }
}

static void required(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){.act = "required", .n_nodes = 1, .per_node = 2}), 0);
    assert_int_equal(world_run(&(struct world){
                         .act = "required", .n_nodes = 2, .per_node = 1, .private_store = true}),
                     0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collect_one_node),
        cmocka_unit_test(collect_two_nodes),
        cmocka_unit_test(collect_by_messages),
        cmocka_unit_test(mixed_scopes),
        cmocka_unit_test(direct),
        cmocka_unit_test(held_by_server),
        cmocka_unit_test(again),
        cmocka_unit_test(never),
        cmocka_unit_test(gone),
        cmocka_unit_test(kinds),
        cmocka_unit_test(missing),
        cmocka_unit_test(persistent),
        cmocka_unit_test(required),
        cmocka_unit_test(scope),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
