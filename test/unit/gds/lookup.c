/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The order of lookup: KEY-007 to KEY-025, GET-011, GET-021, GET-034, NRK-012, PUT-017. Four ranks,
 * two applications, two nodes; rank 0 asks, on node 0. Values say where they were put: level * 100
 * + index. */
#include "support.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/slice.h"

static struct px_store *store;

static int spec(const char *key, pmix_rank_t rank, const struct px_lookup_key *more,
                struct px_slice *ret)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;

    if (more) {
        a = *more;
    }
    a.self = 0;
    a.rank = rank;
    a.key = key;
    a.key_len = strlen(key);
    return px_store_get(store, &a, ret);
}

static int64_t answer(const char *key, pmix_rank_t rank, const struct px_lookup_key *more)
{
    struct px_slice slice = {0};
    int rc = spec(key, rank, more, &slice);

    return rc ? rc : slice.inlined ? (int64_t) slice.word : INT64_MAX;
}

static const char *answer_text(const char *key, pmix_rank_t rank, const struct px_lookup_key *more)
{
    struct px_slice slice = {0};

    assert_int_equal(spec(key, rank, more, &slice), 0);
    assert_int_equal(slice.type, PMIX_STRING);
    return slice.payload;
}

static void put(enum px_level level, uint32_t index, const char *key)
{
    pmix_value_t v = u32((uint32_t) level * 100 + index);

    assert_int_equal(put_one(store, level, index, key, &v, PMIX_SCOPE_UNDEF), 0);
}

static struct px_lookup_key with_realm(enum px_realm realm)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;

    a.realm = realm;
    return a;
}

static struct px_lookup_key with_host(const char *name)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;

    a.hostname = name;
    return a;
}

static struct px_lookup_key with_nodeid(uint32_t nodeid)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;

    a.nodeid = nodeid;
    return a;
}

static struct px_lookup_key with_app(uint32_t app)
{
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;

    a.appnum = app;
    return a;
}

