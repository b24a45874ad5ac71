/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/value/proc_match.h"
#include "src/value/procs.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix.h>

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

static void a_wildcard_covers_its_namespace(void **state)
{
    const pmix_proc_t all = P("A", ALL);
    const pmix_proc_t one = P("A", 1);
    const pmix_proc_t other = P("B", 1);
    const pmix_proc_t both[2] = {P("B", 0), P("A", ALL)};

    (void) state;
    assert_true(px_proc_covers(&all, &one));
    assert_true(px_proc_covers(&one, &one));
    assert_false(px_proc_covers(&one, &all));
    assert_false(px_proc_covers(&all, &other));
    assert_true(px_procs_cover(both, 2, &one));
    assert_false(px_procs_cover(both, 2, &other));
    assert_false(px_procs_cover(NULL, 0, &one));
    assert_true(px_procs_have_nspace(both, 2, "A"));
    assert_false(px_procs_have_nspace(both, 1, "A"));
}

static void equal_is_not_covered(void **state)
{
    const pmix_proc_t list[3] = {P("A", 0), P("A", ALL), P("A", 1)};
    const pmix_proc_t turned[3] = {P("A", 1), P("A", ALL), P("A", 0)};

    (void) state;
    assert_false(px_proc_equal(&list[0], &list[1]));
    assert_int_equal(px_procs_find(list, 3, &list[2]), 2);
    assert_int_equal(px_procs_find(list, 2, &list[2]), 2);
    assert_true(px_procs_equal(list, 3, list, 3));
    assert_false(px_procs_equal(list, 3, turned, 3));
    assert_false(px_procs_equal(list, 3, list, 2));
}

static void overlaps_in_any_form(void **state)
{
    const pmix_proc_t a[2] = {P("A", 0), P("B", ALL)};
    const pmix_proc_t b[2] = {P("A", 1), P("C", 0)};
    const pmix_proc_t c[2] = {P("C", 1), P("B", 4)};
    const pmix_proc_t every = P("A", ALL);

    (void) state;
    assert_false(px_procs_overlap(a, 2, b, 2));
    assert_true(px_procs_overlap(a, 2, c, 2));
    assert_true(px_procs_overlap(c, 2, a, 2));
    assert_false(px_procs_overlap(b, 2, c, 2));
    assert_true(px_procs_overlap(&every, 1, b, 2));
    assert_false(px_procs_overlap(NULL, 0, b, 2));
}

/* Mostly named processes, some without a name, some for all ranks; one of three ranks of its own,
 * so that short lists of few may have nothing in common. */
static void draw(pmix_proc_t *procs, size_t n, unsigned kind, unsigned *seed)
{
    for (size_t i = 0; i < n; i++) {
        unsigned x = rand_r(seed) >> 4;

        procs[i] = (pmix_proc_t) P("A", (pmix_rank_t) (x % 400 * 3 + kind));
        procs[i].nspace[0] = (char) ('A' + x / 400 % 3);
        if (x % 307 == 0) {
            procs[i].rank = ALL;
        }
        if (x % 211 == 0) {
            procs[i].nspace[0] = '\0';
        }
    }
}

/* What the index says of two lists. */
static bool index_overlaps(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb)
{
    struct px_proc_index index = {0};
    bool found = false;

    for (size_t i = 0; i < na; i++) {
        assert_int_equal(px_proc_index_add(&index, 7, &a[i], (void *) (uintptr_t) &a[i]), 0);
    }
    for (size_t i = 0; i < nb; i++) {
        const pmix_proc_t *match = px_proc_index_find(&index, 7, &b[i]);

        assert_true(!match || PMIx_Check_procid(match, &b[i]));
        assert_null(px_proc_index_find(&index, 8, &b[i]));
        found |= match != NULL;
    }
    px_proc_index_fini(&index);
    return found;
}

