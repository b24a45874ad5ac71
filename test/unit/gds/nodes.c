/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Nodes, their names, and which ranks run where: regular and irregular layouts, both ways, and as
 * they change. */
#include "support.h"
#include "gds/batch.h"
#include "gds/nodes.h"
#include "gds/publication.h"

static uint32_t define(struct px_batch *batch, struct px_store *store, const char *name,
                       const char *const *aliases, uint32_t nodeid)
{
    struct px_node_def def = {.name = name, .aliases = aliases, .nodeid = nodeid};
    uint32_t index = 12345;

    assert_int_equal(px_batch_node(batch, store, &def, &index), 0);
    return index;
}

static void check_layout(const struct px_store *store, const uint32_t *node_of, uint32_t n_ranks,
                         uint32_t n_nodes)
{
    uint32_t *ranks = malloc((n_ranks + 1) * sizeof(*ranks));
    uint32_t node;

    for (node = 0; node < n_nodes; node++) {
        uint32_t n = px_store_node_ranks(store, node, ranks, n_ranks);
        struct px_node_view view;
        uint32_t rank;
        uint32_t k = 0;

        for (rank = 0; rank < n_ranks; rank++) {
            if (node_of[rank] == node) {
                assert_int_equal(ranks[k], rank);
                k++;
            }
        }
        assert_int_equal(n, k);
        assert_int_equal(px_store_node(store, node, &view), 0);
        assert_int_equal(view.n_ranks, n);
        assert_int_equal(px_store_node_by_name(store, view.name), node);
        assert_int_equal(px_store_node_by_id(store, view.nodeid), node);
    }
    for (node = 0; node < n_ranks; node++) {
        assert_int_equal(px_store_node_of(store, node), node_of[node]);
    }
    assert_int_equal(px_store_node_of(store, n_ranks), PX_NO_NODE);
    free(ranks);
}

enum layout { BLOCK, CYCLIC, ONE, MIXED, HOLES, N_LAYOUTS };

static uint32_t node_for(enum layout layout, uint32_t rank, uint32_t n_nodes, uint64_t *rng)
{
    switch (layout) {
    case BLOCK:
        return rank / 7 < n_nodes ? rank / 7 : n_nodes - 1;
    case CYCLIC:
        return rank % n_nodes;
    case ONE:
        return n_nodes - 1;
    case HOLES:
        return next_random(rng) % 3 ? next_random(rng) % n_nodes : PX_NO_NODE;
    case MIXED:
    case N_LAYOUTS:
    default:
        return next_random(rng) % n_nodes;
    }
}

static void layouts(void **state)
{
    enum { N_NODES = 5, N_RANKS = 33 };
    uint64_t rng = 4711;
    unsigned layout;

    (void) state;
    for (layout = 0; layout < N_LAYOUTS; layout++) {
        struct px_store *store = make_store(layout % 2);
        struct px_store *reader = open_reader(store);
        struct px_batch *batch = px_batch_create();
        uint32_t node_of[N_RANKS];
        char names[N_NODES][8];
        uint32_t i;

        for (i = 0; i < N_NODES; i++) {
            (void) snprintf(names[i], sizeof(names[i]), "n%u", i);
            assert_int_equal(define(batch, store, names[i], NULL, 100 + i), i);
        }
        for (i = 0; i < N_RANKS; i++) {
            node_of[i] = node_for((enum layout) layout, i, N_NODES, &rng);
            assert_int_equal(px_batch_place_rank(batch, i, node_of[i], i / 10), 0);
        }
        assert_int_equal(px_store_publish(store, batch), 0);
        px_batch_destroy(batch);
        check_layout(reader, node_of, N_RANKS, N_NODES);
        assert_int_equal(px_store_app_of(reader, 31), 3);
        assert_int_equal(px_store_app_of(reader, 33), PX_NO_APP);
        close_reader(store, reader);
        drop_store(store);
    }
}

