/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/nspace/normal_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

#include "src/value/procs.h"
#include "test/unit/net/faults.h"

#define ALL PMIX_RANK_WILDCARD
#define P(name, r)                                                                                 \
    {                                                                                              \
        .nspace = name, .rank = (r)                                                                \
    }

static uint32_t three(void *arg, const char *nspace)
{
    return nspace[0] == *(const char *) arg ? 3 : 0;
}

static char known[] = "A";

/* Each run has the processes of one namespace, which are all that the set has of it. */
static void check_runs(const struct px_proc_list *set, const struct px_nspace_runs *runs)
{
    size_t at = 0;

    assert_true(runs->n > 0 && runs->ends[runs->n - 1] == set->n);
    for (size_t i = 0; i < runs->n; i++) {
        assert_int_equal(px_nspace_run_first(runs, i), at);
        assert_true(at < runs->ends[i]);
        assert_true(i == 0 || strcmp(set->at[at - 1].nspace, set->at[at].nspace) != 0);
        for (; at < runs->ends[i]; at++) {
            assert_string_equal(set->at[at].nspace, set->at[px_nspace_run_first(runs, i)].nspace);
        }
    }
}

/* px_procs_normalise of an array. */
static int normalise(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                     struct px_proc_list *ret)
{
    struct px_shared_procs *shared = px_shared_procs_copy(procs, n);
    struct px_nspace_runs runs = {0};
    int rc = px_procs_normalise(shared, size, arg, ret, &runs);

    if (!rc) {
        check_runs(ret, &runs);
    }
    px_nspace_runs_fini(&runs);
    px_shared_procs_drop(shared);
    return rc;
}

static uint64_t hash_of(const pmix_proc_t *procs, size_t n)
{
    struct px_shared_procs *shared = px_shared_procs_copy(procs, n);
    struct px_nspace_runs runs = {0};
    struct px_proc_list set = {0};
    uint64_t hash;

    assert_int_equal(px_procs_normalise(shared, NULL, NULL, &set, &runs), 0);
    hash = runs.hash;
    px_shared_procs_drop(shared);
    px_proc_list_fini(&set);
    px_nspace_runs_fini(&runs);
    return hash;
}

static void one_normal_form(void **state)
{
    const pmix_proc_t forms[4][4] = {
        {P("A", ALL), P("B", 1)},
        {P("A", 2), P("B", 1), P("A", 0), P("A", 1)},
        {P("A", 1), P("A", ALL), P("B", 1), P("B", 1)},
        {P("B", 1), P("A", ALL), P("A", ALL)},
    };
    static const size_t sizes[] = {2, 4, 4, 3};
    const pmix_proc_t nameless = P("", 0);
    struct px_proc_list set;

    (void) state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(normalise(forms[i], sizes[i], three, known, &set), 0);
        assert_true(px_procs_are_normal(set.at, set.n));
        assert_true(px_procs_equal(set.at, set.n, forms[0], 2));
        px_proc_list_fini(&set);
    }
    /* How many there are is not known: a list stays one. */
    assert_int_equal(normalise(forms[1], 4, NULL, NULL, &set), 0);
    assert_int_equal(set.n, 4);
    px_proc_list_fini(&set);
    assert_int_equal(normalise(NULL, 0, NULL, NULL, &set), PMIX_ERR_BAD_PARAM);
    assert_int_equal(normalise(&nameless, 1, NULL, NULL, &set), PMIX_ERR_BAD_PARAM);
}

static int by_order(const void *a, const void *b)
{
    const pmix_proc_t *x = a;
    const pmix_proc_t *y = b;
    int names = strcmp(x->nspace, y->nspace);
    uint64_t first = x->rank == ALL ? 0 : (uint64_t) x->rank + 1;
    uint64_t second = y->rank == ALL ? 0 : (uint64_t) y->rank + 1;

    return names ? names : (first > second) - (first < second);
}

/* Takes steps of at most `piece` processes, and at most `most` of them. The status of the last. */
static int take_steps(struct px_normalising *making, size_t piece, size_t most)
{
    int rc = PMIX_OPERATION_IN_PROGRESS;

    for (size_t i = 0; rc == PMIX_OPERATION_IN_PROGRESS && i < most; i++) {
        rc = px_procs_normalise_go_on(making, piece);
    }
    return rc;
}