/* Long lists are looked up in an index; it says what comparing each pair says. */
static void overlaps_when_long(void **state)
{
    unsigned seed = (unsigned) getpid();
    unsigned n_found = 0;

    (void) state;
    print_message("# seed %u\n", seed);
    for (unsigned round = 0; round < 2000; round++) {
        pmix_proc_t a[100];
        pmix_proc_t b[100];
        int more = round % 2 ? 23 : 80;
        size_t na = 17 + (size_t) (rand_r(&seed) % more);
        size_t nb = 17 + (size_t) (rand_r(&seed) % more);
        bool found = false;

        draw(a, na, 0, &seed);
        draw(b, nb, round % 3 == 0 ? 0 : 1, &seed);
        for (size_t i = 0; i < na * nb; i++) {
            found |= PMIx_Check_procid(&a[i / nb], &b[i % nb]);
        }
        assert_int_equal(px_procs_overlap(a, na, b, nb), found);
        assert_int_equal(index_overlaps(a, na, b, nb), found);
        n_found += found;
    }
    assert_in_range(n_found, 200, 1800);
}

static void a_list_has_each_once(void **state)
{
    const pmix_proc_t some[3] = {P("A", 1), P("B", ALL), P("A", ALL)};
    const pmix_proc_t want[4] = {P("A", 1), P("B", ALL), P("A", 0), P("A", 2)};
    struct px_proc_list list = {0};

    (void) state;
    assert_int_equal(px_proc_list_expand(&list, some, 3, three, known), 0);
    assert_true(px_procs_equal(list.at, list.n, want, 4));
    assert_int_equal(px_proc_list_add(&list, &want[3]), 0);
    assert_int_equal(px_proc_list_add_all(&list, want, 4), 0);
    assert_int_equal(list.n, 4);
    assert_int_equal(px_proc_list_add(&list, &some[2]), 0);
    assert_int_equal(list.n, 5);
    px_proc_list_fini(&list);
    assert_int_equal(list.n, 0);
    assert_int_equal(px_proc_list_expand(&list, some, 3, NULL, NULL), 0);
    assert_true(px_procs_equal(list.at, list.n, some, 3)); /* of no job is the size known */
    px_proc_list_fini(&list);
}

/* A long list in order is searched by halves until a process is added out of order. A process that
 * was removed is not found, and each is in the list once at any time. */
static void a_list_in_order(void **state)
{
    enum { N = 200, OUT = 150 };
    struct px_proc_list list = {0};
    pmix_proc_t proc = P("B", 0);
    const pmix_proc_t gone = P("B", 7);
    const pmix_proc_t early = P("A", 3);

    (void) state;
    for (uint32_t i = 0; i < N; i++) {
        proc.rank = 2 * i;
        assert_int_equal(px_proc_list_add(&list, &proc), 0);
        assert_int_equal(px_proc_list_add(&list, &proc), 0);
        assert_int_equal(list.n, i + 1);
    }
    for (uint32_t i = 0; i < 2 * N; i++) {
        proc.rank = i;
        assert_int_equal(px_proc_list_has(&list, &proc), i % 2 == 0);
    }
    proc.rank = 2 * OUT;
    px_proc_list_remove(&list, &proc, 1);
    assert_false(px_proc_list_has(&list, &proc));
    assert_int_equal(px_proc_list_add(&list, &proc), 0); /* at the end, hence out of order */
    assert_true(px_proc_list_has(&list, &proc));
    assert_int_equal(px_proc_list_add(&list, &proc), 0);
    assert_int_equal(px_proc_list_add(&list, &gone), 0);
    assert_int_equal(px_proc_list_add(&list, &early), 0);
    for (size_t i = 0; i < list.n; i++) {
        assert_true(px_proc_list_has(&list, &list.at[i]));
        assert_int_equal(px_procs_find(list.at, list.n, &list.at[i]), i);
    }
    assert_int_equal(list.n, N + 2);
    px_proc_list_fini(&list);
}