static int setup(void **state)
{
    static const char *const aliases[] = {"n1.alias", NULL};
    struct px_node_def n0 = {.name = "n0", .nodeid = 10};
    struct px_node_def n1 = {.name = "n1", .aliases = aliases, .nodeid = 11};
    struct px_batch *batch = px_batch_create();
    uint32_t index;
    uint32_t rank;

    (void) state;
    store = make_store(true);
    assert_int_equal(px_batch_node(batch, store, &n0, &index), 0);
    assert_int_equal(px_batch_node(batch, store, &n1, &index), 0);
    for (rank = 0; rank < 4; rank++) {
        assert_int_equal(px_batch_place_rank(batch, rank, rank / 2, rank % 2), 0);
    }
    assert_int_equal(px_batch_local_node(batch, 0), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    drop_store(store);
    return 0;
}

static void session_keys(void **state)
{
    struct px_lookup_key other = PX_LOOKUP_KEY_INIT;

    (void) state;
    put(PX_LEVEL_SESSION, 7, PMIX_UNIV_SIZE);
    put(PX_LEVEL_SESSION, 8, PMIX_UNIV_SIZE);
    assert_int_equal(answer(PMIX_UNIV_SIZE, PMIX_RANK_WILDCARD, NULL), 7); /* KEY-007 */
    assert_int_equal(answer(PMIX_UNIV_SIZE, 3, NULL), 7);
    assert_int_equal(answer(PMIX_UNIV_SIZE, PMIX_RANK_UNDEF, NULL), 7);
    other.session = 8;
    assert_int_equal(answer(PMIX_UNIV_SIZE, 0, &other), 8); /* KEY-009 */
    put(PX_LEVEL_JOB, 0, PMIX_CLUSTER_ID);                  /* a host that knows no sessions */
    assert_int_equal(answer(PMIX_CLUSTER_ID, PMIX_RANK_WILDCARD, NULL), 100);
}

static void several_realms(void **state)
{
    struct px_lookup_key session = with_realm(PX_REALM_SESSION);
    struct px_lookup_key job = with_realm(PX_REALM_JOB);
    struct px_lookup_key app = with_realm(PX_REALM_APP);
    struct px_lookup_key node = with_realm(PX_REALM_NODE);

    (void) state;
    put(PX_LEVEL_SESSION, 7, PMIX_NUM_NODES);
    put(PX_LEVEL_JOB, 0, PMIX_NUM_NODES);
    put(PX_LEVEL_APP, 0, PMIX_NUM_NODES);
    put(PX_LEVEL_APP, 1, PMIX_NUM_NODES);
    assert_int_equal(answer(PMIX_NUM_NODES, PMIX_RANK_WILDCARD, NULL), 100); /* KEY-008 */
    assert_int_equal(answer(PMIX_NUM_NODES, 0, NULL), 100);
    assert_int_equal(answer(PMIX_NUM_NODES, 0, &session), 7); /* GET-034 */
    assert_int_equal(answer(PMIX_NUM_NODES, 0, &job), 100);
    assert_int_equal(answer(PMIX_NUM_NODES, 1, &app), 201);
    app.appnum = 0;
    assert_int_equal(answer(PMIX_NUM_NODES, PMIX_RANK_UNDEF, &app), 200); /* KEY-015 */
    assert_int_equal(answer(PMIX_NUM_NODES, 0, &node), PMIX_ERR_NOT_FOUND);
    put(PX_LEVEL_NODE, 0, PMIX_MAX_PROCS);
    put(PX_LEVEL_JOB, 0, PMIX_MAX_PROCS);
    assert_int_equal(answer(PMIX_MAX_PROCS, PMIX_RANK_WILDCARD, &node), 300); /* KEY-022 */
    assert_int_equal(answer(PMIX_MAX_PROCS, PMIX_RANK_WILDCARD, NULL), 100);
}

static void job_keys(void **state)
{
    struct px_lookup_key n1 = with_host("n1.alias");
    struct px_lookup_key id = with_nodeid(11);

    (void) state;
    put(PX_LEVEL_JOB, 0, PMIX_JOB_SIZE);
    assert_int_equal(answer(PMIX_JOB_SIZE, PMIX_RANK_WILDCARD, NULL), 100); /* KEY-010 */
    assert_int_equal(answer(PMIX_JOB_SIZE, 0, NULL), 100);                  /* KEY-011 */
    assert_int_equal(answer(PMIX_JOB_SIZE, 3, NULL), 100);
    assert_int_equal(answer(PMIX_JOB_SIZE, PMIX_RANK_INVALID, NULL), PMIX_ERR_NOT_FOUND);
    put(PX_LEVEL_NODE, 0, PMIX_LOCALLDR);
    put(PX_LEVEL_NODE, 1, PMIX_LOCALLDR);
    assert_int_equal(answer(PMIX_LOCALLDR, PMIX_RANK_WILDCARD, NULL), 300);
    assert_int_equal(answer(PMIX_LOCALLDR, PMIX_RANK_WILDCARD, &n1), 301); /* KEY-013 */
    assert_int_equal(answer(PMIX_LOCALLDR, PMIX_RANK_WILDCARD, &id), 301);
    put(PX_LEVEL_JOB, 0, PMIX_LOCAL_PEERS); /* an old host: only for the own node */
    assert_int_equal(answer(PMIX_LOCAL_PEERS, PMIX_RANK_WILDCARD, NULL), 100);
    assert_int_equal(answer(PMIX_LOCAL_PEERS, 0, NULL), 100);
    assert_int_equal(answer(PMIX_LOCAL_PEERS, PMIX_RANK_WILDCARD, &n1), PMIX_ERR_NOT_FOUND);
}

static void app_keys(void **state)
{
    struct px_lookup_key one = with_app(1);

    (void) state;
    put(PX_LEVEL_APP, 0, PMIX_APP_SIZE);
    put(PX_LEVEL_APP, 1, PMIX_APP_SIZE);
    assert_int_equal(answer(PMIX_APP_SIZE, 3, NULL), 201); /* KEY-014 */
    assert_int_equal(answer(PMIX_APP_SIZE, 2, NULL), 200);
    assert_int_equal(answer(PMIX_APP_SIZE, PMIX_RANK_WILDCARD, NULL), 200); /* own application */
    assert_int_equal(answer(PMIX_APP_SIZE, PMIX_RANK_WILDCARD, &one), 201);
    assert_int_equal(answer(PMIX_APP_SIZE, 0, &one), 201);
}

static void process_keys(void **state)
{
    (void) state;
    put(PX_LEVEL_PROC, 2, PMIX_LOCAL_RANK);
    put(PX_LEVEL_JOB, 0, PMIX_LOCAL_RANK);
    assert_int_equal(answer(PMIX_LOCAL_RANK, 2, NULL), 402); /* KEY-019 */
    assert_int_equal(answer(PMIX_LOCAL_RANK, PMIX_RANK_WILDCARD, NULL), 100);
    assert_int_equal(answer(PMIX_PARENT_ID, 2, NULL), PMIX_ERR_NOT_FOUND); /* KEY-018 */
}

static void node_keys(void **state)
{
    struct px_lookup_key n1 = with_host("n1");
    struct px_lookup_key id = with_nodeid(11);
    struct px_lookup_key none = with_host("n2");
    struct px_lookup_key node = with_realm(PX_REALM_NODE);

    (void) state;
    put(PX_LEVEL_NODE, 0, PMIX_NODE_SIZE);
    put(PX_LEVEL_NODE, 1, PMIX_NODE_SIZE);
    assert_int_equal(answer(PMIX_NODE_SIZE, PMIX_RANK_WILDCARD, NULL), 300); /* KEY-020 */
    assert_int_equal(answer(PMIX_NODE_SIZE, 0, NULL), 300);
    assert_int_equal(answer(PMIX_NODE_SIZE, PMIX_RANK_UNDEF, NULL), 300);
    assert_int_equal(answer(PMIX_NODE_SIZE, 0, &n1), 301);
    assert_int_equal(answer(PMIX_NODE_SIZE, 0, &id), 301);
    assert_int_equal(answer(PMIX_NODE_SIZE, 0, &none), PMIX_ERR_NOT_FOUND);
    assert_int_equal(answer(PMIX_NODE_SIZE, 3, NULL), 301); /* a rank on another node */
    assert_int_equal(answer(PMIX_NODE_SIZE, 3, &node), 301);
    node.hostname = "n0";
    put(PX_LEVEL_NODE, 0, "site.y"); /* KEY-025 */
    assert_int_equal(answer("site.y", PMIX_RANK_WILDCARD, &node), 300);
    assert_int_equal(answer("site.y", PMIX_RANK_WILDCARD, NULL), PMIX_ERR_NOT_FOUND);
}

static void derived(void **state)
{
    struct px_lookup_key n1 = with_host("n1.alias");
    struct px_slice slice;

    (void) state;
    assert_string_equal(answer_text(PMIX_HOSTNAME, 0, NULL), "n0");
    assert_string_equal(answer_text(PMIX_HOSTNAME, PMIX_RANK_WILDCARD, NULL), "n0");
    assert_string_equal(answer_text(PMIX_HOSTNAME, 3, NULL), "n1"); /* KEY-021 */
    assert_string_equal(answer_text(PMIX_HOSTNAME, 0, &n1), "n1");
    assert_int_equal(answer(PMIX_NODEID, 3, NULL), 11); /* KEY-024 */
    assert_int_equal(answer(PMIX_NODEID, PMIX_RANK_WILDCARD, NULL), 10);
    assert_int_equal(answer(PMIX_NODEID, 0, &n1), 11);
    assert_int_equal(answer(PMIX_APPNUM, 3, NULL), 1);
    assert_int_equal(answer(PMIX_RANK, 2, NULL), 2);
    assert_int_equal(spec(PMIX_RANK, 2, NULL, &slice), 0);
    assert_int_equal(slice.type, PMIX_PROC_RANK);
    assert_int_equal(answer(PMIX_LOCAL_SIZE, PMIX_RANK_WILDCARD, NULL), 2);
    assert_int_equal(answer(PMIX_HOSTNAME, 4, NULL), PMIX_ERR_NOT_FOUND);
    put(PX_LEVEL_PROC, 3, PMIX_HOSTNAME); /* what was said outranks what follows */
    assert_int_equal(answer(PMIX_HOSTNAME, 3, NULL), 403);
}

static void posted_keys(void **state)
{
    struct px_slice slice;
    struct px_lookup_key scoped = PX_LOOKUP_KEY_INIT;
    pmix_value_t v = u32(5);

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 2, "posted", &v, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "posted.local", &v, PMIX_LOCAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "posted.remote", NULL, PMIX_REMOTE), 0);
    assert_int_equal(answer("posted", 2, NULL), 5);
    assert_int_equal(answer("posted", 1, NULL), PMIX_ERR_NOT_FOUND);
    assert_int_equal(answer("posted", PMIX_RANK_UNDEF, NULL), 5); /* NRK-012 */
    assert_int_equal(answer("posted.none", PMIX_RANK_UNDEF, NULL), PMIX_ERR_NOT_FOUND);
    assert_int_equal(answer("posted.remote", 3, NULL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE); /* GET-011 */
    assert_int_equal(answer("posted.remote", PMIX_RANK_UNDEF, NULL), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    scoped.scope = PMIX_LOCAL; /* GET-021 */
    assert_int_equal(answer("posted.local", 3, &scoped), 5);
    assert_int_equal(spec("posted", 2, &scoped, &slice), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    scoped.scope = PMIX_GLOBAL;
    assert_int_equal(answer("posted", 2, &scoped), 5);
    put(PX_LEVEL_JOB, 0, "pmix.site.x"); /* KEY-025 */
    assert_int_equal(answer("pmix.site.x", PMIX_RANK_WILDCARD, &scoped), 100);
}

static void qualified_values(void **state)
{
    struct px_store_entry entry = {.level = PX_LEVEL_PROC, .index = 1, .key = "q", .n_quals = 2};
    struct px_batch *batch = px_batch_create();
    struct px_lookup_key a = PX_LOOKUP_KEY_INIT;
    pmix_info_t quals[2];
    pmix_info_t turned[2];
    pmix_value_t v[2] = {u32(1), u32(2)};
    uint32_t n = 3;

    (void) state;
    PMIx_Info_load(&quals[0], "color", "red", PMIX_STRING);
    PMIx_Info_load(&quals[1], "number", &n, PMIX_UINT32);
    turned[0] = quals[1];
    turned[1] = quals[0];
    entry.quals = quals;
    entry.value = &v[0];
    assert_int_equal(px_batch_add(batch, &entry), 0);
    add(batch, PX_LEVEL_PROC, 1, "q", &v[1]);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(answer("q", 1, NULL), 2); /* PUT-017 */
    a.quals = turned;
    a.n_quals = 2;
    assert_int_equal(answer("q", 1, &a), 1);
    assert_int_equal(answer("q", 2, &a), PMIX_ERR_NOT_FOUND);
    a.n_quals = 1;
    assert_int_equal(answer("q", 1, &a), PMIX_ERR_NOT_FOUND);
    a.n_quals = 2;
    turned[0].value.data.uint32 = 4;
    assert_int_equal(answer("q", 1, &a), PMIX_ERR_NOT_FOUND);
    PMIx_Value_destruct(&quals[0].value);
}

/* GET-034: the realm that is asked for, also when a process has a value of that name. */
static void realm_of_a_process(void **state)
{
    struct px_lookup_key job = with_realm(PX_REALM_JOB);
    struct px_lookup_key global = PX_LOOKUP_KEY_INIT;
    pmix_value_t v = u32(5);

    (void) state;
    put(PX_LEVEL_JOB, 0, PMIX_MAX_PROCS);
    put(PX_LEVEL_PROC, 2, PMIX_MAX_PROCS);
    assert_int_equal(answer(PMIX_MAX_PROCS, 2, &job), 100);
    assert_int_equal(answer(PMIX_MAX_PROCS, 2, NULL), 402);
    global.scope = PMIX_GLOBAL; /* GET-021: what came from another node may be global there */
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "from.afar", &v, PMIX_REMOTE), 0);
    assert_int_equal(answer("from.afar", 3, &global), 5);
}

