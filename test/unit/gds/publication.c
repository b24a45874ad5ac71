/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Publications: all or nothing, replaced values, what changes nothing costs nothing, and every
 * failure on the way. And large tables, which grow little by little. */
#include "support.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/slice.h"

static void assert_unchanged(const struct px_store_info *before, const struct px_store_info *after)
{
    assert_int_equal(before->used_bytes, after->used_bytes);
    assert_int_equal(before->sequence, after->sequence);
    assert_int_equal(before->n_nodes, after->n_nodes);
    assert_int_equal(before->n_apps, after->n_apps);
    assert_int_equal(before->n_ranks, after->n_ranks);
}

static void replaces(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    struct px_store_info info;
    pmix_value_t v;
    uint32_t i;

    (void) state;
    for (i = 0; i < 1000; i++) {
        v = u32(i);
        assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "a.job.key", &v, 0), 0);
        v = u32(i + 1);
        assert_int_equal(put_one(store, PX_LEVEL_NODE, i % 3, "a.node.key", &v, 0), 0);
        v = u32(i + 2);
        assert_int_equal(put_one(store, PX_LEVEL_PROC, i % 5, "a.proc.key", &v, PMIX_LOCAL), 0);
        assert_int_equal(word(reader, PX_LEVEL_JOB, 0, "a.job.key"), i);
        assert_int_equal(word(reader, PX_LEVEL_NODE, i % 3, "a.node.key"), i + 1);
        assert_int_equal(word(reader, PX_LEVEL_PROC, i % 5, "a.proc.key"), i + 2);
    }
    px_store_info(reader, &info);
    assert_int_equal(info.sequence, 3000);
    assert_int_equal(info.n_ranks, 5);
    close_reader(store, reader);
    drop_store(store);
}

static void same_value_is_no_publication(void **state)
{
    struct px_store *store = make_store(false);
    pmix_value_t a = str("value");
    pmix_value_t b = bytes("\0\1\2", 3);
    struct px_store_info before;
    struct px_store_info after;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "a", &a, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "b", &b, 0), 0);
    px_store_info(store, &before);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "a", &a, PMIX_GLOBAL), 0);
    assert_int_equal(put_one(store, PX_LEVEL_JOB, 0, "b", &b, 0), 0);
    px_store_info(store, &after);
    assert_unchanged(&before, &after);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "a", &a, PMIX_LOCAL), 0); /* scope differs */
    px_store_info(store, &after);
    assert_int_equal(after.sequence, before.sequence + 1);
    drop_store(store);
}

static void later_entry_wins(void **state)
{
    struct px_store *store = make_store(false);
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[6];
    uint32_t i;

    (void) state;
    for (i = 0; i < 6; i++) {
        v[i] = u32(i);
        add(batch, PX_LEVEL_PROC, i / 3, "p", &v[i]);
        add(batch, PX_LEVEL_APP, i / 3, "a", &v[i]);
    }
    add(batch, PX_LEVEL_PROC, 0, "p", &v[4]); /* out of order as well */
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(word(store, PX_LEVEL_PROC, 0, "p"), 4);
    assert_int_equal(word(store, PX_LEVEL_PROC, 1, "p"), 5);
    assert_int_equal(word(store, PX_LEVEL_APP, 0, "a"), 2);
    assert_int_equal(word(store, PX_LEVEL_APP, 1, "a"), 5);
    drop_store(store);
}

static void hidden_values(void **state)
{
    struct px_store *store = make_store(false);
    struct px_slice slice;
    pmix_value_t v = u32(1);

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 0, "remote", NULL, PMIX_REMOTE), 0);
    assert_int_equal(find(store, PX_LEVEL_PROC, 0, "remote", &slice),
                     PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    assert_int_equal(find(store, PX_LEVEL_PROC, 1, "remote", &slice), PMIX_ERR_NOT_FOUND);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 0, "remote", &v, PMIX_GLOBAL), 0);
    assert_int_equal(word(store, PX_LEVEL_PROC, 0, "remote"), 1);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 0, "remote", NULL, PMIX_REMOTE), 0);
    assert_int_equal(word(store, PX_LEVEL_PROC, 0, "remote"), 1); /* what is seen stays */
    drop_store(store);
}

static void fill_batch(struct px_batch *batch, struct px_store *store, pmix_value_t *v, uint32_t n)
{
    static const char *names[] = {"n0", "n1", "n2"};
    uint32_t node;
    uint32_t i;

    for (i = 0; i < 3; i++) {
        struct px_node_def def = {.name = names[i], .nodeid = PX_NO_NODEID};

        assert_int_equal(px_batch_node(batch, store, &def, &node), 0);
    }
    for (i = 0; i < n; i++) {
        v[i] = i % 7 ? u32(i * i) : str("odd one");
        add(batch, PX_LEVEL_PROC, i, "mixed", &v[i]);
        add(batch, PX_LEVEL_NODE, i % 3, "at.node", &v[i]);
        assert_int_equal(px_batch_place_rank(batch, i, i * 7 % 3, i % 2), 0);
    }
    add(batch, PX_LEVEL_SESSION, 4, "at.session", &v[1]);
    assert_int_equal(px_batch_local_node(batch, 1), 0);
}

