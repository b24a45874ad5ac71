/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The library-side rules of the resolve calls. Requirement ids in brackets. */

#include "src/nspace/resolve.h"

#include "test/unit/nspace/build.h"
#include "gds/batch.h"
#include "gds/publication.h"

static void expect_peers(const struct px_store *store, const char *node, const char *want)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char text[256] = "";

    assert_int_equal(px_resolve_peers(&store, 1, node, &procs, &n), 0);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(procs[i].nspace, "job");
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? "," : "",
                 procs[i].rank);
    }
    assert_string_equal(text, want);
    if (!n) {
        assert_null(procs);
    }
    free(procs);
}

static int peers_status(const struct px_store *store, const char *node)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    int rc = px_resolve_peers(&store, 1, node, &procs, &n);

    free(procs);
    return rc;
}

/* Twice: the second answer may come from what the first has found out. */
static void expect_nodes(const struct px_store *store, const char *want)
{
    for (int i = 0; i < 2; i++) {
        char *nodes = NULL;

        assert_int_equal(px_resolve_nodes(&store, 1, &nodes), 0);
        if (want) {
            assert_non_null(nodes);
            assert_string_equal(nodes, want);
        } else {
            assert_null(nodes);
        }
        free(nodes);
    }
}

static void put_node(struct list *list, const char *name, bool with_peers, const char *peers)
{
    struct list inner = {0};

    put_text(&inner, PMIX_HOSTNAME, name);
    if (with_peers) {
        put_text(&inner, PMIX_LOCAL_PEERS, peers);
    }
    put_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

/* [RES-042], [RES-043], [RES-044], [RES-009] */
static void given_lists(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_node(&list, "n0", true, "2,0,1");
    put_node(&list, "n1", true, "3,7");
    put_node(&list, "n2", true, NULL);
    put_node(&list, "n3", true, "");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_peers(store, "n0", "2,0,1");
    expect_peers(store, "n1", "3,7");
    expect_peers(store, "n2", "");
    expect_peers(store, "n3", "");
    expect_peers(store, NULL, "2,0,1");
    expect_peers(store, "", "2,0,1");
    expect_nodes(store, "n0,n1,n2,n3");
    px_store_destroy(store);
}

/* [RES-063] A list that came before any node was known is about the readers' own, and no other. */
static void given_for_the_job(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_LOCAL_PEERS, "2,5");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    put_node(&list, "n0", false, NULL);
    put_node(&list, "n1", false, NULL);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_peers(store, NULL, "2,5");
    expect_peers(store, "n0", "2,5");
    assert_int_equal(peers_status(store, "n1"), PMIX_ERR_DATA_VALUE_NOT_FOUND);
    px_store_destroy(store);
}

/* [RES-045] */
static void not_given(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_node(&list, "n0", false, NULL);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    assert_int_equal(peers_status(store, "n0"), PMIX_ERR_DATA_VALUE_NOT_FOUND);
    px_store_destroy(store);
}

/* [RES-049], [RES-051], [RES-053], [RES-038] */
static void rebuilt(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP, "n3,n1,n2");
    put_text(&list, PMIX_PROC_MAP, "0,2;1,3;");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_peers(store, "n3", "0,2");
    expect_peers(store, "n1", "1,3");
    expect_peers(store, "n2", "");
    expect_nodes(store, "n3,n1,n2");
    px_store_destroy(store);
}

/* [RES-038] Also when the readers' own node was told of first. */
static void map_order(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_node(&list, "n1", true, "1,3");
    put_node(&list, "n4", true, "");
    put_text(&list, PMIX_NODE_MAP, "n3,n1,n2");
    put_text(&list, PMIX_PROC_MAP, "0,2;1,3;");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_nodes(store, "n3,n1,n2,n4");
    px_store_destroy(store);
}

/* [RES-038] What was found out about a list does not outlive the next publication. */
static void list_changes(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list more = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP, "n1,n2");
    put_text(&list, PMIX_PROC_MAP, "0;1");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_nodes(store, "n1,n2");
    assert_int_not_equal(px_store_cookie(store), 0);
    put_node(&more, "n3", true, "");
    put_text(&more, PMIX_NODE_LIST, "n2,n2,n1");
    assert_int_equal(store_list(store, &more, "n1"), 0);
    expect_nodes(store, "n2,n1,n3");
    px_store_destroy(store);
}

