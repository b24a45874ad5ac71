/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/nspace/proc_sets.h"
#include "src/nspace/set_index.h"
#include "src/value/infos.h"
#include "src/value/procs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

#define ALL PMIX_RANK_WILDCARD
#define P(name, r)                                                                                 \
    {                                                                                              \
        .nspace = name, .rank = (r)                                                                \
    }

static const pmix_proc_t halves[2][2] = {{P("A", 3), P("A", 1)}, {P("A", 0), P("A", 2)}};

/* Two groups of one name, a process set of the same, and a set that is connected. */
static void fill(struct px_proc_sets *sets)
{
    px_proc_sets_init(sets);
    for (int i = 0; i < 2; i++) {
        assert_non_null(px_proc_set_add(sets, PX_SET_GROUP, "g", halves[i], 2));
    }
    assert_non_null(px_proc_set_add(sets, PX_SET_PSET, "g", halves[0], 1));
    assert_non_null(px_proc_set_add(sets, PX_SET_CONNECTED, NULL, halves[0], 2));
}

static void kind_name_and_member_tell_sets_apart(void **state)
{
    struct px_proc_sets sets;
    struct px_proc_set *set;

    (void) state;
    fill(&sets);
    set = px_proc_set_find(&sets, PX_SET_GROUP, "g", &halves[1][1]);
    assert_non_null(set);
    assert_memory_equal(set->members, halves[1], sizeof(halves[1]));
    assert_null(px_proc_set_next(&sets, set, PX_SET_GROUP, NULL, NULL));
    set = px_proc_set_find(&sets, PX_SET_GROUP, NULL, NULL);
    assert_ptr_not_equal(px_proc_set_next(&sets, set, PX_SET_GROUP, "g", NULL), NULL);
    assert_null(px_proc_set_find(&sets, PX_SET_GROUP, "h", NULL));
    set = px_proc_set_find(&sets, PX_SET_PSET, "g", NULL);
    assert_int_equal(set->n, 1);
    set = px_proc_set_find(&sets, PX_SET_CONNECTED, NULL, &halves[0][0]);
    assert_null(set->name);
    px_proc_set_remove(set);
    assert_null(px_proc_set_find(&sets, PX_SET_CONNECTED, NULL, NULL));
    px_proc_sets_clear(&sets);
    assert_true(px_list_empty(&sets.list));
}

static void a_rank_in_a_group_is_a_process(void **state)
{
    const pmix_proc_t third = P("g", 2);
    const pmix_proc_t named[3] = {P("A", 1), P("g", ALL), P("B", 5)};
    const pmix_proc_t want[3] = {P("A", 1), P("A", 3), P("B", 5)};
    struct px_proc_list list = {0};
    struct px_proc_sets sets;

    (void) state;
    fill(&sets);
    assert_int_equal(px_proc_sets_expand(&sets, named, 3, NULL, &list), 0);
    assert_true(px_procs_equal(list.at, list.n, want, 3));
    assert_int_equal(px_proc_sets_expand(&sets, &third, 1, NULL, &list), PMIX_ERR_NOT_FOUND);
    px_proc_list_fini(&list);
    px_proc_sets_clear(&sets);
}

