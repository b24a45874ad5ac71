/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tables that grow in steps: they have all that was published before and meanwhile, in time, and no
 * step does more than its part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "shmem/header.h"
#include "src/base/release.h"
#include "shmem/table.h"
#include "shmem/table_growth.h"
#include "src/base/hash.h"
#include "src/base/status.h"

enum { FIRST = 4000, SLOTS = 32768, N = 200000, PIECE = 1000 };

/* Objects are their own hash. */
static struct px_segment seg;
static struct px_bump bump;
static struct px_table_growth growth;
static uint64_t table;
static uint64_t n_used;
static uint64_t locs[N];
static unsigned n_at_once; /* tables that publications have made */
static unsigned n_grown;   /* tables that have grown in steps */
static uint64_t lost;      /* bytes of tables that were given up */

static uint64_t spread(uint64_t i)
{
    return px_hash_mix(i, 1);
}

static int start(uint64_t size)
{
    struct px_header_init init = {.name = "job"};

    growth = (struct px_table_growth){0};
    table = n_used = lost = 0;
    n_at_once = n_grown = 0;
    if (px_segment_create(false, size, NULL, &seg) || px_header_init(&seg, &init)) {
        return -1;
    }
    px_bump_init(&bump, &seg, PX_SHM_HEADER_LEN);
    return 0;
}

static int setup(void **state)
{
    (void) state;
    return start(256 << 20);
}

/* The tables of the first sizes fit, but not the next one. */
static int setup_small(void **state)
{
    (void) state;
    return start(1 << 20);
}

static int teardown(void **state)
{
    (void) state;
    px_segment_close(&seg);
    px_release_wait();
    return 0;
}

static uint64_t hash_of(const void *arg, uint64_t loc)
{
    return *(const uint64_t *) (const void *) ((const unsigned char *) arg + (loc << 3));
}

static uint64_t make_object(uint64_t hash)
{
    uint64_t loc;

    assert_int_equal(px_bump_copy(&bump, &hash, sizeof(hash), &loc), 0);
    return loc;
}

static bool found(uint64_t in, uint64_t hash, uint64_t want)
{
    struct px_probe probe;
    struct px_view view;
    uint64_t loc;

    px_view_init(&view, seg.base, seg.size);
    px_probe_start(&view, in, hash, &probe);
    for (loc = px_probe_next(&probe); loc && loc != want; loc = px_probe_next(&probe)) {
    }
    assert_false(view.damaged);
    return loc == want;
}

static uint64_t n_slots(uint64_t loc)
{
    return ((const struct px_table *) (const void *) (seg.base + (loc << 3)))->n_slots;
}

/* Ends a publication and does the next step. */
static void publish(struct px_table_edit *edit)
{
    uint64_t loc;

    n_at_once += edit->loc != table;
    px_bump_publish(&bump);
    lost += px_table_growth_follow(&growth, edit);
    px_table_edit_publish(edit);
    table = edit->loc;
    n_used = edit->n_used;
    px_table_edit_fini(edit);
    (void) px_table_growth_needs(&growth, &bump, table, n_used);
    if (px_table_growth_step(&growth, &bump, table, n_used, hash_of, seg.base, &loc)) {
        assert_int_equal(n_slots(loc), n_slots(table) * 2);
        table = loc;
        n_grown++;
    }
    assert_int_equal(bump.next, bump.published);
}

static void open_edit(struct px_table_edit *edit, uint64_t n)
{
    assert_int_equal(px_table_edit_init(edit, &bump, table, n_used, n, hash_of, seg.base), 0);
}

static void add(uint64_t from, uint64_t until)
{
    struct px_table_edit edit;

    open_edit(&edit, until - from);
    for (uint64_t i = from; i < until; i++) {
        locs[i] = make_object(spread(i));
        assert_int_equal(px_table_edit_add(&edit, spread(i), locs[i]), 0);
    }
    publish(&edit);
}

/* Publishes another version of each of some objects. */
static void replace(uint64_t from, uint64_t until, uint64_t step)
{
    struct px_table_edit edit;

    open_edit(&edit, 0);
    for (uint64_t i = from; i < until; i += step) {
        uint64_t old = locs[i];

        locs[i] = make_object(spread(i));
        assert_int_equal(px_table_edit_replace(&edit, spread(i), old, locs[i]), 0);
    }
    publish(&edit);
}

static void has_all(uint64_t n, uint64_t step)
{
    for (uint64_t i = 0; i < n; i += step) {
        assert_true(found(table, spread(i), locs[i]));
    }
}

/* Until the larger table has begun. */
static uint64_t begin_growth(void)
{
    uint64_t n = FIRST;

    add(0, FIRST);
    while (!growth.loc && n < SLOTS / 2) {
        add(n, n + 10);
        n += 10;
    }
    assert_int_not_equal(growth.loc, 0);
    assert_int_equal(n_slots(table), SLOTS);
    n_at_once = 0;
    return n;
}