static void realms(void **state)
{
    (void) state;
    assert_int_equal(px_key_realm(PMIX_UNIV_SIZE, strlen(PMIX_UNIV_SIZE)), PX_REALM_SESSION);
    assert_int_equal(px_key_realm(PMIX_JOB_SIZE, strlen(PMIX_JOB_SIZE)), PX_REALM_JOB);
    assert_int_equal(px_key_realm(PMIX_APP_SIZE, strlen(PMIX_APP_SIZE)), PX_REALM_APP);
    assert_int_equal(px_key_realm(PMIX_HOSTNAME, strlen(PMIX_HOSTNAME)), PX_REALM_NODE);
    assert_int_equal(px_key_realm(PMIX_LOCAL_PEERS, strlen(PMIX_LOCAL_PEERS)), PX_REALM_NODE);
    assert_int_equal(px_key_realm(PMIX_RANK, strlen(PMIX_RANK)), PX_REALM_PROC);
    assert_int_equal(px_key_realm("pmix.ran", 8), PX_REALM_NONE);
    assert_int_equal(px_key_realm("pmix.rankx", 10), PX_REALM_NONE);
    assert_int_equal(px_key_realm("pmix.rankx", 9), PX_REALM_PROC);
    assert_int_equal(px_key_realm("", 0), PX_REALM_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(session_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(several_realms, setup, teardown),
        cmocka_unit_test_setup_teardown(job_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(app_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(process_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(node_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(derived, setup, teardown),
        cmocka_unit_test_setup_teardown(posted_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(qualified_values, setup, teardown),
        cmocka_unit_test_setup_teardown(realm_of_a_process, setup, teardown),
        cmocka_unit_test(realms),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