/* One process becomes an array; what names no group, no rank of one, or no process, stays. */
static void an_info_is_spelt_out(void **state)
{
    const pmix_proc_t all = P("g", ALL);
    const pmix_proc_t third = P("g", 2);
    const pmix_proc_t other = P("A", ALL);
    struct px_procs procs;
    pmix_info_t info;
    struct px_proc_sets sets;

    (void) state;
    fill(&sets);
    assert_int_equal(PMIx_Info_load(&info, "key", &all, PMIX_PROC), PMIX_SUCCESS);
    assert_int_equal(px_proc_sets_spell(&sets, &halves[1][0], &info), 0);
    assert_true(px_value_procs(&info.value, &procs));
    assert_int_equal(info.value.type, PMIX_DATA_ARRAY);
    assert_true(px_procs_equal(procs.at, procs.n, halves[1], 2));
    PMIx_Info_destruct(&info);
    assert_int_equal(PMIx_Info_load(&info, "key", &third, PMIX_PROC), PMIX_SUCCESS);
    assert_int_equal(px_proc_sets_spell(&sets, NULL, &info), PMIX_ERR_NOT_FOUND);
    assert_true(px_proc_equal(info.value.data.proc, &third));
    PMIx_Info_destruct(&info);
    assert_int_equal(PMIx_Info_load(&info, "key", &other, PMIX_PROC), PMIX_SUCCESS);
    assert_int_equal(px_proc_sets_spell(&sets, NULL, &info), 0);
    assert_int_equal(info.value.type, PMIX_PROC);
    PMIx_Info_destruct(&info);
    assert_int_equal(PMIx_Info_load(&info, "key", "g", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(px_proc_sets_spell(&sets, NULL, &info), 0);
    PMIx_Info_destruct(&info);
    px_proc_sets_clear(&sets);
}

/* Few names or many, asked for once or again: an index finds what a search finds. */
static void an_index_finds_what_a_search_does(void **state)
{
    enum { NAMES = 40 };
    static char names[NAMES][8];
    struct px_proc_sets sets;

    (void) state;
    px_proc_sets_init(&sets);
    for (unsigned i = 0; i < NAMES; i++) {
        (void) snprintf(names[i], sizeof(names[i]), "g%u", i);
        for (unsigned k = 0; i % 2 == 0 && k < 3; k++) {
            unsigned own = i / 2 % 5; /* which have the process: one of three, 3: all, 4: none */
            enum px_proc_set_kind kind = i % 4 == 0 && k == 1 ? PX_SET_PSET : PX_SET_GROUP;

            assert_non_null(
                px_proc_set_add(&sets, kind, names[i], halves[own != 3 && own != k], 2));
        }
    }
    for (unsigned n = 1; n <= NAMES; n++) {
        struct px_set_index index = px_set_index_make(&sets, PX_SET_GROUP, &halves[0][1]);

        for (unsigned i = 0; i < 2 * n; i++) {
            const char *name = names[i % n];
            const struct px_set_named *named = px_set_index_find(&index, name);
            const struct px_proc_set *own =
                px_proc_set_find(&sets, PX_SET_GROUP, name, &halves[0][1]);

            assert_ptr_equal(named->set,
                             own ? own : px_proc_set_find(&sets, PX_SET_GROUP, name, NULL));
            assert_int_equal(named->has_who, own != NULL);
            assert_int_equal(named->done, i >= n);
            px_set_index_find(&index, name)->done = true;
        }
        px_set_index_fini(&index);
    }
    px_proc_sets_clear(&sets);
}

/* Of three sets of one name, removed in each order, the oldest that is left is found, then the
 * others in the order of their age. */
static void the_oldest_of_a_name_comes_first(void **state)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct px_proc_sets sets;

    (void) state;
    px_proc_sets_init(&sets);
    for (int i = 0; i < 6; i++) {
        struct px_proc_set *left[3];
        size_t n = 3;

        for (int k = 0; k < 3; k++) {
            assert_non_null(px_proc_set_add(&sets, PX_SET_PSET, "g", halves[0], 1));
            left[k] = px_proc_set_add(&sets, PX_SET_GROUP, "g", halves[0], 2);
            assert_non_null(px_proc_set_add(&sets, PX_SET_GROUP, "h", halves[0], 2));
        }
        assert_int_equal(sets.n, 9);
        assert_int_equal(sets.n_members, 15);
        for (int k = 0; k < 3; k++) {
            const struct px_proc_set *found = NULL;

            for (int at = 0; at < 3; at++) {
                if (left[at]) {
                    found = px_proc_set_next(&sets, found, PX_SET_GROUP, "g", NULL);
                    assert_ptr_equal(found, left[at]);
                }
            }
            assert_null(px_proc_set_next(&sets, found, PX_SET_GROUP, "g", NULL));
            px_proc_set_remove(left[orders[i][k]]);
            left[orders[i][k]] = NULL;
            assert_int_equal(sets.n_members, 9 + 2 * --n);
        }
        assert_null(px_proc_set_find(&sets, PX_SET_GROUP, "g", NULL));
        px_proc_sets_clear(&sets);
        assert_null(sets.by_name[PX_SET_GROUP].slots);
    }
}

/* Two names that differ behind what a namespace has room for, and a namespace without its NUL. */
static void long_names_are_told_apart(void **state)
{
    static char names[2][sizeof(pmix_nspace_t) + 2];
    pmix_proc_t endless;
    struct px_proc_set *both[2];
    struct px_proc_sets sets;

    (void) state;
    memset(&endless, 'n', sizeof(endless));
    px_proc_sets_init(&sets);
    for (int i = 0; i < 2; i++) {
        memset(names[i], 'n', sizeof(pmix_nspace_t));
        names[i][sizeof(pmix_nspace_t)] = (char) ('0' + i);
        both[i] = px_proc_set_add(&sets, PX_SET_GROUP, names[i], halves[i], 2);
        assert_non_null(both[i]);
    }
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(px_proc_set_find(&sets, PX_SET_GROUP, names[i], NULL), both[i]);
        assert_null(px_proc_set_next(&sets, both[i], PX_SET_GROUP, names[i], NULL));
    }
    assert_null(px_proc_set_find(&sets, PX_SET_GROUP, "n", NULL));
    assert_false(px_proc_sets_named(&sets, &endless, 1));
    px_proc_sets_clear(&sets);
}