/* [RES-050] by where the processes say they are. */
static void rebuilt_from_procs(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_u32(&list, PMIX_JOB_SIZE, 3);
    for (uint32_t r = 0; r < 3; r++) {
        struct list proc = {0};

        put_rank(&proc, PMIX_RANK, r);
        put_text(&proc, PMIX_HOSTNAME, r == 1 ? "b" : "a");
        put_array(&list, PMIX_PROC_INFO_ARRAY, &proc);
    }
    assert_int_equal(store_list(store, &list, "a"), 0);
    expect_peers(store, "a", "0,2");
    expect_peers(store, "b", "1");
    px_store_destroy(store);
}

/* [RES-050] A map from another server names nobody of a node: the answer is that nobody is there.
 */
static void rebuilt_from_a_raw_map(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP_RAW, "n0,n1");
    put_text(&list, PMIX_PROC_MAP_RAW, "0,1;");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_peers(store, "n0", "0,1");
    expect_peers(store, "n1", "");
    px_store_destroy(store);
}

/* [RES-064] More peers than usual: the job has one rank more than is placed, so no list is derived.
 */
static void many_peers_rebuilt(void **state)
{
    enum { MANY = 5000 };
    struct px_store *store = make_store();
    pmix_info_t *infos = PMIx_Info_create(MANY + 1);
    uint32_t size = MANY + 1;
    pmix_proc_t *procs = NULL;
    size_t n = 0;

    (void) state;
    assert_non_null(infos);
    PMIX_INFO_LOAD(&infos[MANY], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    for (uint32_t r = 0; r < MANY; r++) {
        struct list proc = {0};
        struct list array = {0};

        put_rank(&proc, PMIX_RANK, r);
        put_text(&proc, PMIX_HOSTNAME, "a");
        put_array(&array, PMIX_PROC_INFO_ARRAY, &proc);
        infos[r] = array.at[0];
    }
    assert_int_equal(px_jobinfo_store(store, infos, MANY + 1, "a"), 0);
    PMIx_Info_free(infos, MANY + 1);
    assert_int_equal(px_resolve_peers((const struct px_store *[]){store}, 1, "a", &procs, &n), 0);
    assert_int_equal(n, MANY);
    for (uint32_t r = 0; r < MANY; r++) {
        assert_int_equal(procs[r].rank, r);
    }
    free(procs);
    px_store_destroy(store);
}

/* [RES-054] */
static void switched_off(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    px_store_set_flags(store, PX_STORE_NO_REBUILD);
    put_text(&list, PMIX_NODE_MAP, "n0");
    put_text(&list, PMIX_PROC_MAP, "0,1");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    assert_int_equal(peers_status(store, "n0"), PMIX_ERR_DATA_VALUE_NOT_FOUND);
    expect_nodes(store, "n0");
    px_store_destroy(store);
}

/* [RES-052] what was given wins, even when it is nothing. */
static void given_wins(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_text(&list, PMIX_NODE_MAP, "n0,n1");
    put_text(&list, PMIX_PROC_MAP, "0,1;2");
    put_node(&list, "n0", true, NULL);
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_peers(store, "n0", "");
    expect_peers(store, "n1", "2");
    px_store_destroy(store);
}

/* [RES-005], [RES-040], [RES-041] */
static void not_on_the_list(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list session = {0};

    (void) state;
    put_u32(&session, PMIX_SESSION_ID, 1);
    put_node(&session, "unused", false, NULL);
    put_array(&list, PMIX_SESSION_INFO_ARRAY, &session);
    put_text(&list, PMIX_NODE_MAP, "n0");
    put_text(&list, PMIX_PROC_MAP, "0,1");
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_peers(store, "unused", "");
    expect_peers(store, "no-such-host", "");
    expect_nodes(store, "n0");
    px_store_destroy(store);
}

/* [RES-033], [RES-037], [RES-046] */
static void no_namespace_no_nodes(void **state)
{
    struct px_store *store = make_store();
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;
    struct list list = {0};

    (void) state;
    assert_int_equal(px_resolve_peers(NULL, 0, "x", &procs, &n), PMIX_ERR_INVALID_NAMESPACE);
    assert_int_equal(px_resolve_nodes(NULL, 0, &nodes), PMIX_ERR_INVALID_NAMESPACE);
    put_u32(&list, PMIX_JOB_SIZE, 2);
    assert_int_equal(store_list(store, &list, "n0"), 0);
    expect_nodes(store, NULL);
    expect_peers(store, NULL, "");
    px_store_destroy(store);
}

/* [RES-047] */
static void names(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};
    struct list inner = {0};

    (void) state;
    put_text(&inner, PMIX_HOSTNAME, "n0.example.org");
    put_text(&inner, PMIX_HOSTNAME_ALIASES, "front,10.0.0.7");
    put_text(&inner, PMIX_LOCAL_PEERS, "0");
    put_array(&list, PMIX_NODE_INFO_ARRAY, &inner);
    put_node(&list, "n1", true, "1");
    put_node(&list, "10.0.0.8", true, "2");
    assert_int_equal(store_list(store, &list, "n1"), 0);
    expect_peers(store, "front", "0");
    expect_peers(store, "10.0.0.7", "0");
    expect_peers(store, "n0", "0");
    expect_peers(store, "n1.example.org", "1");
    expect_peers(store, "n0.other.org", "");
    expect_peers(store, "10.0.0.9", "");
    px_store_destroy(store);
}

