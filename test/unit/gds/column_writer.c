/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Each form of a column: chosen when it should be, read back right, with absent ranks, overlaid and
 * rebuilt.
 * Covers: SHM-014 */
#include "support.h"

#include "gds/key_table.h"
#include "shmem/offset.h"
#include "gds/batch.h"
#include "gds/publication.h"
#include "gds/slice.h"
#include "src/base/release.h"

enum { N = 300 };

typedef pmix_value_t (*make_fn)(uint32_t rank);

static char names[N][40];

static pmix_value_t constant(uint32_t rank)
{
    (void) rank;
    return u32(77);
}

static pmix_value_t rising(uint32_t rank)
{
    return u32(1000 + 3 * rank);
}

static pmix_value_t falling(uint32_t rank)
{
    pmix_value_t v = {.type = PMIX_INT};

    v.data.integer = 100 - (int) rank;
    return v;
}

static pmix_value_t narrow(uint32_t rank)
{
    return u16((uint16_t) (rank % 13));
}

static pmix_value_t middle(uint32_t rank)
{
    return u32(rank * rank % 60000);
}

static pmix_value_t wide(uint32_t rank)
{
    return u32(rank * 2654435761u);
}

static pmix_value_t widest(uint32_t rank)
{
    pmix_value_t v = {.type = PMIX_UINT64, .data.uint64 = (uint64_t) rank * rank << 40};

    return v;
}

static pmix_value_t one_text(uint32_t rank)
{
    (void) rank;
    return str("the same for all");
}

static pmix_value_t few_texts(uint32_t rank)
{
    return str(names[rank % 9]);
}

static pmix_value_t many_texts(uint32_t rank)
{
    return str(names[rank]);
}

static pmix_value_t mixed(uint32_t rank)
{
    return rank % 2 ? u32(rank) : str(names[rank % 4]);
}

static const struct px_column *column_of(const struct px_store *store, const char *key)
{
    struct px_view view;
    const struct px_key *found;

    px_view_init(&view, store->seg.base, store->seg.size);
    found = px_key_find(&view, px_store_header(store)->keys, key, strlen(key),
                        px_hash_bytes(key, strlen(key)));
    return found && found->column ? px_at(&view, found->column, sizeof(struct px_column)) : NULL;
}

static void check(const struct px_store *store, uint32_t rank, const pmix_value_t *want)
{
    struct px_slice slice;
    pmix_value_t got;

    assert_int_equal(find(store, PX_LEVEL_PROC, rank, "key", &slice), 0);
    assert_int_equal(px_slice_fill(&slice, &got), 0);
    assert_int_equal(got.type, want->type);
    if (want->type == PMIX_STRING) {
        assert_string_equal(got.data.string, want->data.string);
        free(got.data.string);
    } else {
        size_t size = want->type == PMIX_UINT64 ? 8 : want->type == PMIX_UINT16 ? 2 : 4;

        assert_memory_equal(&got.data, &want->data, size);
    }
}

static void publish_all(struct px_store *store, make_fn make, uint32_t step)
{
    struct px_batch *batch = px_batch_create();
    static pmix_value_t v[N];
    uint32_t rank;

    for (rank = 0; rank < N; rank += step) {
        v[rank] = make(rank);
        add(batch, PX_LEVEL_PROC, rank, "key", &v[rank]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
}

static void run(make_fn make, uint8_t kind, uint32_t width, uint32_t step)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    const struct px_column *col;
    struct px_slice slice;
    pmix_value_t over = str("over");
    pmix_value_t want;
    uint32_t rank;

    publish_all(store, make, step);
    col = column_of(reader, "key");
    assert_non_null(col);
    assert_int_equal(col->kind, kind);
    assert_int_equal(col->width, width);
    for (rank = 0; rank < N; rank++) {
        if (rank % step) {
            assert_int_equal(find(reader, PX_LEVEL_PROC, rank, "key", &slice), PMIX_ERR_NOT_FOUND);
        } else {
            want = make(rank);
            check(reader, rank, &want);
        }
    }
    assert_int_equal(find(reader, PX_LEVEL_PROC, N, "key", &slice), PMIX_ERR_NOT_FOUND);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 6, "key", &over, 0), 0);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, N + 5, "key", &over, 0), 0);
    assert_ptr_equal(column_of(reader, "key"), col);
    check(reader, 6, &over);
    check(reader, N + 5, &over);
    want = make(12);
    check(reader, 12, &want);
    publish_all(store, constant,
                step); /* a new column above the overlay, or what differs from it */
    want = constant(0);
    check(reader, 6, &want);
    check(reader, 12, &want);
    check(reader, N + 5, &over);
    assert_sound(store);
    publish_all(store, many_texts, 1);
    for (rank = 0; rank < N; rank++) {
        want = many_texts(rank);
        check(reader, rank, &want);
    }
    close_reader(store, reader);
    drop_store(store);
}