/* An array in order is copied, others are added one by one; what follows is added as ever. */
static void a_list_of_an_array(void **state)
{
    enum { N = 20 };
    pmix_proc_t some[N];
    struct px_proc_list list = {0};

    (void) state;
    for (uint32_t i = 0; i < N; i++) {
        some[i] = (pmix_proc_t) P("A", i);
    }
    assert_int_equal(px_proc_list_add_all(&list, some, N), 0);
    assert_int_equal(px_proc_list_add_all(&list, some, N), 0);
    assert_true(px_procs_equal(list.at, list.n, some, N));
    some[0].rank = N;
    assert_int_equal(px_proc_list_add(&list, &some[0]), 0);
    assert_int_equal(list.n, N + 1);
    assert_true(px_proc_list_has(&list, &some[0]) && px_proc_list_has(&list, &some[N - 1]));
    px_proc_list_fini(&list);
    some[0] = some[1];
    assert_int_equal(px_proc_list_add_all(&list, some, N), 0);
    assert_true(px_procs_equal(list.at, list.n, some + 1, N - 1));
    px_proc_list_fini(&list);
}

/* A long list has an index, which follows what the list got without it. */
static void a_long_list_has_each_once(void **state)
{
    enum { N = 3000 };
    struct px_proc_list list = {0};
    pmix_proc_t proc = P("A", 0);
    const pmix_proc_t gone[2] = {P("A4", 2), P("B", ALL)};
    const pmix_proc_t stays = P("A2", 1);
    pmix_proc_t *taken;
    size_t n;

    (void) state;
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < N; i++) {
            snprintf(proc.nspace, sizeof(proc.nspace), "%s%u", i % 3 ? "A" : "", i % 7);
            proc.rank = i % 5 ? i / 2 : ALL;
            assert_int_equal(px_proc_list_add(&list, &proc), 0);
        }
    }
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(px_procs_find(list.at, list.n, &list.at[i]), i);
    }
    assert_true(list.n > N / 2 && list.n < N);
    n = list.n;
    px_proc_list_remove(&list, gone, 2);
    assert_int_equal(list.n, n - 1);
    assert_true(px_proc_list_has(&list, &stays));
    assert_false(px_proc_list_has(&list, &gone[0]));
    assert_int_equal(px_proc_list_add(&list, &gone[0]), 0);
    assert_int_equal(px_procs_find(list.at, list.n, &gone[0]), n - 1);
    taken = px_proc_list_take(&list);
    assert_non_null(taken);
    free(taken);
    assert_int_equal(list.n, 0);
    /* The ranks are those of another namespace, whose name begins with the rank of the first. */
    for (uint32_t i = 0; i < N; i++) {
        snprintf(proc.nspace, sizeof(proc.nspace), "%c", 'A' + (int) (i % 2));
        proc.rank = i / 2;
        assert_int_equal(px_proc_list_add(&list, &proc), 0);
    }
    assert_int_equal(list.n, N);
    px_proc_list_fini(&list);
}

static void a_set_includes_another(void **state)
{
    const pmix_proc_t a[3] = {P("A", ALL), P("B", 1), P("B", 3)};
    const pmix_proc_t b[2] = {P("A", 7), P("B", 3)};
    const pmix_proc_t c[2] = {P("A", 7), P("B", 2)};

    (void) state;
    assert_true(px_procs_include(a, 3, b, 2));
    assert_true(px_procs_include(a, 3, a, 3));
    assert_false(px_procs_include(a, 3, c, 2));
    assert_false(px_procs_include(b, 2, a, 3));
    assert_true(px_procs_include(a, 3, NULL, 0));
}

static void a_set_covers_a_process(void **state)
{
    const pmix_proc_t set[4] = {P("A", ALL), P("B", 1), P("B", 3), P("C", ALL)};
    const pmix_proc_t in[5] = {P("A", 0), P("A", ALL), P("B", 1), P("B", 3), P("C", 7)};
    const pmix_proc_t out[4] = {P("B", 2), P("B", ALL), P("0", 1), P("D", 1)};

    (void) state;
    for (size_t i = 0; i < 5; i++) {
        assert_true(px_procs_normal_cover(set, 4, &in[i]));
    }
    for (size_t i = 0; i < 4; i++) {
        assert_false(px_procs_normal_cover(set, 4, &out[i]));
    }
    assert_false(px_procs_normal_cover(NULL, 0, &in[0]));
}

