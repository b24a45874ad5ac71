/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/server/collectives/high_water.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

#include "src/value/proc_list.h"

#define ALL PMIX_RANK_WILDCARD
#define SET(...)                                                                                   \
    (const pmix_proc_t[]){__VA_ARGS__},                                                            \
        sizeof((const pmix_proc_t[]){__VA_ARGS__}) / sizeof(pmix_proc_t)
#define P(name, r)                                                                                 \
    {                                                                                              \
        .nspace = name, .rank = (r)                                                                \
    }

/* px_high_water_note with a copy of the set. */
static void note(struct px_high_water *high_water, const pmix_proc_t *set, size_t n,
                 uint64_t number)
{
    struct px_shared_procs *shared = px_shared_procs_copy(set, n);

    assert_non_null(shared);
    px_high_water_note(high_water, shared, number);
    px_shared_procs_drop(shared);
}

static void members_of_a_larger_set(void **state)
{
    struct px_high_water high_water;

    (void) state;
    px_high_water_init(&high_water);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", ALL))), 0);
    note(&high_water, SET(P("a", 1), P("a", 3), P("b", 0)), 7);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 1), P("a", 3), P("b", 0))), 7);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 1), P("b", 0))), 7);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 3))), 7);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 2))), 0);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 1), P("a", 2))), 0);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", ALL))), 0);
    assert_int_equal(px_high_water_since(&high_water, SET(P("b", 0), P("c", 0))), 0);
    note(&high_water, SET(P("a", ALL)), 5);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", ALL))), 5);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 0), P("a", 2))), 5);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 1))), 7);
    px_high_water_fini(&high_water);
}

/* What says less than something newer goes: many subsets, then all of them, leave one set. */
static void lesser_ones_go(void **state)
{
    struct px_high_water high_water;

    (void) state;
    px_high_water_init(&high_water);
    for (pmix_rank_t r = 0; r < 100; r++) {
        note(&high_water, SET(P("a", r)), r + 1);
    }
    assert_int_equal(high_water.n_procs, 100);
    note(&high_water, SET(P("a", ALL)), 50);
    assert_int_equal(high_water.n_procs, 51);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 10))), 50);
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 80))), 81);
    note(&high_water, SET(P("a", ALL)), 200);
    assert_int_equal(high_water.n_procs, 1);
    note(&high_water, SET(P("a", 4)), 150);
    assert_int_equal(high_water.n_procs, 1);
    px_high_water_fini(&high_water);
    assert_int_equal(high_water.n_procs, 0);
}

static void forgetting(void **state)
{
    struct px_high_water high_water;

    (void) state;
    px_high_water_init(&high_water);
    note(&high_water, SET(P("a", ALL), P("b", 1)), 3);
    note(&high_water, SET(P("c", ALL)), 4);
    px_high_water_forget(&high_water, "b");
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", ALL))), 0);
    assert_int_equal(px_high_water_since(&high_water, SET(P("c", 0))), 4);
    px_high_water_forget(&high_water, NULL);
    assert_int_equal(px_high_water_since(&high_water, SET(P("c", 0))), 0);
    px_high_water_fini(&high_water);
}

/* However many and large the sets are, memory is bounded; the newest are known. */
static void many_sets(void **state)
{
    enum { N = 20000 };
    pmix_proc_t *set = calloc(N, sizeof(*set));
    struct px_high_water high_water;

    (void) state;
    assert_non_null(set);
    px_high_water_init(&high_water);
    for (uint32_t round = 0; round < 8; round++) {
        for (uint32_t i = 0; i < N; i++) {
            PMIX_LOAD_PROCID(&set[i], "a", round * N + i);
        }
        note(&high_water, set, N, round + 1);
        assert_true(high_water.n_procs <= 65536);
        assert_int_equal(px_high_water_since(&high_water, set, N), round + 1);
    }
    assert_int_equal(px_high_water_since(&high_water, SET(P("a", 0))), 0);
    px_high_water_fini(&high_water);
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_a_larger_set),
        cmocka_unit_test(lesser_ones_go),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(many_sets),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