static void forms(void **state)
{
    uint32_t step;

    (void) state;
    for (step = 1; step <= 3; step++) {
        run(constant, PX_COLUMN_CONST, 0, step);
        run(rising, PX_COLUMN_AFFINE, 0, step);
        run(narrow, PX_COLUMN_ARRAY, 8, step);
        run(middle, PX_COLUMN_ARRAY, 16, step);
        run(wide, PX_COLUMN_ARRAY, 32, step);
        run(widest, PX_COLUMN_ARRAY, 64, step);
        run(one_text, PX_COLUMN_CELL, 0, step);
        run(few_texts, PX_COLUMN_DICT, 8, step);
        run(mixed, PX_COLUMN_DICT, 8, step);
    }
    run(many_texts, PX_COLUMN_LOC, 64, 1);
}

static void negative_numbers(void **state)
{
    struct px_store *store = make_store(false);
    struct px_slice slice;
    pmix_value_t got;
    uint32_t rank;

    (void) state;
    publish_all(store, falling, 1);
    for (rank = 0; rank < N; rank++) {
        assert_int_equal(find(store, PX_LEVEL_PROC, rank, "key", &slice), 0);
        assert_int_equal(px_slice_fill(&slice, &got), 0);
        assert_int_equal(got.data.integer, 100 - (int) rank);
    }
    drop_store(store);
}

