/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Values that are copied into a store in parts: nobody sees one before it is published, no part is
 * larger than was asked for, and one that is given up leaves nothing but garbage.
 * Covers: SHM-006 */
#include "support.h"
#include "gds/batch.h"
#include "gds/generation.h"
#include "gds/partial.h"
#include "gds/publication.h"
#include "src/base/release.h"

enum { LARGE = 1 << 20, PART = 1 << 14, MOST_PARTS = 200, DEAD = 4096, RANK = 3 };

/* A part maps a little more than it was asked for. */
enum { LEAST_PARTS = LARGE / PART / 3 };

static _Alignas(8) char large[3][LARGE + 8];

static struct px_store_info info_of(const struct px_store *store)
{
    struct px_store_info info;

    px_store_info(store, &info);
    return info;
}

static struct px_store *make_moving(uint64_t virtual_size)
{
    struct px_store_opts opts = {.nspace = "job",
                                 .shared = true,
                                 .virtual_size = virtual_size,
                                 .moves = true,
                                 .garbage_bytes = DEAD,
                                 .move_piece = PART};
    struct px_store *store;

    assert_int_equal(px_store_create(&opts, &store), 0);
    return store;
}

static void fill(char *at, char first)
{
    for (int i = 0; i < LARGE; i++) {
        at[i] = (char) (first + i % 23);
    }
    at[LARGE] = '\0';
}

static int setup(void **state)
{
    (void) state;
    for (int i = 0; i < 3; i++) {
        fill(large[i], (char) ('A' + i));
    }
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_release_wait();
    return 0;
}

static struct px_store_entry entry_of(const char *key, const pmix_value_t *value)
{
    return (struct px_store_entry){
        .level = PX_LEVEL_PROC, .index = RANK, .key = key, .value = value, .scope = PMIX_GLOBAL};
}

/* Goes on until nothing is left; returns the number of parts that were not the last. No part maps
 * more memory than was asked for, and a little. */
static unsigned do_parts(struct px_store *store, const char *key, const pmix_value_t *value)
{
    struct px_store_entry entry = entry_of(key, value);
    uint64_t before = store->seg.populated;
    unsigned n = 0;

    while (px_partial_go_on(store, &entry, PART)) {
        assert_true(store->seg.populated - before <= 2 * PART + 32768);
        before = store->seg.populated;
        assert_true(++n < MOST_PARTS);
    }
    return n;
}

static int publish(struct px_store *store, const char *key, const pmix_value_t *value)
{
    int rc = put_one(store, PX_LEVEL_PROC, RANK, key, value, PMIX_GLOBAL);

    px_partial_drop(store, value);
    assert_null(store->partial);
    return rc;
}

static void assert_found(const struct px_store *store, const char *key, const void *value)
{
    struct px_slice slice;

    assert_int_equal(find(store, PX_LEVEL_PROC, RANK, key, &slice), 0);
    assert_int_equal(slice.len, LARGE);
    assert_memory_equal(slice.payload, value, LARGE);
    assert_int_equal(slice.scope, PMIX_GLOBAL);
}

/* All of it is there before the publication, which takes a little more, and leaves no garbage. */
static void in_parts(void **state)
{
    struct px_store *store = make_store(true);
    struct px_store *reader = open_reader(store);
    pmix_value_t value = bytes(large[0], LARGE);
    struct px_store_entry entry = entry_of("key", &value);
    struct px_slice slice;
    uint64_t used;

    (void) state;
    while (px_partial_go_on(store, &entry, PART)) {
        assert_int_equal(find(reader, PX_LEVEL_PROC, RANK, "key", &slice), PMIX_ERR_NOT_FOUND);
        assert_sound(reader);
    }
    used = info_of(store).used_bytes;
    assert_true(used >= LARGE);
    assert_int_equal(find(reader, PX_LEVEL_PROC, RANK, "key", &slice), PMIX_ERR_NOT_FOUND);
    assert_int_equal(publish(store, "key", &value), 0);
    assert_true(info_of(store).used_bytes < used + 4096);
    assert_true(info_of(store).garbage_bytes < 4096);
    assert_found(reader, "key", large[0]);
    close_reader(store, reader);
    drop_store(store);
}