/* The normal form is made in steps, or given up after any of them. It is refused if the processes
 * are of more namespaces than there may be. */
static void check_steps(struct px_shared_procs *procs, const struct px_proc_list *want,
                        uint64_t hash)
{
    struct px_normalising *making = NULL;
    struct px_proc_list set = {0};
    struct px_nspace_runs runs = {0};
    size_t piece = procs->n / 3;
    size_t n_spaces = 0;
    int rc = PMIX_OPERATION_IN_PROGRESS;

    for (size_t i = 0; i < want->n; i++) {
        n_spaces += !i || strcmp(want->at[i].nspace, want->at[i - 1].nspace) != 0;
    }
    for (size_t most = 0; rc == PMIX_OPERATION_IN_PROGRESS; most++) {
        assert_int_equal(px_procs_normalise_begin(procs, NULL, NULL, n_spaces, &making), 0);
        rc = take_steps(making, piece, most);
        px_procs_normalise_end(making, rc ? NULL : &set, &runs);
        assert_true(most > 5 || rc == PMIX_OPERATION_IN_PROGRESS);
    }
    assert_int_equal(rc, 0);
    assert_true(px_procs_equal(set.at, set.n, want->at, want->n));
    check_runs(&set, &runs);
    assert_true(runs.n == n_spaces && runs.hash == hash);
    px_proc_list_fini(&set);
    px_nspace_runs_fini(&runs);
    assert_int_equal(px_procs_normalise_begin(procs, NULL, NULL, n_spaces - 1, &making), 0);
    assert_int_equal(take_steps(making, piece, SIZE_MAX), PMIX_ERR_OUT_OF_RESOURCE);
    px_procs_normalise_end(making, NULL, NULL);
}

/* Many processes of few and of many namespaces, in any order, some of them twice, against a plain
 * sort. */
static void as_a_plain_sort(void **state)
{
    enum { N = 2000, SPACES = 600, ROUNDS = 12 };
    static const char *const before[3] = {"", "name-", "longer name-"};
    static const char *const behind[2] = {"", "-behind"};
    static pmix_proc_t given[N];
    static pmix_proc_t want[N];
    uint32_t seed = 2463534242u;

    (void) state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct px_shared_procs *shared;
        struct px_proc_list set;
        struct px_nspace_runs runs;
        size_t n = 0;

        for (size_t i = 0; i < N; i++) {
            seed = seed * 1664525u + 1013904223u;
            snprintf(given[i].nspace, sizeof(given[i].nspace), "%s%s%03u%s", seed >> 31 ? "n" : "",
                     before[round % 3], (seed >> 8) % (round % 2 ? SPACES : 3),
                     behind[round % 4 / 2]);
            given[i].rank = (seed >> 16) % 1000;
            given[i].rank = given[i].rank == 7   ? ALL
                            : given[i].rank == 8 ? PMIX_RANK_UNDEF
                                                 : given[i].rank;
        }
        memcpy(want, given, sizeof(given));
        qsort(want, N, sizeof(*want), by_order);
        for (size_t i = 0; i < N; i++) {
            if (!n || !px_proc_covers(&want[n - 1], &want[i])) {
                want[n++] = want[i];
            }
        }
        shared = px_shared_procs_copy(given, N);
        assert_int_equal(px_procs_normalise(shared, NULL, NULL, &set, &runs), 0);
        assert_true(px_procs_equal(set.at, set.n, want, n));
        check_steps(shared, &set, runs.hash);
        px_nspace_runs_fini(&runs);
        px_shared_procs_drop(shared);
        px_proc_list_fini(&set);
    }
}

static uint32_t of_one(void *arg, const char *nspace)
{
    (void) arg, (void) nspace;
    return 1;
}