/* Once a table is large, no publication makes a whole new one, however many objects it adds. */
static void grows_in_time(void **state)
{
    uint64_t n = 0;
    unsigned before = 0;

    (void) state;
    for (uint64_t k = 1; n + PIECE <= N; k = k * 7 % PIECE + 1) {
        add(n, n + k);
        n += k;
        if (n_slots(table) <= SLOTS) {
            before = n_at_once;
        }
        if (n % 97 == 0) {
            replace(n % 89, n, 500);
            has_all(n, n / 50 + 1);
        }
    }
    assert_int_equal(n_at_once, before);
    assert_true(n_grown >= 4);
    assert_true(n_slots(table) > 2 * N);
    has_all(n, 1);
    assert_int_equal(lost, 0);
}

/* Each of these needs the larger table to follow. */
static void follows(void **state)
{
    uint64_t n = begin_growth();

    (void) state;
    while (!n_grown) {
        assert_true(n < SLOTS / 2);
        replace(0, n, 3);
        add(n, n + 7);
        n += 7;
        replace(1, n, 5);
    }
    has_all(n, 1);
    assert_int_equal(n_at_once, 0);
}

/* A step costs so much for each addition, and nothing without one. */
static void goes_step_by_step(void **state)
{
    uint64_t n = begin_growth();
    uint64_t moved = growth.n_moved;

    (void) state;
    add(n, n + 10);
    assert_in_range(growth.n_moved - moved, 10 * 8, 10 * 32);
    moved = growth.n_moved;
    replace(0, n, 1);
    assert_int_equal(growth.n_moved, moved);
}

/* What a large publication brings at once does not promise more. */
static void expects_no_more(void **state)
{
    (void) state;
    add(0, SLOTS / 4 + 1);
    add(SLOTS / 4 + 1, SLOTS / 2 * 7 / 8);
    assert_int_equal(n_slots(table), SLOTS);
    assert_int_equal(growth.loc, 0);
    for (int i = 0; i < 100; i++) {
        replace(i, 1000, 100);
    }
    assert_int_equal(growth.loc, 0);
    assert_int_equal(growth.credit, 0);
}

/* A publication that needs a larger table at once makes it; the one that was growing is lost. */
static void gives_way(void **state)
{
    uint64_t n = begin_growth();
    uint64_t larger = px_table_size(&bump, growth.loc);

    (void) state;
    add(n, n + SLOTS);
    assert_int_equal(n_at_once, 1);
    assert_int_equal(lost, larger);
    assert_int_equal(growth.loc, 0);
    has_all(n + SLOTS, 1);
}

/* Takes all slots of the larger table, as objects that crowd there would. */
static void crowd(void)
{
    struct px_table *larger = (struct px_table *) (void *) (seg.base + (growth.loc << 3));

    for (uint64_t i = 0; i < larger->n_slots; i++) {
        larger->slots[i] = growth.loc;
    }
}

/* An object without a place in the larger table: no other one is tried for. */
static void gives_up(void **state)
{
    uint64_t n = begin_growth();
    uint64_t larger = px_table_size(&bump, growth.loc);
    uint64_t in_use = table;

    (void) state;
    crowd();
    growth.n_moved = 0;
    add(n, n + 100);
    assert_int_equal(growth.loc, 0);
    assert_int_equal(growth.failed, in_use);
    add(n + 100, n + 500);
    assert_int_equal(lost, larger);
    assert_int_equal(growth.loc, 0);
    assert_int_equal(table, in_use);
    has_all(n + 500, 1);
}

/* The same, when it is published. */
static void gives_up_following(void **state)
{
    uint64_t n = begin_growth();
    uint64_t larger = px_table_size(&bump, growth.loc);

    (void) state;
    crowd();
    growth.n_moved = n_slots(table); /* as if it were nearly there */
    replace(0, 2, 1);
    assert_int_equal(lost, larger);
    assert_int_equal(growth.failed, table);
    add(n, n + 500);
    assert_int_equal(growth.loc, 0);
    has_all(n + 500, 1);
}

/* No memory for the larger table: none is tried for again. */
static void goes_without(void **state)
{
    uint64_t n = FIRST;

    (void) state;
    add(0, FIRST);
    while (n_used < SLOTS / 8 * 3 - 10) {
        add(n, n + 10);
        n += 10;
    }
    add(n, n + 10);
    assert_int_equal(growth.failed, table);
    add(n + 10, n + 20);
    assert_int_equal(growth.loc, 0);
    has_all(n + 20, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grows_in_time, setup, teardown),
        cmocka_unit_test_setup_teardown(follows, setup, teardown),
        cmocka_unit_test_setup_teardown(goes_step_by_step, setup, teardown),
        cmocka_unit_test_setup_teardown(expects_no_more, setup, teardown),
        cmocka_unit_test_setup_teardown(gives_way, setup, teardown),
        cmocka_unit_test_setup_teardown(gives_up, setup, teardown),
        cmocka_unit_test_setup_teardown(gives_up_following, setup, teardown),
        cmocka_unit_test_setup_teardown(goes_without, setup_small, teardown),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