/* A part is as large as was asked for. */
static void parts_are_small(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = bytes(large[0], LARGE);

    (void) state;
    assert_true(do_parts(store, "key", &value) >= LEAST_PARTS);
    assert_int_equal(publish(store, "key", &value), 0);
    assert_found(store, "key", large[0]);
    drop_store(store);
}

/* It may be published whatever is done of it. */
static void published_early(void **state)
{
    pmix_value_t value = bytes(large[0], LARGE);
    struct px_store_entry entry = entry_of("key", &value);
    bool more = true;

    (void) state;
    for (unsigned n = 1; more; n++) {
        struct px_store *store = make_store(true);

        for (unsigned i = 0; i < n; i++) {
            more = px_partial_go_on(store, &entry, PART);
        }
        assert_int_equal(publish(store, "key", &value), 0);
        assert_found(store, "key", large[0]);
        drop_store(store);
    }
}

/* Strings, arrays that are used in place, arrays that are encoded; a number has no parts. */
static void kinds(void **state)
{
    static pmix_info_t infos[2] = {{.key = "a"}, {.key = "b"}};
    struct px_store *store = make_store(true);
    pmix_data_array_t numbers = {.type = PMIX_UINT32, .size = LARGE / 4, .array = large[1]};
    pmix_data_array_t structs = {.type = PMIX_INFO, .size = 2, .array = infos};
    pmix_value_t v[] = {str(large[0]),
                        {.type = PMIX_DATA_ARRAY, .data.darray = &numbers},
                        {.type = PMIX_DATA_ARRAY, .data.darray = &structs}};
    static const char *const keys[] = {"text", "numbers", "structs"};
    pmix_value_t number = u32(5);
    struct px_store_entry entry = entry_of("number", &number);

    (void) state;
    infos[0].value = bytes(large[1], LARGE);
    infos[1].value = bytes(large[2], LARGE);
    for (int i = 0; i < 3; i++) {
        struct px_slice slice;
        pmix_value_t found;
        uint64_t used;

        assert_true(do_parts(store, keys[i], &v[i]) >= LEAST_PARTS);
        used = info_of(store).used_bytes;
        assert_int_equal(publish(store, keys[i], &v[i]), 0);
        assert_true(info_of(store).used_bytes < used + 4096);
        assert_int_equal(find(store, PX_LEVEL_PROC, RANK, keys[i], &slice), 0);
        assert_int_equal(px_slice_fill(&slice, &found), 0);
        assert_int_equal(PMIx_Value_compare(&found, &v[i]), PMIX_EQUAL);
        PMIx_Value_destruct(&found);
    }
    assert_false(px_partial_go_on(store, &entry, PART));
    drop_store(store);
}

/* An equal value takes no space and is no publication; one that differs in its last byte does. Both
 * are compared in parts. */
static void equal_and_not(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t again = bytes(large[1], LARGE);
    struct px_store_info before;

    (void) state;
    memcpy(large[1], large[0], LARGE);
    assert_int_equal(publish(store, "key", &value), 0);
    before = info_of(store);
    assert_true(do_parts(store, "key", &again) >= 4);
    assert_int_equal(publish(store, "key", &again), 0);
    assert_int_equal(info_of(store).used_bytes, before.used_bytes);
    assert_int_equal(info_of(store).sequence, before.sequence);
    large[1][LARGE - 1] = '!';
    assert_true(do_parts(store, "key", &again) >= LEAST_PARTS);
    assert_int_equal(publish(store, "key", &again), 0);
    assert_found(store, "key", large[1]);
    assert_int_equal(info_of(store).sequence, before.sequence + 1);
    drop_store(store);
}

/* The result of a comparison is for the value that it was made with. */
static void replaced_after_comparing(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t again = bytes(large[1], LARGE);
    pmix_value_t other = bytes(large[2], LARGE);

    (void) state;
    memcpy(large[1], large[0], LARGE);
    assert_int_equal(publish(store, "key", &value), 0);
    (void) do_parts(store, "key", &again);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, RANK, "key", &other, PMIX_GLOBAL), 0);
    assert_int_equal(publish(store, "key", &again), 0);
    assert_found(store, "key", large[1]);
    /* and the other way: it differs from what was there, and equals what is */
    (void) do_parts(store, "key", &other);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, RANK, "key", &other, PMIX_GLOBAL), 0);
    assert_int_equal(publish(store, "key", &other), 0);
    assert_found(store, "key", large[2]);
    drop_store(store);
}