static void names_and_aliases(void **state)
{
    static const char *const first[] = {"a.example", "10.0.0.1", NULL};
    static const char *const more[] = {"10.0.0.1", "fe80::1", NULL};
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    struct px_node_view view;

    (void) state;
    assert_int_equal(px_store_node_by_name(store, "a"), PX_NO_NODE);
    assert_int_equal(px_store_local_node(store), PX_NO_NODE);
    assert_int_equal(define(batch, store, "a", first, PX_NO_NODEID), 0);
    assert_int_equal(define(batch, store, "b", NULL, 70), 1);
    assert_int_equal(define(batch, store, "10.0.0.1", NULL, PX_NO_NODEID), 0);
    assert_int_equal(define(batch, store, "other.name", more, PX_NO_NODEID), 0);
    assert_int_equal(px_batch_local_node(batch, 1), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(px_store_node_by_name(store, "a.example"), 0);
    assert_int_equal(px_store_node_by_name(store, "10.0.0.1"), 0);
    assert_int_equal(px_store_node_by_name(store, "fe80::1"), 0);
    assert_int_equal(px_store_node_by_name(store, "other.name"), 0);
    assert_int_equal(px_store_node_by_name(store, "b"), 1);
    assert_int_equal(px_store_node_by_name(store, "c"), PX_NO_NODE);
    assert_int_equal(px_store_node_by_id(store, 70), 1);
    assert_int_equal(px_store_local_node(store), 1);
    assert_int_equal(px_store_node(store, 0, &view), 0);
    assert_string_equal(view.name, "a");
    assert_int_equal(view.nodeid, 0);
    assert_string_equal(px_store_node_alias(store, 0, 0), "a.example");
    assert_string_equal(px_store_node_alias(store, 0, 3), "fe80::1");
    assert_null(px_store_node_alias(store, 0, 4));
    assert_null(px_store_node_alias(store, 1, 0));
    assert_null(px_store_node_alias(store, 2, 0));
    assert_int_equal(px_store_node(store, 2, &view), PMIX_ERR_NOT_FOUND);
    drop_store(store);
}

static void grows(void **state)
{
    enum { STEPS = 40 };
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    uint32_t node_of[STEPS * 3];
    char name[16];
    uint32_t i;

    (void) state;
    for (i = 0; i < STEPS; i++) {
        struct px_batch *batch = px_batch_create();
        uint32_t k;

        (void) snprintf(name, sizeof(name), "node%u", i);
        assert_int_equal(define(batch, store, name, NULL, PX_NO_NODEID), i);
        for (k = 0; k < 3; k++) {
            node_of[3 * i + k] = k == 2 ? 0 : i;
            assert_int_equal(px_batch_place_rank(batch, 3 * i + k, node_of[3 * i + k], 0), 0);
        }
        assert_int_equal(px_batch_local_node(batch, i / 2), 0);
        assert_int_equal(px_store_publish(store, batch), 0);
        px_batch_destroy(batch);
        check_layout(reader, node_of, 3 * (i + 1), i + 1);
        assert_int_equal(px_store_local_node(reader), i / 2);
    }
    close_reader(store, reader);
    drop_store(store);
}

static void only_the_local_node(void **state)
{
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    struct px_store_info before;
    struct px_store_info after;

    (void) state;
    (void) define(batch, store, "a", NULL, PX_NO_NODEID);
    (void) define(batch, store, "b", NULL, PX_NO_NODEID);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    px_store_info(store, &before);
    batch = px_batch_create();
    assert_int_equal(px_batch_local_node(batch, define(batch, store, "b", NULL, PX_NO_NODEID)), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_store_info(store, &after);
    assert_int_equal(px_store_local_node(store), 1);
    assert_true(after.used_bytes - before.used_bytes < 200);
    assert_int_equal(px_store_publish(store, batch), 0); /* nothing new */
    px_store_info(store, &before);
    assert_int_equal(after.sequence, before.sequence);
    px_batch_destroy(batch);
    drop_store(store);
}

static void refusals(void **state)
{
    struct px_store *store = make_store(false);
    struct px_batch *batch = px_batch_create();
    struct px_batch *rival = px_batch_create();
    struct px_node_def empty = {.name = ""};
    uint32_t index;

    (void) state;
    assert_int_equal(px_batch_node(batch, store, &empty, &index), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_batch_place_rank(batch, PMIX_RANK_WILDCARD, 0, 0), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_batch_place_rank(batch, 0, 3, 0), 0);
    assert_int_equal(px_store_publish(store, batch), PMIX_ERR_BAD_PARAM); /* no such node */
    px_batch_destroy(batch);
    batch = px_batch_create();
    (void) define(batch, store, "a", NULL, PX_NO_NODEID);
    assert_int_equal(px_batch_place_rank(batch, PMIX_RANK_VALID, 0, 0), 0);
    assert_int_equal(px_store_publish(store, batch), PMIX_ERR_BAD_PARAM); /* 16 GiB for one rank */
    px_batch_destroy(batch);
    batch = px_batch_create();
    (void) define(batch, store, "a", NULL, PX_NO_NODEID);
    assert_int_equal(px_batch_local_node(batch, 1), 0);
    assert_int_equal(px_store_publish(store, batch), PMIX_ERR_BAD_PARAM); /* nor this one */
    px_batch_destroy(batch);
    batch = px_batch_create();
    (void) define(batch, store, "a", NULL, PX_NO_NODEID);
    (void) define(rival, store, "b", NULL, PX_NO_NODEID);
    assert_int_equal(px_store_publish(store, batch), 0);
    assert_int_equal(px_store_publish(store, rival), PMIX_ERR_BAD_PARAM); /* indices collide */
    px_batch_destroy(rival);
    px_batch_destroy(batch);
    drop_store(store);
}

/* Tables of a damaged placement that lead to no node of it: nobody has the name, or the number.
 * SHM-011. */
static void tables_that_lead_elsewhere(void **state)
{
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    const struct px_placement *place;
    struct px_table *tables[2];

    (void) state;
    assert_int_equal(define(batch, store, "only", NULL, 7), 0);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(px_store_node_by_name(store, "only"), 0);
    assert_int_equal(px_store_node_by_id(store, 7), 0);
    place = (const void *) (store->seg.base + (px_store_header(store)->place << 3));
    tables[0] = (void *) (store->seg.base + (place->names << 3));
    tables[1] = (void *) (store->seg.base + (place->ids << 3));
    for (int t = 0; t < 2; t++) {
        for (uint64_t i = 0; i < tables[t]->n_slots; i++) {
            uint64_t good = tables[t]->slots[i];

            for (uint64_t step = 1; good && step < 8; step += 3) {
                tables[t]->slots[i] = good + step;
                assert_int_equal(t == 0 ? px_store_node_by_name(store, "only")
                                        : px_store_node_by_id(store, 7),
                                 PX_NO_NODE);
            }
            tables[t]->slots[i] = good;
        }
    }
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),  cmocka_unit_test(names_and_aliases),
        cmocka_unit_test(grows),    cmocka_unit_test(only_the_local_node),
        cmocka_unit_test(refusals), cmocka_unit_test(tables_that_lead_elsewhere),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
