/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a registration derives beside what the host says, and which of two statements counts.
 * Requirement ids in brackets. */

#include "build.h"
#include "gds/level.h"
#include "gds/nodes.h"
#include "src/nspace/resolve.h"

#define ALL PMIX_RANK_WILDCARD

static void maps(struct list *list)
{
    put_text(list, PMIX_NODE_MAP, "n0,n1,n2");
    put_text(list, PMIX_PROC_MAP, "0,1;2,3;4");
}

static void put_proc(struct list *list, pmix_rank_t rank, const char *node)
{
    struct list inner = {0};

    put_rank(&inner, PMIX_RANK, rank);
    put_text(&inner, PMIX_HOSTNAME, node);
    put_array(list, PMIX_PROC_INFO_ARRAY, &inner);
}

static void put_node(struct list *list, const char *name, const char *key, const char *text)
{
    struct list inner = {0};

    put_text(&inner, PMIX_HOSTNAME, name);
    put_text(&inner, key, text);
    put_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

static void expect_at(const struct px_store *store, enum px_level level, uint32_t index,
                      const char *key, const char *want)
{
    struct px_slice slice;
    pmix_value_t v;

    assert_int_equal(px_store_find(store, level, index, key, strlen(key), &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &v), 0);
    assert_int_equal(v.type, PMIX_STRING);
    if (want) {
        assert_string_equal(v.data.string, want);
    } else {
        assert_null(v.data.string);
    }
    PMIx_Value_destruct(&v);
}

/* [KEY-012] */
static void global_ranks(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    maps(&list);
    put_u32(&list, PMIX_NPROC_OFFSET, 100);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_u32(store, 0, PMIX_GLOBAL_RANK, 100);
    expect_u32(store, 4, PMIX_GLOBAL_RANK, 104);
    expect_u32(store, 4, PMIX_APP_RANK, 4);
    px_store_destroy(store);
}

/* Where a process is, its own array says; a list of peers counts for the others. */
static void peers_place_the_rest(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_proc(&list, 1, "n2");
    put_node(&list, "n1", PMIX_LOCAL_PEERS, "0,1");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_text(store, 0, PMIX_HOSTNAME, "n1");
    expect_text(store, 1, PMIX_HOSTNAME, "n2");
    assert_int_equal(px_store_node_of(store, 1), px_store_node_by_name(store, "n2"));
    px_store_destroy(store);
}

/* [SRV-015] what the host has said stays when a later registration would derive it. */
static void said_before(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list inner = {0};

    (void) state;
    put_rank(&inner, PMIX_RANK, 0);
    put_text(&inner, PMIX_HOSTNAME, "n0");
    put_rank(&inner, PMIX_GLOBAL_RANK, 7);
    put_array(&list, PMIX_PROC_INFO_ARRAY, &inner);
    put_u32(&list, PMIX_MAX_PROCS, 40);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_u32(store, 0, PMIX_GLOBAL_RANK, 7); /* not what would be derived */
    expect_u32(store, ALL, PMIX_MAX_PROCS, 40);
    put_proc(&list, 0, "n0");
    put_proc(&list, 1, "n0");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_u32(store, 0, PMIX_GLOBAL_RANK, 7);
    expect_u32(store, 1, PMIX_GLOBAL_RANK, 1);
    expect_u32(store, ALL, PMIX_MAX_PROCS, 40);
    px_store_destroy(store);
}

/* [RES-052] no peers, says the host; the map knows some. */
static void no_peers_said(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    maps(&list);
    put_node(&list, "n0", PMIX_LOCAL_PEERS, NULL);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_at(store, PX_LEVEL_NODE, px_store_node_by_name(store, "n0"), PMIX_LOCAL_PEERS, NULL);
    expect_at(store, PX_LEVEL_NODE, px_store_node_by_name(store, "n1"), PMIX_LOCAL_PEERS, "2,3");
    px_store_destroy(store);
}

/* [RES-045] where only some processes are known, no node's are counted. */
static void some_placed(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_u32(&list, PMIX_JOB_SIZE, 5);
    put_proc(&list, 0, "n0");
    put_proc(&list, 1, "n0");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_none(store, ALL, PMIX_LOCAL_PEERS);
    expect_none(store, ALL, PMIX_NODE_SIZE);
    expect_none(store, 1, PMIX_LOCAL_RANK);
    px_store_destroy(store);
}

/* [RES-040, KEY-008] a node of the session that the job does not use. */
static void another_node_of_the_session(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list session = {0};
    const struct px_store *stores[] = {store};
    pmix_proc_t *procs = NULL;
    size_t n = 7;

    (void) state;
    put_u32(&session, PMIX_SESSION_ID, 1);
    put_node(&session, "n9", PMIX_HOSTNAME_ALIASES, "nine,neuf");
    put_array(&list, PMIX_SESSION_INFO_ARRAY, &session);
    maps(&list);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_u32(store, ALL, PMIX_NUM_NODES, 3);
    assert_int_not_equal(px_store_node_by_name(store, "n9"), PX_NO_NODE);
    assert_int_equal(px_store_node_by_name(store, "neuf"), px_store_node_by_name(store, "n9"));
    assert_int_equal(px_resolve_peers(stores, 1, "n9", &procs, &n), 0);
    assert_int_equal(n, 0);
    px_store_destroy(store);
}

/* [KEY-024] of two applications. */
static void applications(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    for (uint32_t r = 0; r < 3; r++) {
        struct list inner = {0};

        put_rank(&inner, PMIX_RANK, r);
        put_u32(&inner, PMIX_APPNUM, r / 2);
        put_array(&list, PMIX_PROC_INFO_ARRAY, &inner);
    }
    put_u32(&list, PMIX_JOB_SIZE, 3);
    put_text(&list, PMIX_APP_MAP_TYPE, "by hand"); /* of which one is not said: of the job */
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_u32(store, 0, PMIX_APP_SIZE, 2);
    expect_u32(store, 2, PMIX_APP_SIZE, 1);
    expect_u32(store, 2, PMIX_APPLDR, 2);
    expect_u32(store, 2, PMIX_APP_RANK, 0);
    expect_text(store, 0, PMIX_APP_MAP_TYPE, "by hand");
    expect_text(store, 2, PMIX_APP_MAP_TYPE, "by hand");
    px_store_destroy(store);
}

/* [RES-050] a process that is placed by the number of its node. */
static void by_number(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list inner = {0};

    (void) state;
    put_text(&inner, PMIX_HOSTNAME, "n1");
    put_u32(&inner, PMIX_NODEID, 5);
    put_array(&list, PMIX_NODE_INFO_ARRAY, &inner);
    put_rank(&inner, PMIX_RANK, 0);
    put_u32(&inner, PMIX_NODEID, 5);
    put_array(&list, PMIX_PROC_INFO_ARRAY, &inner);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_text(store, 0, PMIX_HOSTNAME, "n1");
    px_store_destroy(store);
}

/* [RES-050] a node without a name is called by its number. */
static void by_number_alone(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list inner = {0};

    (void) state;
    put_u32(&inner, PMIX_NODEID, 120);
    put_text(&inner, PMIX_LOCAL_PEERS, "0");
    put_array(&list, PMIX_NODE_INFO_ARRAY, &inner);
    put_rank(&inner, PMIX_RANK, 0);
    put_u32(&inner, PMIX_NODEID, 120);
    put_array(&list, PMIX_PROC_INFO_ARRAY, &inner);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_text(store, 0, PMIX_HOSTNAME, "#120");
    px_store_destroy(store);
}

/* [SRV-008] a loose value of the session is filed under the session. */
static void of_the_session(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_u32(&list, PMIX_SESSION_ID, 4);
    put_text(&list, PMIX_CLUSTER_ID, "cluster");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_at(store, PX_LEVEL_SESSION, 4, PMIX_CLUSTER_ID, "cluster");
    px_store_destroy(store);
}

/* [RES-047] the first number of an address is no short name. */
static void addresses(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    const struct px_store *stores[] = {store};
    pmix_proc_t *procs = NULL;
    size_t n = 7;

    (void) state;
    put_text(&list, PMIX_NODE_MAP, "10,n1.a");
    put_text(&list, PMIX_PROC_MAP, "0;1");
    assert_int_equal(store_list(store, &list, "n1.a"), 0);
    assert_int_equal(px_resolve_peers(stores, 1, "10.0.0.1", &procs, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(px_resolve_peers(stores, 1, "n1", &procs, &n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(procs[0].rank, 1);
    PMIx_Proc_free(procs, n);
    px_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_ranks),    cmocka_unit_test(peers_place_the_rest),
        cmocka_unit_test(said_before),     cmocka_unit_test(no_peers_said),
        cmocka_unit_test(some_placed),     cmocka_unit_test(another_node_of_the_session),
        cmocka_unit_test(applications),    cmocka_unit_test(by_number),
        cmocka_unit_test(by_number_alone), cmocka_unit_test(of_the_session),
        cmocka_unit_test(addresses),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
