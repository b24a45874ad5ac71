/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tables: what is added is found, edits are unseen until published, growth, crowds, and full
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "shmem/header.h"
#include "shmem/table.h"
#include "src/base/hash.h"
#include "src/base/status.h"

enum {
    FEW = 32,
    FIRST_TABLE = 64
}; /* objects that fill a table of the first size, and its slots */

/* Objects are their own hash: the locator's word holds it. */
static struct px_segment seg;
static struct px_bump bump;
static uint64_t (*spread)(uint64_t i);

static uint64_t even(uint64_t i)
{
    return px_hash_mix(i, 1);
}

/* All in the same place of a table of up to 2^16 slots. */
static uint64_t crowded(uint64_t i)
{
    return i << 17 | 5;
}

static int setup(void **state)
{
    struct px_header_init init = {.name = "job"};

    (void) state;
    spread = even;
    if (px_segment_create(false, 64 << 20, NULL, &seg) || px_header_init(&seg, &init)) {
        return -1;
    }
    px_bump_init(&bump, &seg, PX_SHM_HEADER_LEN);
    return 0;
}

static int teardown(void **state)
{
    (void) state;
    px_segment_close(&seg);
    return 0;
}

static uint64_t hash_of(const void *arg, uint64_t loc)
{
    return *(const uint64_t *) (const void *) ((const unsigned char *) arg + (loc << 3));
}

static uint64_t make_object(uint64_t i)
{
    uint64_t hash = spread(i);
    uint64_t loc;

    assert_int_equal(px_bump_copy(&bump, &hash, sizeof(hash), &loc), 0);
    return loc;
}

static bool found(uint64_t table, uint64_t hash, uint64_t want)
{
    struct px_probe probe;
    struct px_view view;
    uint64_t loc;

    px_view_init(&view, seg.base, seg.size);
    if (table == 0) {
        return false;
    }
    px_probe_start(&view, table, hash, &probe);
    for (loc = px_probe_next(&probe); loc && loc != want; loc = px_probe_next(&probe)) {
    }
    assert_false(view.damaged);
    return loc == want;
}

static void adds_and_grows(void **state)
{
    enum { N = 3000 };
    static uint64_t locs[N];
    uint64_t table = 0;
    uint64_t n_used = 0;
    uint64_t i = 0;
    uint64_t k;

    (void) state;
    while (i < N) {
        struct px_table_edit edit;
        uint64_t from = i;
        uint64_t until = i + 1 + i % 17 < N ? i + 1 + i % 17 : N;

        assert_int_equal(
            px_table_edit_init(&edit, &bump, table, n_used, until - i, hash_of, seg.base), 0);
        for (; i < until; i++) {
            locs[i] = make_object(i);
            assert_int_equal(px_table_edit_add(&edit, spread(i), locs[i]), 0);
        }
        px_bump_publish(&bump);
        assert_false(found(table, spread(from), locs[from])); /* not yet */
        px_table_edit_publish(&edit);
        table = edit.loc;
        n_used = edit.n_used;
        px_table_edit_fini(&edit);
        for (k = 0; k < i; k += i / 50 + 1) {
            assert_true(found(table, spread(k), locs[k]));
        }
    }
    assert_int_equal(n_used, N);
    for (k = 0; k < N; k++) {
        assert_true(found(table, spread(k), locs[k]));
        assert_false(found(table, spread(k + N), UINT64_MAX));
    }
}

/* A table that has grown leaves the old one behind, which is counted as lost. */
static void counts_what_is_left_behind(void **state)
{
    struct px_table_edit edit;
    uint64_t i;

    (void) state;
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, FEW, hash_of, seg.base), 0);
    for (i = 0; i < FEW; i++) {
        assert_int_equal(px_table_edit_add(&edit, spread(i), make_object(i)), 0);
    }
    assert_int_equal(edit.n_dead, 0);
    px_bump_publish(&bump);
    px_table_edit_publish(&edit);
    i = edit.loc;
    px_table_edit_fini(&edit);
    assert_int_equal(px_table_edit_init(&edit, &bump, i, FEW, 1, hash_of, seg.base), 0);
    assert_int_equal(edit.n_dead, sizeof(struct px_table) + FIRST_TABLE * 8);
    px_table_edit_fini(&edit);
}