/* What is given up is garbage, and nobody sees it. Another one waits for that. */
static void given_up(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t other = bytes(large[1], LARGE);
    struct px_store_entry entry = entry_of("other", &other);
    struct px_slice slice;

    (void) state;
    (void) do_parts(store, "key", &value);
    assert_true(px_partial_go_on(store, &entry, PART));
    px_partial_drop(store, &other);
    assert_non_null(store->partial);
    px_partial_drop(store, &value);
    assert_null(store->partial);
    assert_true(info_of(store).garbage_bytes >= LARGE);
    assert_true(info_of(store).garbage_bytes <= info_of(store).used_bytes);
    assert_int_equal(find(store, PX_LEVEL_PROC, RANK, "key", &slice), PMIX_ERR_NOT_FOUND);
    (void) do_parts(store, "other", &other);
    assert_int_equal(publish(store, "other", &other), 0);
    assert_found(store, "other", large[1]);
    drop_store(store);
}

/* A record of the same rank that was published meanwhile lies above the place. */
static void overtaken(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t number = u32(7);

    (void) state;
    (void) do_parts(store, "key", &value);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, RANK, "number", &number, PMIX_GLOBAL), 0);
    assert_int_equal(publish(store, "key", &value), 0);
    assert_found(store, "key", large[0]);
    assert_true(info_of(store).garbage_bytes >= LARGE);
    assert_int_equal(word(store, PX_LEVEL_PROC, RANK, "number"), 7);
    drop_store(store);
}

/* A store neither begins to move while a value is partial, nor begins with one while it moves. */
static void moves(void **state)
{
    struct px_store *store = make_moving(0);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t other = bytes(large[1], LARGE);
    struct px_store_entry entry = entry_of("other", &other);

    (void) state;
    assert_int_equal(publish(store, "key", &value), 0);
    (void) do_parts(store, "key", &other);
    assert_int_equal(publish(store, "key", &other), 0);
    assert_true(info_of(store).garbage_bytes >= LARGE);
    (void) do_parts(store, "other", &other);
    assert_false(px_store_compact(store));
    assert_int_equal(publish(store, "other", &other), 0);
    assert_true(px_store_compact(store));
    assert_true(px_partial_go_on(store, &entry, PART));
    assert_null(store->partial);
    while (px_store_compact(store)) {
    }
    assert_int_equal(info_of(store).generation, 2);
    assert_true(info_of(store).garbage_bytes < 4096);
    assert_found(store, "key", large[1]);
    assert_found(store, "other", large[1]);
    drop_store(store);
}

/* Goes on with a move. Returns the number of its pieces that left a part of a value; none of them
 * maps more memory than was asked for, and a little. */
static unsigned move(struct px_store *store)
{
    uint64_t before = 0;
    unsigned n = 0;

    while (px_store_compact(store)) {
        uint64_t now = store->next->seg.populated;

        assert_true(!before || now - before <= 2 * PART + 32768);
        before = now;
        n += store->next->partial != NULL;
    }
    return n;
}

/* Whatever a value is made of, a move copies it in parts. */
static void moves_all_kinds(void **state)
{
    static char *strings[LARGE / 16];
    static char text[] = "some string of a list";
    pmix_data_array_t arrays[] = {{PMIX_UINT32, LARGE / 4, large[1]},
                                  {PMIX_STRING, LARGE / 16, strings}};
    pmix_value_t garbage = bytes(large[0], LARGE);

    (void) state;
    for (int i = 0; i < LARGE / 16; i++) {
        strings[i] = text;
    }
    for (int i = 0; i < 2; i++) {
        struct px_store *store = make_moving(0);
        pmix_value_t value = {.type = PMIX_DATA_ARRAY, .data.darray = &arrays[i]};
        struct px_slice slice;
        pmix_value_t found;

        assert_int_equal(publish(store, "garbage", &garbage), 0);
        assert_int_equal(publish(store, "key", &value), 0);
        assert_int_equal(publish(store, "garbage", &px_deleted), 0);
        assert_true(move(store) >= LEAST_PARTS);
        assert_int_equal(info_of(store).generation, 2);
        assert_int_equal(find(store, PX_LEVEL_PROC, RANK, "key", &slice), 0);
        assert_int_equal(px_slice_fill(&slice, &found), 0);
        assert_int_equal(PMIx_Value_compare(&found, &value), PMIX_EQUAL);
        PMIx_Value_destruct(&found);
        drop_store(store);
    }
}