/* What is in normal form is lent, unless a namespace is complete. */
static void one_more_owner_if_normal(void **state)
{
    const pmix_proc_t normal[4] = {P("A", 0), P("A", 2), P("B", ALL), P("C", 1)};
    const pmix_proc_t others[4][3] = {{P("A", 0), P("A", 1), P("A", 2)},
                                      {P("A", 1), P("A", 1), P("B", 0)},
                                      {P("A", ALL), P("A", 1), P("B", 0)},
                                      {P("B", 0), P("A", 0), P("A", 1)}};
    static const size_t sizes[4] = {1, 2, 2, 3};
    const pmix_proc_t one = P("C", 0);
    struct px_shared_procs *shared = px_shared_procs_copy(normal, 4);
    struct px_proc_list set = {0};
    struct px_nspace_runs runs = {0};

    (void) state;
    assert_int_equal(px_procs_normalise(shared, three, known, &set, &runs), 0);
    assert_ptr_equal(set.shared, shared);
    assert_ptr_equal(set.at, shared->at);
    assert_int_equal(set.n, 4);
    assert_true(px_proc_list_has(&set, &normal[1]));
    px_shared_procs_drop(shared); /* the list still has it */
    assert_true(px_proc_equal(&set.at[3], &normal[3]));
    px_proc_list_fini(&set);
    px_nspace_runs_fini(&runs);
    for (size_t i = 0; i < 4; i++) {
        shared = px_shared_procs_copy(others[i], 3);
        assert_int_equal(px_procs_normalise(shared, three, known, &set, &runs), 0);
        assert_null(set.shared);
        assert_int_equal(set.n, sizes[i]);
        px_shared_procs_drop(shared);
        px_proc_list_fini(&set);
        px_nspace_runs_fini(&runs);
    }
    shared = px_shared_procs_copy(&one, 1);
    assert_int_equal(px_procs_normalise(shared, of_one, known, &set, &runs), 0);
    assert_int_equal(set.at[0].rank, ALL);
    px_shared_procs_drop(shared);
    px_proc_list_fini(&set);
    px_nspace_runs_fini(&runs);
}

/* Sets have one hash only if they have the same processes. */
static void a_hash_for_each_set(void **state)
{
    static const pmix_proc_t sets[][3] = {
        {P("A", 0), P("A", 1), P("B", 0)}, {P("A", 0), P("B", 0), P("B", 1)},
        {P("A", 0), P("A", 1), P("C", 0)}, {P("A", 0), P("A", 2), P("B", 0)},
        {P("A", ALL), P("B", 0)},          {P("A", 0), P("A", 1)},
        {P("AB", 0), P("A", 1), P("B", 0)}};
    static const size_t sizes[] = {3, 3, 3, 3, 2, 2, 3};
    enum { SETS = sizeof(sizes) / sizeof(sizes[0]) };
    uint64_t hashes[SETS];

    (void) state;
    for (size_t i = 0; i < SETS; i++) {
        pmix_proc_t turned[3] = {sets[i][sizes[i] - 1], sets[i][sizes[i] / 2 % 2], sets[i][0]};

        hashes[i] = hash_of(sets[i], sizes[i]);
        for (size_t j = 0; j < i; j++) {
            assert_true(hashes[i] != hashes[j]);
        }
        assert_true(sizes[i] < 3 || hash_of(turned, 3) == hashes[i]);
    }
}

/* [FEN-022] without memory nothing is made, and nothing is left. */
static void without_memory(void **state)
{
    const pmix_proc_t procs[3] = {P("B", 1), P("A", 1), P("A", 0)};
    struct px_shared_procs *shared = px_shared_procs_copy(procs, 3);
    struct px_nspace_runs runs = {0};
    struct px_proc_list set = {0};
    bool reached = true;
    uint64_t n;

    (void) state;
    for (n = 1; reached; n++) {
        int rc;

        scarce_from(n);
        rc = px_procs_normalise(shared, three, known, &set, &runs);
        reached = scarce_reached();
        scarce_from(0);
        assert_int_equal(rc, reached ? PMIX_ERR_NOMEM : 0);
    }
    assert_true(n > 5);
    assert_int_equal(set.n, 3);
    px_proc_list_fini(&set);
    px_nspace_runs_fini(&runs);
    px_shared_procs_drop(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_normal_form),          cmocka_unit_test(as_a_plain_sort),
        cmocka_unit_test(one_more_owner_if_normal), cmocka_unit_test(a_hash_for_each_set),
        cmocka_unit_test(without_memory),
    };

    alarm(60);
    return cmocka_run_group_tests_name("src/nspace/normal_form", tests, NULL, NULL);
}