static void replaces(void **state)
{
    struct px_table_edit edit;
    uint64_t old = make_object(1);
    uint64_t now = make_object(1);
    uint64_t table;

    (void) state;
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, 1, hash_of, seg.base), 0);
    assert_int_equal(px_table_edit_add(&edit, spread(1), old), 0);
    px_bump_publish(&bump);
    px_table_edit_publish(&edit);
    table = edit.loc;
    px_table_edit_fini(&edit);
    assert_int_equal(px_table_edit_init(&edit, &bump, table, 1, 1, hash_of, seg.base), 0);
    assert_false(edit.fresh);
    assert_int_equal(px_table_edit_replace(&edit, spread(1), old, now), 0);
    assert_int_equal(px_table_edit_replace(&edit, spread(2), old, now), PX_ERR_OUT_OF_RESOURCE);
    assert_true(found(table, spread(1), old));
    px_table_edit_publish(&edit);
    assert_true(found(table, spread(1), now));
    assert_false(found(table, spread(1), old));
    px_table_edit_fini(&edit);
}

/* Hashes that share a slot: the table grows until no probe is too long, or says that it cannot. */
static void crowds(void **state)
{
    struct px_table_edit edit;
    uint64_t i;
    int rc = 0;

    (void) state;
    spread = crowded;
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, 4, hash_of, seg.base), 0);
    for (i = 0; rc == 0 && i < 1000; i++) {
        rc = px_table_edit_add(&edit, spread(i), make_object(i));
    }
    assert_int_equal(rc, PX_ERR_OUT_OF_RESOURCE);
    assert_int_equal(i, PX_SHM_TABLE_PROBES + 1);
    px_table_edit_fini(&edit);
}

static void builds(void **state)
{
    uint64_t hashes[500];
    uint64_t locs[500];
    uint64_t table;
    uint64_t i;

    (void) state;
    assert_int_equal(px_table_build(&bump, NULL, NULL, 0, &table), 0);
    px_bump_publish(&bump);
    assert_false(found(table, 1, 1));
    for (i = 0; i < 500; i++) {
        hashes[i] = spread(i / 2); /* equal hashes too */
        locs[i] = make_object(i / 2);
    }
    assert_int_equal(px_table_build(&bump, hashes, locs, 500, &table), 0);
    px_bump_publish(&bump);
    for (i = 0; i < 500; i++) {
        assert_true(found(table, hashes[i], locs[i]));
    }
}

static void no_room(void **state)
{
    struct px_table_edit edit;

    (void) state;
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, UINT64_C(1) << 30, hash_of, seg.base),
                     PX_ERR_OUT_OF_RESOURCE);
    px_table_edit_fini(&edit);
    assert_int_equal(px_table_edit_init(&edit, &bump, 0, 0, UINT64_MAX, hash_of, seg.base),
                     PX_ERR_OUT_OF_RESOURCE);
    px_table_edit_fini(&edit);
}

/* Not even where there are addresses for it: readers refuse a larger table. */
static void never_more_slots_than_readers_take(void **state)
{
    struct px_segment huge = {.fd = -1, .writer = true, .size = PX_SHM_MAX_SLOTS * 8 * 4};
    struct px_table_edit edit;
    struct px_bump rich;

    (void) state;
    huge.base =
        mmap(NULL, huge.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (huge.base == MAP_FAILED) {
        skip();
    }
    assert_int_equal(mprotect(huge.base, 1 << 16, PROT_READ | PROT_WRITE), 0);
    huge.committed = huge.size;
    px_bump_init(&rich, &huge, PX_SHM_HEADER_LEN);
    assert_int_equal(px_table_edit_init(&edit, &rich, 0, 0, PX_SHM_MAX_SLOTS, hash_of, huge.base),
                     PX_ERR_OUT_OF_RESOURCE);
    px_table_edit_fini(&edit);
    assert_int_equal(
        px_table_edit_init(&edit, &rich, 0, 0, PX_SHM_MAX_SLOTS / 2, hash_of, huge.base), 0);
    px_table_edit_fini(&edit);
    assert_int_equal(munmap(huge.base, huge.size), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adds_and_grows, setup, teardown),
        cmocka_unit_test_setup_teardown(counts_what_is_left_behind, setup, teardown),
        cmocka_unit_test_setup_teardown(replaces, setup, teardown),
        cmocka_unit_test_setup_teardown(crowds, setup, teardown),
        cmocka_unit_test_setup_teardown(builds, setup, teardown),
        cmocka_unit_test_setup_teardown(no_room, setup, teardown),
        cmocka_unit_test_setup_teardown(never_more_slots_than_readers_take, setup, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