/* The second fence: what has not changed costs nothing, a little that has costs a little. */
static void changes_only(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store_info before;
    struct px_store_info after;
    pmix_value_t v[N];
    struct px_batch *batch;
    uint32_t rank;

    (void) state;
    publish_all(store, many_texts, 1);
    px_store_info(store, &before);
    publish_all(store, many_texts, 1);
    px_store_info(store, &after);
    assert_int_equal(before.sequence, after.sequence);
    assert_int_equal(before.used_bytes, after.used_bytes);
    batch = px_batch_create();
    for (rank = 0; rank < N; rank++) {
        v[rank] = rank == 200 ? str("changed") : str(names[rank]);
        add(batch, PX_LEVEL_PROC, rank, "key", &v[rank]);
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    px_store_info(store, &after);
    assert_true(after.used_bytes - before.used_bytes < 2048);
    check(store, 200, &v[200]);
    check(store, 199, &v[199]);
    drop_store(store);
}

/* Values that differ in nothing but their scope: numbers, and one text in one place. */
static void scopes(void **state)
{
    static const pmix_scope_t said[] = {PMIX_GLOBAL, PMIX_LOCAL};
    static const char *const keys[] = {"number", "text"};
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[2] = {u32(77), str(names[0])};
    struct px_slice slice;

    (void) state;
    for (uint32_t rank = 0; rank < N; rank++) {
        for (int k = 0; k < 2; k++) {
            struct px_store_entry entry = {.level = PX_LEVEL_PROC,
                                           .index = rank,
                                           .key = keys[k],
                                           .value = &v[k],
                                           .scope = said[rank % 2]};

            assert_int_equal(px_batch_add(batch, &entry), 0);
        }
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    for (uint32_t rank = 0; rank < N; rank++) {
        for (int k = 0; k < 2; k++) {
            assert_int_equal(find(store, PX_LEVEL_PROC, rank, keys[k], &slice), 0);
            assert_int_equal(slice.scope, said[rank % 2]);
        }
    }
    drop_store(store);
}

/* Of values of one rank in a batch the last counts, but what is hidden hides none. */
static void said_twice(void **state)
{
    static const uint32_t ranks[] = {3, 1, 3, 2, 1, 0};
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    pmix_value_t v[6];
    struct px_slice slice;

    (void) state;
    for (uint32_t i = 0; i < 6; i++) {
        v[i] = u32(10 + i);
        add(batch, PX_LEVEL_PROC, ranks[i], "key", &v[i]);
    }
    add(batch, PX_LEVEL_PROC, 3, "key", NULL);
    add(batch, PX_LEVEL_PROC, 4, "key", NULL);
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(word(store, PX_LEVEL_PROC, 0, "key"), 15);
    assert_int_equal(word(store, PX_LEVEL_PROC, 1, "key"), 14);
    assert_int_equal(word(store, PX_LEVEL_PROC, 2, "key"), 13);
    assert_int_equal(word(store, PX_LEVEL_PROC, 3, "key"), 12);
    assert_int_equal(find(store, PX_LEVEL_PROC, 4, "key", &slice), PMIX_ERR_EXISTS_OUTSIDE_SCOPE);
    drop_store(store);
}

/* Nine keys of a usual job take few bytes per rank. */
static void bytes_per_rank(void **state)
{
    enum { RANKS = 20000 };
    struct px_store *store = make_store(true);
    struct px_batch *batch = px_batch_create();
    pmix_value_t *v = calloc(RANKS * 9, sizeof(*v));
    static const char *const keys[] = {PMIX_RANK,       PMIX_APP_RANK,  PMIX_GLOBAL_RANK,
                                       PMIX_LOCAL_RANK, PMIX_NODE_RANK, PMIX_NODEID,
                                       PMIX_HOSTNAME,   PMIX_APPNUM,    PMIX_LOCALITY_STRING};
    struct px_store_info info;
    uint32_t rank;
    uint32_t k;

    (void) state;
    for (rank = 0; rank < RANKS; rank++) {
        for (k = 0; k < 9; k++) {
            uint32_t numbers[] = {rank,       rank, rank + 5, rank % 128, rank % 128,
                                  rank / 128, 0,    0,        0};
            pmix_value_t *value = &v[rank * 9 + k];

            *value = k == 6   ? str(names[rank / 128])
                     : k == 8 ? str(names[rank % 64])
                              : u32(numbers[k]);
            add(batch, PX_LEVEL_PROC, rank, keys[k], value);
        }
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    free(v);
    px_store_info(store, &info);
    print_message("# %.1f bytes per rank\n", (double) info.used_bytes / RANKS);
    assert_true(info.used_bytes / RANKS < 10);
    drop_store(store);
}

/* As many columns of one size as a peer likes. With each compared to all before it this would take
 * longer than the program has. */
static void many_columns(void **state)
{
    enum { KEYS = 200000, RANKS = 3 };
    struct px_store *store = make_store(false);
    struct px_batch *batch = px_batch_create();
    static char keys[KEYS][16];
    struct px_slice slice;

    (void) state;
    for (uint32_t i = 0; i < KEYS; i++) {
        (void) snprintf(keys[i], sizeof(keys[i]), "key.%u", i);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
            pmix_value_t value = u32(i * UINT32_C(2654435761) + rank * rank * UINT32_C(40503));

            add(batch, PX_LEVEL_PROC, rank, keys[i], &value);
        }
    }
    assert_int_equal(px_store_publish(store, batch), 0);
    px_batch_destroy(batch);
    assert_int_equal(find(store, PX_LEVEL_PROC, 2, "key.1", &slice), 0);
    assert_int_equal(slice.word, UINT32_C(2654435761) + 4 * 40503);
    drop_store(store);
    px_release_wait();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),        cmocka_unit_test(negative_numbers),
        cmocka_unit_test(changes_only), cmocka_unit_test(scopes),
        cmocka_unit_test(said_twice),   cmocka_unit_test(bytes_per_rank),
        cmocka_unit_test(many_columns),
    };
    uint32_t i;

    alarm(60);
    for (i = 0; i < N; i++) {
        (void) snprintf(names[i], sizeof(names[i]), "name of number %u", i);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
