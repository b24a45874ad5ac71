/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What is remembered of processes that have ended, and which of them an event speaks of. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pmix.h>

#include "src/event/ended_procs.h"
#include "src/event/process_end.h"
#include "src/event/registry.h"

static pmix_proc_t of(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIx_Load_procid(&proc, nspace, rank);
    return proc;
}

static void add(struct px_ended_procs *procs, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = of(nspace, rank);

    px_ended_add(procs, &proc);
}

static void revive(struct px_ended_procs *procs, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = of(nspace, rank);

    px_ended_revive(procs, &proc);
}

static bool has(struct px_ended_procs *procs, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = of(nspace, rank);

    return px_ended_has(procs, &proc);
}

static bool was_revived(struct px_ended_procs *procs, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = of(nspace, rank);

    return px_ended_was_revived(procs, &proc);
}

static void ends_and_lives_again(void **state)
{
    struct px_ended_procs procs = {.ended = {0}};

    (void) state;
    revive(&procs, "a", 1);
    assert_false(was_revived(&procs, "a", 1)); /* it had not ended */
    add(&procs, "a", 1);
    assert_true(has(&procs, "a", 1));
    assert_false(has(&procs, "a", 2));
    assert_false(has(&procs, "b", 1));
    revive(&procs, "a", 1);
    assert_false(has(&procs, "a", 1));
    assert_true(was_revived(&procs, "a", 1));
    add(&procs, "a", 1);
    assert_true(has(&procs, "a", 1));
    assert_false(was_revived(&procs, "a", 1));
    px_ended_fini(&procs);
}

/* A namespace takes the place of its processes, and lives again with one of them. */
static void whole_namespace(void **state)
{
    struct px_ended_procs procs = {.ended = {0}};

    (void) state;
    for (pmix_rank_t rank = 0; rank < 100; rank++) {
        add(&procs, "a", rank);
        add(&procs, "b", rank);
    }
    assert_int_equal(procs.ended.n, 200);
    add(&procs, "a", PMIX_RANK_WILDCARD);
    add(&procs, "a", 7);
    assert_int_equal(procs.ended.n, 101);
    assert_true(has(&procs, "a", 100000));
    assert_true(has(&procs, "b", 99));
    assert_false(has(&procs, "b", 100));
    revive(&procs, "a", 3);
    assert_false(has(&procs, "a", 7));
    assert_true(was_revived(&procs, "a", 7));
    add(&procs, "a", PMIX_RANK_WILDCARD);
    assert_false(was_revived(&procs, "a", 7));
    px_ended_fini(&procs);
}

/* The newest are kept, at least half as many as there is room for. */
static void bounded(void **state)
{
    struct px_ended_procs procs = {.ended = {0}};
    pmix_rank_t most = 3 * PX_ENDED_MOST;

    (void) state;
    for (pmix_rank_t rank = 0; rank < most; rank++) {
        /* backwards, so that the list is not in order */
        add(&procs, "a", most - rank);
        assert_true(procs.ended.n <= PX_ENDED_MOST);
    }
    assert_false(has(&procs, "a", most));
    for (pmix_rank_t rank = 1; rank < PX_ENDED_MOST / 2; rank++) {
        assert_true(has(&procs, "a", rank));
    }
    for (pmix_rank_t rank = 0; rank < most; rank++) {
        add(&procs, "b", rank);
        revive(&procs, "b", rank);
        assert_true(procs.revived.n <= PX_ENDED_MOST);
    }
    assert_true(was_revived(&procs, "b", most - 1));
    px_ended_fini(&procs);
    assert_int_equal(procs.ended.n + procs.revived.n, 0);
}

/* --- of which ends an event speaks --- */

static void note(void *arg, const pmix_proc_t *proc)
{
    px_ended_add(arg, proc);
}

/* How many processes have ended by an event of rank 1 about ranks 1 and 2, or about nobody. */
static size_t ends_of(bool by_client, bool named)
{
    pmix_proc_t about[2] = {of("a", 1), of("a", 2)};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = about};
    struct px_ended_procs procs = {.ended = {0}};
    pmix_info_t info[2];
    struct px_event event = {.code = PMIX_ERR_PROC_ABORTED, .source = about[0], .info = info};
    bool yes = true;
    size_t n;

    if (named) {
        PMIx_Info_load(&info[event.ninfo++], PMIX_EVENT_AFFECTED_PROCS, &array, PMIX_DATA_ARRAY);
    }
    if (by_client) {
        PMIx_Info_load(&info[event.ninfo++], PX_KEY_END_BY_CLIENT, &yes, PMIX_BOOL);
    }
    px_event_each_ended(&event, note, &procs);
    n = has(&procs, "a", 1) ? procs.ended.n : 0;
    px_ended_fini(&procs);
    for (size_t i = 0; i < event.ninfo; i++) {
        PMIx_Info_destruct(&info[i]);
    }
    return n;
}

static void who_speaks_of_whom(void **state)
{
    (void) state;
    assert_int_equal(ends_of(false, true), 2);
    assert_int_equal(ends_of(false, false), 1);
    assert_int_equal(ends_of(true, true), 1);
    assert_int_equal(ends_of(true, false), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_lives_again),
        cmocka_unit_test(whole_namespace),
        cmocka_unit_test(bounded),
        cmocka_unit_test(who_speaks_of_whom),
    };

    return cmocka_run_group_tests_name("ended_procs", tests, NULL, NULL);
}