static void the_last_one_takes_the_set_along(void **state)
{
    struct px_proc_sets sets;
    struct px_proc_set *set;

    (void) state;
    px_proc_sets_init(&sets);
    set = px_proc_set_add(&sets, PX_SET_GROUP, "g", halves[0], 2);
    assert_int_equal(px_proc_set_leave(set, &halves[1][0]), 0); /* is not in it */
    assert_int_equal(set->n, 2);
    assert_int_equal(px_proc_set_leave(set, &halves[0][0]), 0);
    assert_int_equal(sets.n_members, 1);
    assert_true(px_proc_equal(&set->members[0], &halves[0][1]));
    assert_int_equal(px_proc_set_leave(set, &halves[0][1]), 0);
    assert_true(px_list_empty(&sets.list));
    px_proc_set_remove(NULL);
}

/* Who leaves a set is still in an array that others have of it. */
static void leaving_changes_no_others_array(void **state)
{
    struct px_shared_procs *shared = px_shared_procs_copy(halves[0], 2);
    struct px_proc_sets sets;
    struct px_proc_set *set;

    (void) state;
    px_proc_sets_init(&sets);
    set = px_proc_set_share(&sets, PX_SET_GROUP, "g", shared);
    assert_ptr_equal(set->members, shared->at);
    assert_int_equal(px_proc_set_leave(set, &halves[0][0]), 0);
    assert_int_equal(set->n, 1);
    assert_true(px_proc_equal(set->members, &halves[0][1]));
    assert_true(px_shared_procs_is_sole(shared) && shared->n == 2);
    assert_true(px_procs_equal(shared->at, 2, halves[0], 2));
    px_shared_procs_drop(shared);
    px_proc_sets_clear(&sets);
}

/* A walk goes on behind a set that has been removed, and nobody else finds the place. */
static void a_place_outlives_its_set(void **state)
{
    struct px_proc_set *set;
    struct px_proc_set place;
    struct px_proc_sets sets;

    (void) state;
    fill(&sets);
    set = px_proc_set_find(&sets, PX_SET_GROUP, NULL, NULL);
    px_proc_set_mark(set, &place);
    assert_true(px_proc_set_is_marked(set, &place));
    assert_ptr_equal(px_proc_set_next(&sets, set, PX_SET_GROUP, NULL, NULL),
                     px_proc_set_next(&sets, &place, PX_SET_GROUP, NULL, NULL));
    px_proc_set_remove(set);
    assert_false(px_proc_set_is_marked(set, &place));
    set = px_proc_set_find(&sets, PX_SET_GROUP, NULL, NULL);
    assert_ptr_equal(px_proc_set_next(&sets, &place, PX_SET_GROUP, NULL, NULL), set);
    assert_true(px_proc_equal(set->members, halves[1]));
    px_proc_set_remove(set);
    assert_null(px_proc_set_next(&sets, &place, PX_SET_GROUP, NULL, NULL));
    px_list_remove(&place.link);
    px_proc_sets_clear(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kind_name_and_member_tell_sets_apart),
        cmocka_unit_test(a_rank_in_a_group_is_a_process),
        cmocka_unit_test(an_info_is_spelt_out),
        cmocka_unit_test(an_index_finds_what_a_search_does),
        cmocka_unit_test(the_oldest_of_a_name_comes_first),
        cmocka_unit_test(long_names_are_told_apart),
        cmocka_unit_test(the_last_one_takes_the_set_along),
        cmocka_unit_test(leaving_changes_no_others_array),
        cmocka_unit_test(a_place_outlives_its_set),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
