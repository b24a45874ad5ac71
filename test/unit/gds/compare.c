/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values that are deleted: what readers find then, which of several entries for one value counts,
 * what becomes of columns and of the rank that stands for any, and what a move leaves behind. */
#include "support.h"

#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/level.h"
#include "gds/publication.h"
#include "gds/read.h"

static void add_as(struct px_batch *batch, uint32_t rank, const char *key,
                   const pmix_value_t *value, pmix_scope_t scope)
{
    struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .index = rank, .key = key, .value = value, .scope = scope};

    assert_int_equal(px_batch_add(batch, &entry), 0);
}

/* One publication of at most three values of one rank. */
struct step {
    const pmix_value_t *value;
    pmix_scope_t scope;
};

static void publish(struct px_store *store, uint32_t rank, const char *key,
                    const struct step *steps, size_t n)
{
    struct px_batch *batch = px_batch_create();

    for (size_t i = 0; i < n; i++) {
        add_as(batch, rank, key, steps[i].value, steps[i].scope);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_sound(store);
}

static void drop(struct px_store *store, uint32_t rank, const char *key)
{
    publish(store, rank, key, &(struct step){&px_deleted, PMIX_SCOPE_UNDEF}, 1);
}

static void give(struct px_store *store, uint32_t rank, const char *key, uint32_t number)
{
    pmix_value_t value = u32(number);

    publish(store, rank, key, &(struct step){&value, PMIX_GLOBAL}, 1);
}

static int status(const struct px_store *store, uint32_t rank, const char *key)
{
    struct px_slice slice;

    return find(store, PX_LEVEL_PROC, rank, key, &slice);
}

static uint64_t sequence(const struct px_store *store)
{
    return px_store_header(store)->sequence;
}

static int count_key(void *arg, const char *key, const struct px_slice *slice)
{
    int *n = arg;

    (void) slice;
    *n += strcmp(key, "k") == 0;
    return 0;
}

static void readers(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    pmix_scope_t scope = PMIX_LOCAL;
    uint64_t before;
    int n = 0;

    (void) state;
    give(store, 3, "k", 7);
    assert_false(px_store_is_deleted(reader, 3, "k", 1, &scope));
    drop(store, 3, "k");
    assert_int_equal(status(reader, 3, "k"), PMIX_ERR_NOT_FOUND);
    assert_true(px_store_is_deleted(reader, 3, "k", 1, &scope));
    assert_int_equal(scope, PMIX_SCOPE_UNDEF);
    assert_false(px_store_is_deleted(reader, 2, "k", 1, &scope));
    assert_false(px_store_is_deleted(reader, 3, "other", 5, &scope));
    assert_int_equal(px_store_each(reader, PX_LEVEL_PROC, 3, count_key, &n), 0);
    assert_int_equal(n, 0);
    before = sequence(store);
    drop(store, 3, "k");
    assert_int_equal(sequence(store), before); /* it is gone already */
    publish(store, 3, "k", &(struct step){&px_deleted, PMIX_INTERNAL}, 1);
    assert_true(px_store_is_deleted(reader, 3, "k", 1, &scope));
    assert_int_equal(scope, PMIX_INTERNAL);
    give(store, 3, "k", 8);
    assert_int_equal(word(reader, PX_LEVEL_PROC, 3, "k"), 8);
    assert_false(px_store_is_deleted(reader, 3, "k", 1, &scope));
    close_reader(store, reader);
    drop_store(store);
}

/* A value without a type is none that was deleted. */
static void no_type(void **state)
{
    struct px_store *store = make_store(false);
    pmix_value_t none = {.type = PMIX_UNDEF};
    pmix_scope_t scope;
    struct px_slice slice;

    (void) state;
    publish(store, 0, "k", &(struct step){&none, PMIX_GLOBAL}, 1);
    assert_int_equal(find(store, PX_LEVEL_PROC, 0, "k", &slice), 0);
    assert_false(px_store_is_deleted(store, 0, "k", 1, &scope));
    drop(store, 0, "k");
    assert_int_equal(status(store, 0, "k"), PMIX_ERR_NOT_FOUND);
    drop_store(store);
}

/* Entries of one publication over a value that is there. 0: a value; else the status. */
static void order(void **state)
{
    static const pmix_value_t seven = {.type = PMIX_UINT32, .data.uint32 = 7};
    const struct step gone = {&px_deleted, PMIX_SCOPE_UNDEF};
    const struct step hides = {&px_deleted, PMIX_REMOTE};
    const struct step mark = {NULL, PMIX_REMOTE};
    const struct step value = {&seven, PMIX_GLOBAL};
    const struct {
        struct step steps[3];
        size_t n;
        int want;
    } all[] = {
        {{mark}, 1, 0},
        {{gone}, 1, PMIX_ERR_NOT_FOUND},
        {{hides}, 1, PMIX_ERR_EXISTS_OUTSIDE_SCOPE},
        {{gone, value}, 2, 0},
        {{value, gone}, 2, PMIX_ERR_NOT_FOUND},
        {{gone, mark}, 2, PMIX_ERR_EXISTS_OUTSIDE_SCOPE},
        {{mark, gone}, 2, PMIX_ERR_NOT_FOUND},
        {{value, mark}, 2, 0},
        {{hides, gone}, 2, PMIX_ERR_NOT_FOUND},
        {{value, gone, mark}, 3, PMIX_ERR_EXISTS_OUTSIDE_SCOPE},
        {{gone, mark, value}, 3, 0},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct px_store *store = make_store(false);
        struct px_slice slice;

        give(store, 5, "k", 1);
        publish(store, 5, "k", all[i].steps, all[i].n);
        assert_int_equal(px_store_find(store, PX_LEVEL_PROC, 5, "k", 1, &slice), all[i].want);
        give(store, 5, "k", 2);
        assert_int_equal(word(store, PX_LEVEL_PROC, 5, "k"), 2);
        drop_store(store);
    }
}

/* --- columns --- */

enum { N = 16 };

static void give_all(struct px_store *store, uint32_t number)
{
    struct px_batch *batch = px_batch_create();

    for (uint32_t rank = 0; rank < N; rank++) {
        pmix_value_t value = u32(number + rank);

        add_as(batch, rank, "k", &value, PMIX_GLOBAL);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

/* Deletes the ranks of the mask and gives the others of `given` a value, in one publication. */
static void change(struct px_store *store, uint32_t gone, uint32_t given)
{
    struct px_batch *batch = px_batch_create();

    for (uint32_t rank = N; rank-- > 0;) {
        pmix_value_t value = u32(100 + rank);

        if (gone >> rank & 1) {
            add_as(batch, rank, "k", &px_deleted, PMIX_SCOPE_UNDEF);
        } else if (given >> rank & 1) {
            add_as(batch, rank, "k", &value, PMIX_GLOBAL);
        }
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_sound(store);
}

static void columns(void **state)
{
    static const struct {
        uint32_t gone;
        uint32_t given;
    } all[] = {{0xffff, 0}, {0x00ff, 0}, {0x0001, 0}, {0x8000, 0x7fff}, {0xf0f0, 0x000f}, {0x3, 0}};

    (void) state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct px_store *store = make_store(true);
        struct px_store *reader = open_reader(store);

        give_all(store, 0);
        change(store, all[i].gone, all[i].given);
        for (uint32_t rank = 0; rank < N; rank++) {
            if (all[i].gone >> rank & 1) {
                assert_int_equal(status(reader, rank, "k"), PMIX_ERR_NOT_FOUND);
            } else {
                assert_int_equal(word(reader, PX_LEVEL_PROC, rank, "k"),
                                 (all[i].given >> rank & 1) ? 100 + rank : rank);
            }
        }
        give_all(store, 50);
        for (uint32_t rank = 0; rank < N; rank++) {
            assert_int_equal(word(reader, PX_LEVEL_PROC, rank, "k"), 50 + rank);
        }
        close_reader(store, reader);
        drop_store(store);
    }
}

/* Numbers that stay are still kept as numbers: one deletion does not make cells of all of them. */
static void stay_numbers(void **state)
{
    struct px_store *store = make_store(false);
    const struct px_key *key;
    const struct px_column *col;
    struct px_read read;

    (void) state;
    give_all(store, 0);
    change(store, 0x0ff0, 0);
    px_read_begin(store, &read);
    key = px_read_find_key(&read, "k", 1);
    col = px_read_column(&read, key);
    assert_non_null(col);
    assert_int_equal(col->kind, PX_COLUMN_AFFINE);
    drop_store(store);
}

/* --- the rank that stands for any --- */

static int any_of(const struct px_store *store, const char *key, uint64_t *ret)
{
    struct px_lookup_key spec = PX_LOOKUP_KEY_INIT;
    struct px_slice slice;
    int rc;

    spec.rank = PMIX_RANK_UNDEF;
    spec.key = key;
    spec.key_len = strlen(key);
    rc = px_store_get(store, &spec, &slice);
    if (rc == 0) {
        *ret = slice.word;
    }
    return rc;
}

static int any(const struct px_store *store, uint64_t *ret)
{
    return any_of(store, "k", ret);
}

static void any_rank(void **state)
{
    struct px_store *store = make_store(false);
    uint64_t found = 0;

    (void) state;
    give(store, 9, "k", 9);
    give(store, 4, "k", 4);
    give(store, 6, "k", 6);
    assert_int_equal(any(store, &found), 0);
    assert_int_equal(found, 9);
    drop(store, 4, "k");
    assert_int_equal(any(store, &found), 0);
    assert_int_equal(found, 9);
    drop(store, 9, "k");
    assert_int_equal(any(store, &found), 0);
    assert_int_equal(found, 6);
    drop(store, 6, "k");
    assert_int_equal(any(store, &found), PMIX_ERR_NOT_FOUND);
    give(store, 2, "k", 2);
    assert_int_equal(any(store, &found), 0);
    assert_int_equal(found, 2);
    change(store, 1u << 2, 1u << 11); /* it moves */
    assert_int_equal(any(store, &found), 0);
    assert_int_equal(found, 111);
    give_all(store, 0);
    change(store, 0xffff, 0);
    assert_int_equal(any(store, &found), PMIX_ERR_NOT_FOUND);
    change(store, 0, 0xffff);
    assert_int_equal(any(store, &found), 0);
    drop_store(store);
}

/* --- moves --- */

/* What comes and goes is garbage, and a move leaves nothing of it. */
static void moves(void **state)
{
    struct px_store_opts opts = {
        .nspace = "job", .shared = true, .moves = true, .garbage_bytes = 4096};
    struct px_store_info after;
    struct px_store *store;
    pmix_scope_t scope;
    char key[32];

    (void) state;
    assert_int_equal(px_store_create(&opts, &store), 0);
    give(store, 0, "stays", 1);
    for (uint32_t i = 0; i < 2000; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        give(store, 0, key, i);
        drop(store, 0, key);
        px_store_compact(store);
    }
    px_store_info(store, &after);
    assert_true(after.generation > 1);
    assert_true(after.used_bytes < UINT64_C(1) << 19);
    assert_false(px_store_has_key(store, "key-0", 5));
    assert_false(px_store_is_deleted(store, 0, "key-0", 5, &scope));
    assert_int_equal(word(store, PX_LEVEL_PROC, 0, "stays"), 1);
    drop_store(store);
}

/* A deletion is garbage itself: here it replaces nothing else. */
static void garbage(void **state)
{
    struct px_store *store = make_store(false);
    struct px_store_info before;
    struct px_store_info after;

    (void) state;
    give_all(store, 0);
    px_store_info(store, &before);
    drop(store, 3, "k");
    px_store_info(store, &after);
    assert_int_equal(after.garbage_bytes - before.garbage_bytes,
                     sizeof(struct px_record) + sizeof(struct px_cell));
    give(store, 3, "k", 3);
    px_store_info(store, &before);
    assert_int_equal(before.garbage_bytes, after.garbage_bytes);
    drop_store(store);
}

/* Without memory readers see what they saw before. */
static void without_memory(void **state)
{
    pmix_value_t value = str("text");
    long n;

    (void) state;
    for (n = 0;; n++) {
        struct px_store *store = make_store(false);
        struct px_batch *batch = px_batch_create();
        int rc;

        give_all(store, 0);
        give(store, 20, "k", 20);
        for (uint32_t rank = 0; rank < 8; rank++) {
            add_as(batch, rank, "k", &px_deleted, PMIX_SCOPE_UNDEF);
        }
        add_as(batch, 20, "k", &value, PMIX_LOCAL);
        fail_allocs_after(n);
        rc = px_store_publish(store, batch);
        fail_allocs_after(-1);
        assert_true(rc == 0 || rc == PMIX_ERR_NOMEM);
        assert_int_equal(status(store, 0, "k"), rc == 0 ? PMIX_ERR_NOT_FOUND : 0);
        assert_int_equal(status(store, 8, "k"), 0);
        px_batch_destroy(batch);
        drop_store(store);
        if (rc == 0) {
            break;
        }
    }
    assert_true(n > 0);
}

/* The keys of one rank are deleted in a job in which nobody else has them. With a look at all ranks
 * for each of them this would take longer than the program has. */
static void many_of_a_large_job(void **state)
{
    enum { KEYS = 4000, LAST = 999999 };
    struct px_store *store = make_store(false);
    struct px_batch *values = px_batch_create();
    struct px_batch *deletions = px_batch_create();
    pmix_value_t value = u32(7);
    static char keys[KEYS][16];
    uint64_t found = 0;

    (void) state;
    give(store, LAST, "other", 1);
    for (unsigned i = 0; i < KEYS; i++) {
        (void) snprintf(keys[i], sizeof(keys[i]), "key.%u", i);
        add_as(values, 10, keys[i], &value, PMIX_GLOBAL);
        add_as(deletions, 10, keys[i], &px_deleted, PMIX_SCOPE_UNDEF);
    }
    assert_int_equal(px_store_publish(store, values), 0);
    assert_int_equal(any_of(store, "key.0", &found), 0);
    assert_int_equal(px_store_publish(store, deletions), 0);
    for (unsigned i = 0; i < KEYS; i++) {
        assert_int_equal(any_of(store, keys[i], &found), PMIX_ERR_NOT_FOUND);
        assert_int_equal(status(store, 10, keys[i]), PMIX_ERR_NOT_FOUND);
    }
    assert_int_equal(any_of(store, "other", &found), 0);
    px_batch_destroy(values);
    px_batch_destroy(deletions);
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers),        cmocka_unit_test(no_type),
        cmocka_unit_test(order),          cmocka_unit_test(columns),
        cmocka_unit_test(stay_numbers),   cmocka_unit_test(any_rank),
        cmocka_unit_test(moves),          cmocka_unit_test(garbage),
        cmocka_unit_test(without_memory), cmocka_unit_test(many_of_a_large_job),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
