/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What fences carry between two nodes: what was posted since the last one, and all of it when one
 * has failed. The hosts count the bytes. Requirement ids in brackets. Covers: SHM-017 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "world.h"

enum { LEN = 10000, HEAD = 500, PIECE = 24, MOST = 16 };

/* --- hosts: bytes of each fence; some fences fail --- */

static struct {
    _Atomic size_t n;           /* stored by the server's loop, read when the clients have ended */
    _Atomic size_t bytes[MOST]; /* the same */
    unsigned node;
} host;

static void count(size_t bytes)
{
    if (host.n < MOST) {
        host.bytes[host.n] = bytes;
        host.n++;
    }
}

static pmix_status_t counting(struct upcall *upcall)
{
    count(upcall->n_data);
    return world_fence(upcall);
}

static void host_counts(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = counting;
}

/* The first fence fails everywhere. */
static pmix_status_t failing_first(struct upcall *upcall)
{
    if (host.n == 0) {
        count(upcall->n_data);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    return counting(upcall);
}

static void host_fails(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = failing_first;
}

/* The first fence succeeds on node 0, while node 1 is told that it has failed. */
static void tear(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
                 pmix_release_cbfunc_t release, void *release_data)
{
    struct upcall *torn = cbdata;

    (void) status;
    (void) data;
    (void) ndata;
    px_host_reply_status(torn, PMIX_ERR_TIMEOUT);
    release(release_data);
    free(torn);
}

static pmix_status_t tearing_first(struct upcall *upcall)
{
    struct upcall *torn;

    if (host.n || host.node == 0) {
        return counting(upcall);
    }
    torn = malloc(sizeof(*torn));
    check(torn != NULL);
    *torn = *upcall;
    upcall->reply.modex = tear;
    upcall->cbdata = torn;
    return counting(upcall);
}

static pmix_status_t tearing_second(struct upcall *upcall)
{
    size_t n = host.n;
    pmix_status_t rc;

    if (n != 1 || host.node == 0) {
        return counting(upcall);
    }
    host.n = 0;
    rc = tearing_first(upcall);
    host.n = n + 1;
    return rc;
}

static void host_tears_second(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = tearing_second;
}

static void host_tears(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = tearing_first;
}

/* The same, and a second fence, which collects nothing but carries something, fails everywhere. */
static pmix_status_t tearing_and_failing(struct upcall *upcall)
{
    if (host.n == 1) {
        count(upcall->n_data);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    return tearing_first(upcall);
}

static void host_tears_and_fails(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = tearing_and_failing;
    setenv("PMIX_MCA_shmix_fence_piece", "yes", 1);
}

/* A host that carries nothing, and says that all is well. */
static pmix_status_t nowhere(struct upcall *upcall)
{
    if (host.n == 0) {
        count(upcall->n_data);
        px_host_reply_status(upcall, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    return counting(upcall);
}

static void host_loses(unsigned node, struct answer *answers)
{
    host.node = node;
    answers[ON_FENCE].own = nowhere;
}

static int is(size_t fence, size_t least, size_t most)
{
    if (fence < host.n && host.bytes[fence] >= least && host.bytes[fence] <= most) {
        return 0;
    }
    fprintf(stderr, "# node %u: fence %zu of %zu carried %zu bytes, not %zu to %zu\n", host.node,
            fence, (size_t) host.n, fence < host.n ? host.bytes[fence] : (size_t) 0, least, most);
    return 1;
}

/* A fence that collects says so even when there is nothing to say. */
static int nothing(size_t fence)
{
    return is(fence, PIECE, PIECE);
}

/* --- what processes do --- */

/* The values of two processes have nothing in common, so that no delta against the other's shortens
 * them. */
static void post_big(const char *key, char fill)
{
    static char text[LEN + 1];
    pmix_value_t value = {.type = PMIX_STRING, .data.string = text};

    memset(text, 'A' + (int) me.rank, LEN);
    text[0] = fill;
    check_status(PMIx_Put(PMIX_GLOBAL, key, &value), PMIX_SUCCESS);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

static void has_big(pmix_rank_t rank, const char *key, char fill)
{
    pmix_proc_t proc = proc_of(me.nspace, rank);
    pmix_value_t *value = NULL;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    check_status(PMIx_Get(&proc, key, &info, 1, &value), PMIX_SUCCESS);
    check(value->type == PMIX_STRING && strlen(value->data.string) == LEN &&
          value->data.string[0] == fill);
    PMIx_Value_free(value, 1);
}

static void all_have(const char *key, char fill)
{
    for (pmix_rank_t r = 0; r < job_size; r++) {
        has_big(r, key, fill);
    }
}

static pmix_status_t try_fence(const pmix_proc_t *procs, size_t n)
{
    bool yes = true;
    pmix_info_t info;

    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    return PMIx_Fence(procs, n, &info, 1);
}

/* Four rounds of new data; a fence without; the same value again; a new value for an old key; a
 * plain fence between posting and collecting. */
static int act_rounds(void)
{
    char key[16];

    for (int round = 0; round < 4; round++) {
        snprintf(key, sizeof(key), "round%d", round);
        post_big(key, (char) ('a' + round));
        fence_all(true);
        for (int old = 0; old <= round; old++) {
            snprintf(key, sizeof(key), "round%d", old);
            all_have(key, (char) ('a' + old));
        }
    }
    fence_all(true);
    post_big("round1", 'b');
    fence_all(true);
    post_big("round1", 'x');
    fence_all(true);
    all_have("round1", 'x');
    all_have("round2", 'c');
    post_big("late", 'z');
    fence_all(false);
    fence_all(true);
    all_have("late", 'z');
    fence_all(false);
    return 0;
}

static int after_rounds(unsigned node)
{
    int bad = 0;

    (void) node;
    for (size_t i = 0; i < 4; i++) {
        bad |= is(i, 2 * LEN, 2 * LEN + HEAD);
    }
    return bad | nothing(4) | nothing(5) | is(6, 2 * LEN, 2 * LEN + HEAD) | is(7, 0, 0) |
           is(8, 2 * LEN, 2 * LEN + HEAD);
}

/* [FEN-017] what went into a fence that failed goes into the next. */
static int act_failed(void)
{
    post_big("k", 'a');
    check(try_fence(NULL, 0) != PMIX_SUCCESS);
    post_big("l", 'b');
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    all_have("l", 'b');
    fence_all(false);
    return 0;
}

static int after_failed(unsigned node)
{
    (void) node;
    return is(0, LEN, LEN + HEAD) | is(1, 2 * LEN, 2 * LEN + HEAD);
}

static int act_lost(void)
{
    post_big("k", 'a');
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    fence_all(false);
    return 0;
}

static int after_lost(unsigned node)
{
    (void) node;
    return is(0, LEN, LEN + HEAD) | is(1, LEN, LEN + HEAD);
}

/* Node 1 missed the first; it says so in the second, and has everything with the third, also if
 * node 0 had something for the second. */
static int tear_one(bool with_more)
{
    post_big("k", 'a');
    check((try_fence(NULL, 0) == PMIX_SUCCESS) == (me.rank == 0));
    if (with_more && me.rank == 0) {
        post_big("m", 'c');
    }
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    if (with_more) {
        has_big(0, "m", 'c');
    }
    post_big("l", 'b');
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    all_have("l", 'b');
    fence_all(false);
    return 0;
}

static int act_torn(void)
{
    return tear_one(false);
}

static int act_torn_more(void)
{
    return tear_one(true);
}

/* Node 1 missed the first; the second, in which it says so, fails; so it says so in the third, and
 * has everything with the fourth. */
static int act_torn_failed(void)
{
    post_big("k", 'a');
    check((try_fence(NULL, 0) == PMIX_SUCCESS) == (me.rank == 0));
    check(PMIx_Fence(NULL, 0, NULL, 0) != PMIX_SUCCESS);
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    fence_all(false);
    return 0;
}

static int after_torn_failed(unsigned node)
{
    return is(0, LEN, LEN + HEAD) | nothing(1) |
           (node == 0 ? nothing(2) | is(3, LEN, LEN + HEAD) : is(2, LEN, LEN + HEAD));
}

static int missed_one(void)
{
    return is(0, LEN, LEN + HEAD) | is(1, LEN, LEN + HEAD) | is(2, LEN, LEN + HEAD);
}

static int after_torn(unsigned node)
{
    return node == 0 ? is(0, LEN, LEN + HEAD) | nothing(1) | is(2, 2 * LEN, 2 * LEN + HEAD)
                     : missed_one();
}

static int after_torn_more(unsigned node)
{
    return node == 0
               ? is(0, LEN, LEN + HEAD) | is(1, LEN, LEN + HEAD) | is(2, 3 * LEN, 3 * LEN + HEAD)
               : missed_one();
}

/* --- deletions --- */

static void drop(const char *key)
{
    check_status(PMIx_Put(PMIX_DEL_GLOBAL, key, NULL), PMIX_SUCCESS);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

static void none_has(const char *key)
{
    for (pmix_rank_t r = 0; r < job_size; r++) {
        pmix_proc_t proc = proc_of(me.nspace, r);
        pmix_value_t *value = NULL;
        pmix_info_t info;

        PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
        check_status(PMIx_Get(&proc, key, &info, 1, &value), PMIX_ERR_NOT_FOUND);
    }
}

/* Node 1 misses the fence with the deletion: when everything is sent again, so is that. */
static int act_deleted_torn(void)
{
    post_big("k", 'a');
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    drop("k");
    check((try_fence(NULL, 0) == PMIX_SUCCESS) == (me.rank == 0));
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    none_has("k");
    fence_all(false);
    return 0;
}

/* A fence of some is for those; then of all, everything goes; then of some again, what is new. Two
 * ranks on each of two nodes. */
static int act_sets(void)
{
    pmix_proc_t some[2] = {proc_of(me.nspace, 2), proc_of(me.nspace, 0)};

    post_big("k", 'a');
    if (me.rank % 2 == 0) {
        check_status(try_fence(some, 2), PMIX_SUCCESS);
        has_big(0, "k", 'a');
        has_big(2, "k", 'a');
    }
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    all_have("k", 'a');
    if (me.rank % 2 == 0) {
        post_big("l", 'b');
        check_status(try_fence(some, 2), PMIX_SUCCESS);
        has_big(0, "l", 'b');
        has_big(2, "l", 'b');
        check_status(try_fence(some, 2), PMIX_SUCCESS);
    }
    check_status(try_fence(NULL, 0), PMIX_SUCCESS);
    has_big(0, "l", 'b');
    has_big(2, "l", 'b');
    fence_all(false);
    return 0;
}

static int after_sets(unsigned node)
{
    (void) node;
    return is(0, LEN, LEN + HEAD) | is(1, 2 * LEN, 2 * LEN + HEAD) | is(2, LEN, LEN + HEAD) |
           nothing(3) | is(4, LEN, LEN + HEAD);
}

/* [FEN-008] what a server makes itself every other makes, too, so there is nothing to collect but
 * what was posted. */
static int act_generated(void)
{
    pmix_info_t info[2];
    pmix_rank_t other = 1 - me.rank;
    bool no = false;
    bool yes = true;
    uint32_t v;

    post_big("k", 'a');
    post(PMIX_GLOBAL, "n", 5);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
    PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_GENERATED_JOB_INFO, &yes, PMIX_BOOL);
    check_status(PMIx_Fence(NULL, 0, info, 1), PMIX_SUCCESS);
    check_status(get_with(other, "n", PMIX_OPTIONAL, &v), PMIX_ERR_NOT_FOUND);
    PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_GENERATED_JOB_INFO, &no, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check_status(PMIx_Fence(NULL, 0, info, 2), PMIX_SUCCESS);
    check_status(get_with(other, "n", PMIX_OPTIONAL, &v), PMIX_SUCCESS);
    has_big(other, "k", 'a');
    fence_all(false);
    return 0;
}

static int after_generated(unsigned node)
{
    (void) node;
    return is(0, 0, 0) | is(1, LEN, LEN + HEAD);
}

/* [PUT-017] the newest of the values with the same qualifiers, whatever went before and with
 * whatever. */
static void post_qualified(uint32_t v)
{
    pmix_info_t infos[2];
    pmix_data_array_t array = {.type = PMIX_INFO, .size = 2, .array = infos};
    pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &array};
    uint32_t one = 1;

    PMIX_INFO_LOAD(&infos[0], "key", &v, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], "part", &one, PMIX_UINT32);
    check_status(PMIx_Put(PMIX_REMOTE, PMIX_QUALIFIED_VALUE, &value), PMIX_SUCCESS);
    check_status(PMIx_Commit(), PMIX_SUCCESS);
}

static void is_qualified(pmix_rank_t rank, uint32_t want)
{
    pmix_proc_t proc = proc_of(me.nspace, rank);
    pmix_value_t *value = NULL;
    pmix_info_t info[2];
    uint32_t one = 1;

    PMIX_INFO_LOAD(&info[0], "part", &one, PMIX_UINT32);
    PMIX_INFO_SET_QUALIFIER(&info[0]);
    PMIX_INFO_LOAD(&info[1], PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    check_status(PMIx_Get(&proc, "key", info, 2, &value), PMIX_SUCCESS);
    check(value->data.uint32 == want);
    PMIx_Value_free(value, 1);
}

static int act_qualified(void)
{
    pmix_rank_t other = 1 - me.rank;

    for (uint32_t v = 1; v <= 20; v++) {
        post_qualified(v);
    }
    fence_all(true);
    is_qualified(other, 20);
    for (uint32_t v = 20; v-- > 0;) {
        post_qualified(v);
    }
    fence_all(true);
    is_qualified(other, 0);
    fence_all(false);
    return 0;
}

static const struct act acts[] = {
    {"rounds", act_rounds},
    {"failed", act_failed},
    {"lost", act_lost},
    {"torn", act_torn},
    {"sets", act_sets},
    {"qualified", act_qualified},
    {"torn_more", act_torn_more},
    {"generated", act_generated},
    {"torn_failed", act_torn_failed},
    {"deleted_torn", act_deleted_torn},
    {NULL, NULL},
};

#define RUN(...) assert_int_equal(world_run(&(struct world){.n_nodes = 2, __VA_ARGS__}), 0)

static void rounds(void **state)
{
    (void) state;
    RUN(.act = "rounds", .per_node = 2, .host = host_counts, .after = after_rounds);
    RUN(.act = "rounds", .per_node = 2, .host = host_counts, .after = after_rounds,
        .private_store = true);
}

static void failed(void **state)
{
    (void) state;
    RUN(.act = "failed", .per_node = 1, .host = host_fails, .after = after_failed);
}

static void lost(void **state)
{
    (void) state;
    RUN(.act = "lost", .per_node = 1, .host = host_loses, .after = after_lost);
}

static void torn(void **state)
{
    (void) state;
    RUN(.act = "torn", .per_node = 1, .host = host_tears, .after = after_torn);
    RUN(.act = "torn_more", .per_node = 1, .host = host_tears, .after = after_torn_more);
    RUN(.act = "torn_failed", .per_node = 1, .host = host_tears_and_fails,
        .after = after_torn_failed);
}

static void deleted(void **state)
{
    (void) state;
    RUN(.act = "deleted_torn", .per_node = 1, .host = host_tears_second);
}

static void sets(void **state)
{
    (void) state;
    RUN(.act = "sets", .per_node = 2, .host = host_counts, .after = after_sets);
}

static void qualified(void **state)
{
    (void) state;
    RUN(.act = "qualified", .per_node = 1);
}

static void generated(void **state)
{
    (void) state;
    RUN(.act = "generated", .per_node = 1, .host = host_counts, .after = after_generated);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds),    cmocka_unit_test(failed),  cmocka_unit_test(lost),
        cmocka_unit_test(torn),      cmocka_unit_test(sets),    cmocka_unit_test(qualified),
        cmocka_unit_test(generated), cmocka_unit_test(deleted),
    };

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