/* Values that change while a move copies them: one is replaced, one deleted, before all of it is
 * copied. */
static void changed_by_the_way(void **state)
{
    struct px_store *store = make_moving(0);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t other = bytes(large[1], LARGE);
    const pmix_value_t *const now[] = {&other, &px_deleted};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct px_slice slice;

        assert_int_equal(publish(store, "garbage", &other), 0);
        assert_int_equal(publish(store, "key", &value), 0);
        assert_int_equal(publish(store, "garbage", &px_deleted), 0);
        assert_true(px_store_compact(store));
        while (!store->next->partial) {
            assert_true(px_store_compact(store));
        }
        assert_true(px_store_compact(store));
        assert_int_equal(put_one(store, PX_LEVEL_PROC, RANK, "key", now[i], PMIX_GLOBAL), 0);
        while (px_store_compact(store)) {
        }
        assert_int_equal(info_of(store).generation, 2 + i);
        assert_null(store->partial);
        if (i == 0) {
            assert_found(store, "key", large[1]);
        } else {
            assert_int_equal(find(store, PX_LEVEL_PROC, RANK, "key", &slice), PMIX_ERR_NOT_FOUND);
        }
        assert_sound(store);
    }
    drop_store(store);
}

/* A store that grows meanwhile forgets the value, of which the parts then begin anew. */
static void grows(void **state)
{
    struct px_store *store = make_moving(LARGE + LARGE / 2);
    pmix_value_t value = bytes(large[0], LARGE);
    pmix_value_t other = bytes(large[1], LARGE);
    pmix_value_t third = bytes(large[2], LARGE);

    (void) state;
    (void) do_parts(store, "key", &value);
    assert_int_equal(put_one(store, PX_LEVEL_PROC, 9, "other", &other, PMIX_GLOBAL), 0);
    assert_int_equal(info_of(store).generation, 2);
    assert_null(store->partial);
    (void) do_parts(store, "key", &value);
    assert_int_equal(publish(store, "key", &value), 0);
    /* There is no room for this one, which the publication finds. */
    while (info_of(store).generation == 2) {
        fill(large[2], (char) info_of(store).sequence);
        (void) do_parts(store, "third", &third);
        assert_int_equal(publish(store, "third", &third), 0);
    }
    assert_found(store, "key", large[0]);
    assert_found(store, "third", large[2]);
    drop_store(store);
}

/* Without memory there are no parts, and the publication does what is left. */
static void without_memory(void **state)
{
    pmix_value_t value = bytes(large[0], LARGE);

    (void) state;
    for (long n = 0; n < 3; n++) {
        struct px_store *store = make_store(true);

        fail_allocs_after(n);
        (void) do_parts(store, "key", &value);
        fail_allocs_after(-1);
        assert_int_equal(publish(store, "key", &value), 0);
        assert_found(store, "key", large[0]);
        drop_store(store);
    }
}

/* A store that is destroyed has nothing left. */
static void destroyed(void **state)
{
    struct px_store *store = make_store(true);
    pmix_value_t value = str(large[0]);
    struct px_store_entry entry = entry_of("key", &value);

    (void) state;
    assert_true(px_partial_go_on(store, &entry, PART));
    drop_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_are_small, setup, teardown),
        cmocka_unit_test_setup_teardown(published_early, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_and_not, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced_after_comparing, setup, teardown),
        cmocka_unit_test_setup_teardown(given_up, setup, teardown),
        cmocka_unit_test_setup_teardown(overtaken, setup, teardown),
        cmocka_unit_test_setup_teardown(moves, setup, teardown),
        cmocka_unit_test_setup_teardown(moves_all_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(changed_by_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(grows, setup, teardown),
        cmocka_unit_test_setup_teardown(without_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(destroyed, setup, teardown),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