static void sets_meet(void **state)
{
    const pmix_proc_t a[3] = {P("A", ALL), P("B", 1), P("B", 3)};
    const pmix_proc_t b[3] = {P("0", 1), P("A", 7), P("C", 3)};
    const pmix_proc_t c[3] = {P("B", 0), P("B", 2), P("C", 1)};
    const pmix_proc_t d[1] = {P("B", ALL)};

    (void) state;
    assert_true(px_procs_meet(a, 3, b, 3));
    assert_true(px_procs_meet(b, 3, a, 3));
    assert_false(px_procs_meet(a, 3, c, 3));
    assert_false(px_procs_meet(c, 3, a, 3));
    assert_true(px_procs_meet(a, 3, d, 1));
    assert_true(px_procs_meet(d, 1, c, 3));
    assert_false(px_procs_meet(d, 1, b, 3));
    assert_true(px_procs_meet(a + 2, 1, a, 3));
    assert_false(px_procs_meet(a, 3, NULL, 0));
}

static void without_memory(void **state)
{
    const pmix_proc_t all = P("A", ALL);
    struct px_proc_list list = {0};

    (void) state;
    fail_allocation(1);
    assert_int_equal(px_proc_list_expand(&list, &all, 1, three, known), PMIX_ERR_NOMEM);
    fail_allocation(0);
    px_proc_list_fini(&list);
}

/* A list that shares its array copies it before it changes: the other owner's stays. If memory is
 * out, nothing has changed. */
static void shares_until_it_changes(void **state)
{
    const pmix_proc_t few[3] = {P("A", 1), P("B", 2), P("A", 0)};
    const pmix_proc_t more = P("A", 5);
    struct px_proc_list list = {0};

    (void) state;
    for (int how = 0; how < 4; how++) {
        struct px_shared_procs *shared = px_shared_procs_copy(few, 3);
        struct px_shared_procs *held;
        bool adds = how < 2;
        int rc;

        px_proc_list_share(&list, shared, false);
        assert_int_equal(px_proc_list_add(&list, &few[1]), 0); /* is there */
        held = px_proc_list_hold(&list);
        assert_ptr_equal(held, shared);
        px_shared_procs_drop(held);
        assert_false(px_shared_procs_is_sole(shared));
        fail_allocation(how % 2);
        rc = adds ? px_proc_list_add(&list, &more) : px_proc_list_remove(&list, &few[1], 1);
        fail_allocation(0);
        assert_int_equal(rc, how % 2 ? PMIX_ERR_NOMEM : 0);
        assert_true(px_procs_equal(shared->at, shared->n, few, 3));
        assert_int_equal(list.n, rc ? 3 : adds ? 4 : 2);
        assert_int_equal(px_shared_procs_is_sole(shared), !rc);
        assert_int_equal(px_proc_list_has(&list, &few[1]), rc || adds);
        px_shared_procs_drop(shared);
        px_proc_list_fini(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wildcard_covers_its_namespace),
        cmocka_unit_test(equal_is_not_covered),
        cmocka_unit_test(overlaps_in_any_form),
        cmocka_unit_test(overlaps_when_long),
        cmocka_unit_test(a_list_has_each_once),
        cmocka_unit_test(a_list_in_order),
        cmocka_unit_test(a_list_of_an_array),
        cmocka_unit_test(a_long_list_has_each_once),
        cmocka_unit_test(shares_until_it_changes),
        cmocka_unit_test(a_set_includes_another),
        cmocka_unit_test(a_set_covers_a_process),
        cmocka_unit_test(sets_meet),
        cmocka_unit_test(without_memory),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