static void full_names_kept(void **state)
{
    struct px_store *store = make_store();
    struct list list = {0};

    (void) state;
    put_bool(&list, PMIX_HOSTNAME_KEEP_FQDN, true);
    put_node(&list, "n0.example.org", true, "0");
    assert_int_equal(store_list(store, &list, "x"), 0);
    expect_peers(store, "n0", "");
    expect_peers(store, "n0.example.org", "0");
    px_store_destroy(store);
}

/* [RES-039], [RES-048] */
static void several(void **state)
{
    struct px_store *a = make_store();
    struct px_store *b = make_store();
    const struct px_store *both[2] = {a, b};
    struct list list = {0};
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;

    (void) state;
    put_node(&list, "n0", true, "0,1");
    put_node(&list, "n1", true, "2");
    assert_int_equal(store_list(a, &list, "n0"), 0);
    put_node(&list, "n0", false, NULL);
    put_node(&list, "n2", true, "5");
    assert_int_equal(store_list(b, &list, "n0"), 0);
    assert_int_equal(px_resolve_peers(both, 2, "n0", &procs, &n), 0);
    assert_int_equal(n, 2);
    free(procs);
    assert_int_equal(px_resolve_nodes(both, 2, &nodes), 0);
    assert_string_equal(nodes, "n0,n1,n2");
    free(nodes);
    px_store_destroy(a);
    px_store_destroy(b);
}

/* A list that no registration would have stored so. */
static void expect_damaged(const pmix_value_t *value)
{
    struct px_store *store = make_store();
    struct px_batch *batch = px_batch_create();
    struct px_node_def def = {.name = "n0", .nodeid = PX_NO_NODEID};
    struct px_store_entry entry = {.level = PX_LEVEL_NODE, .key = PMIX_LOCAL_PEERS, .value = value};

    assert_int_equal(px_batch_node(batch, store, &def, &entry.index), 0);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(peers_status(store, "n0"), PMIX_ERR_UNPACK_FAILURE);
    px_store_destroy(store);
}

/* [RES-042] */
static void damaged_list(void **state)
{
    (void) state;
    expect_damaged(&(pmix_value_t){.type = PMIX_STRING, .data.string = (char *) "0,x"});
    expect_damaged(&(pmix_value_t){.type = PMIX_UINT32, .data.uint32 = 7});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_lists),
        cmocka_unit_test(not_given),
        cmocka_unit_test(given_for_the_job),
        cmocka_unit_test(rebuilt_from_a_raw_map),
        cmocka_unit_test(many_peers_rebuilt),
        cmocka_unit_test(rebuilt),
        cmocka_unit_test(rebuilt_from_procs),
        cmocka_unit_test(map_order),
        cmocka_unit_test(list_changes),
        cmocka_unit_test(switched_off),
        cmocka_unit_test(given_wins),
        cmocka_unit_test(not_on_the_list),
        cmocka_unit_test(no_namespace_no_nodes),
        cmocka_unit_test(names),
        cmocka_unit_test(full_names_kept),
        cmocka_unit_test(several),
        cmocka_unit_test(damaged_list),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