/* Without memory at any one step: a status, and the store as it was. */
static void failing_allocations(void **state)
{
    pmix_value_t v[200];
    pmix_value_t one = u32(1);
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    struct px_store_info before;
    struct px_store_info after;
    long i;
    int rc = PMIX_ERR_NOMEM;

    (void) state;
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 3, "mixed", &one, 0), 0);
    fill_batch(batch, store, v, 200);
    px_store_info(store, &before);
    for (i = 0; rc; i++) {
        fail_allocs_after(i);
        rc = px_store_publish(store, batch);
        fail_allocs_after(-1);
        if (rc) {
            assert_int_equal(rc, PMIX_ERR_NOMEM);
            px_store_info(store, &after);
            assert_unchanged(&before, &after);
            assert_sound(store);
        }
    }
    assert_true(i > 5);
    assert_string_equal(text(store, PX_LEVEL_PROC, 7, "mixed"), "odd one");
    assert_int_equal(word(store, PX_LEVEL_PROC, 199, "mixed"), 199 * 199);
    px_batch_destroy(batch);
    drop_store(store);
}

/* A segment too small: the same. */
static void full_segment(void **state)
{
    struct px_store_opts opts = {.nspace = "job", .shared = true, .virtual_size = 1 << 16};
    struct px_store *store;
    struct px_store_info info;
    char big[3000];
    uint32_t done = 0;
    int rc = 0;

    (void) state;
    memset(big, 'x', sizeof(big));
    assert_int_equal(px_store_create(&opts, &store), 0);
    while (rc == 0) {
        pmix_value_t v = bytes(big, sizeof(big));

        rc = put_one(store, PX_LEVEL_PROC, done, "blob", &v, PMIX_GLOBAL);
        done += rc == 0;
        assert_true(done < 1000);
    }
    assert_int_equal(rc, PMIX_ERR_OUT_OF_RESOURCE);
    assert_true(done > 10);
    px_store_info(store, &info);
    assert_int_equal(info.sequence, done);
    while (done-- > 0) {
        struct px_slice slice;

        assert_int_equal(find(store, PX_LEVEL_PROC, done, "blob", &slice), 0);
        assert_int_equal(slice.len, sizeof(big));
        assert_memory_equal(slice.payload, big, sizeof(big));
    }
    drop_store(store);
}

/* Publishes a value for each of the keys from `from` on, as a commit of a process does. */
static void put_keys(struct px_store *store, uint32_t from, uint32_t n, uint32_t more)
{
    struct px_batch *batch = px_batch_create();
    pmix_value_t *v = calloc(n, sizeof(*v));
    char(*keys)[16] = calloc(n, sizeof(*keys));

    for (uint32_t i = 0; i < n; i++) {
        v[i] = u32(from + i + more);
        snprintf(keys[i], sizeof(keys[i]), "key.%u", from + i);
        add(batch, PX_LEVEL_PROC, 0, keys[i], &v[i]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    free(v);
    free(keys);
}

static uint64_t slots_at(const struct px_store *store, uint64_t loc)
{
    return ((const struct px_table *) (const void *) (store->seg.base + (loc << 3)))->n_slots;
}

/* What a reader finds is the same with the old table, beside which another one is filled, and with
 * that one. */
static void tables_grow_beside(void **state)
{
    enum { PIECE = 500, LAST = 20000 };
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    const struct px_store_header *h = px_store_header(reader);
    uint64_t beside[2] = {0, 0};
    unsigned n_grown[2] = {0, 0};
    char key[16];

    (void) state;
    for (uint32_t n = 0; n < LAST; n += PIECE) {
        uint64_t dead = h->dead;
        uint64_t old = h->keys;

        put_keys(store, n, PIECE, 0);
        if (beside[0] && h->keys == beside[0]) {
            assert_true(h->dead - dead >= slots_at(reader, old) * 8);
            n_grown[0]++;
        }
        n_grown[1] += beside[1] && h->table == beside[1];
        beside[0] = store->key_growth.loc;
        beside[1] = store->record_growth.loc;
        if (beside[1]) {
            put_keys(store, n / 2, 10, 1); /* moved or not, they have to be replaced in both */
            put_keys(store, n / 2, 10, 2);
        }
        for (uint32_t i = 0; i < n + PIECE; i += n / 40 + 1) {
            snprintf(key, sizeof(key), "key.%u", i);
            assert_in_range(word(reader, PX_LEVEL_PROC, 0, key), i, i + 2);
        }
    }
    assert_true(n_grown[0] && n_grown[1]);
    assert_true(slots_at(reader, h->keys) > LAST * 2 && slots_at(reader, h->table) > LAST * 2);
    for (uint32_t i = 0; i < LAST; i++) {
        snprintf(key, sizeof(key), "key.%u", i);
        assert_in_range(word(reader, PX_LEVEL_PROC, 0, key), i, i + 2);
    }
    close_reader(store, reader);
    drop_store(store);
}

static void bad_arguments(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    struct px_batch *batch = px_batch_create();
    pmix_value_t v = u32(1);

    (void) state;
    add(batch, PX_LEVEL_JOB, 0, "k", &v);
    assert_int_equal(px_store_publish(reader, batch), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_batch_local_node(batch, 9), 0);
    assert_int_equal(px_store_publish(store, batch), PMIX_ERR_BAD_PARAM); /* no such node */
    px_batch_destroy(batch);
    close_reader(store, reader);
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces),
        cmocka_unit_test(same_value_is_no_publication),
        cmocka_unit_test(later_entry_wins),
        cmocka_unit_test(hidden_values),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(full_segment),
        cmocka_unit_test(tables_grow_beside),
        cmocka_unit_test(bad_arguments),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
