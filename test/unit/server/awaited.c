/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Whom a collective waits for, as the server publishes it, when that changes while it waits. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "attempt.h"
#include "src/nspace/normal_form.h"
#include "src/server/data/expected.h"
#include "src/server/data/nspace.h"
#include "src/waits/reader.h"
#include "src/waits/writer.h"

enum { FEW = 100 };

#define LATE "late" /* a job of one process */

/* What is published of the one wait, and whether that process is named as missing. */
struct seen {
    struct px_waits_entry entry;
    bool is_missing;
};

static void see(void *arg)
{
    struct seen *seen = arg;
    struct px_server *s = px_ctx()->server;
    const struct px_local_proc *local;
    pmix_proc_t late;

    PMIX_LOAD_PROCID(&late, LATE, 0);
    local = px_local_proc_of(s, &late);
    seen->entry = px_waits_own(s->waits)->entries[0];
    seen->is_missing = local && local->waits && px_waits_has(seen->entry.expected, local->waits);
}

static void expect_missing(bool is_missing)
{
    struct seen seen = {0};

    assert_int_equal(px_loop_run(px_ctx()->loop, see, &seen), 0);
    assert_int_equal(seen.entry.kind, PX_WAITS_FENCE);
    assert_int_equal(seen.entry.n_expected, 2);
    assert_int_equal(seen.entry.n_named, FEW);
    assert_int_equal(seen.is_missing, is_missing);
}

/* The number of those who are waited for stays the same when one of them gets a record. */
static void one_who_is_registered_late(void **state)
{
    static pmix_proc_t procs[FEW];
    struct px_coll_args args;
    struct attempt attempt = fence_of(&args, procs, FEW);
    pmix_proc_t late;

    (void) state;
    for (size_t i = 1; i < FEW; i++) {
        PMIX_LOAD_PROCID(&procs[i], "nobody", (pmix_rank_t) i);
    }
    PMIX_LOAD_PROCID(&procs[1], LATE, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&late, LATE, 0);
    assert_int_equal(PMIx_server_register_nspace(late.nspace, 1, NULL, 0, NULL, NULL), 0);
    run(&attempt);
    expect_missing(false);
    assert_int_equal(PMIx_server_register_client(&late, geteuid(), getegid(), NULL, NULL, NULL), 0);
    expect_missing(true);
}

/* Takes a process out of the one collective that there is. */
static void excuse(void *arg)
{
    struct px_server *s = px_ctx()->server;
    struct px_coll *coll = px_container_of(s->colls.list.next, struct px_coll, link);

    assert_int_equal(px_coll_excuse(&s->colls, coll, arg), 0);
    assert_false(px_coll_recount(coll));
}

/* A job that was named as a whole, and of which one process is left: the set has as many elements
 * as before. */
static void one_who_is_excused(void **state)
{
    char name[] = "group";
    uint32_t size = 2;
    pmix_proc_t procs[2];
    pmix_proc_t late;
    pmix_info_t info;
    struct px_coll_args args = {.group = name, .procs = procs, .nprocs = 2};
    struct attempt attempt = {.request = &px_request_group_construct,
                              .args = &args.head,
                              .n_parts = MOST_PARTS,
                              .named = true};
    struct seen seen = {0};

    (void) state;
    PMIX_LOAD_PROCID(&procs[0], JOB, 0);
    PMIX_LOAD_PROCID(&procs[1], LATE, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&late, LATE, 1);
    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    assert_int_equal(PMIx_server_register_nspace(late.nspace, 2, &info, 1, NULL, NULL), 0);
    for (late.rank = 2; late.rank-- > 0;) {
        assert_int_equal(PMIx_server_register_client(&late, geteuid(), getegid(), NULL, NULL, NULL),
                         0);
    }
    late.rank = 1;
    run(&attempt);
    assert_int_equal(px_loop_run(px_ctx()->loop, see, &seen), 0);
    assert_int_equal(seen.entry.n_named, 2);
    assert_int_equal(seen.entry.named[1].rank, PX_WAITS_ALL);
    assert_int_equal(px_loop_run(px_ctx()->loop, excuse, &late), 0);
    assert_int_equal(px_loop_run(px_ctx()->loop, see, &seen), 0);
    assert_int_equal(seen.entry.n_named, 2);
    assert_int_equal(seen.entry.named[1].rank, 0);
}

/* Looks at sets of some of these processes in two ways. */
static void look_twice(void *arg)
{
    static const char *const names[] = {JOB, LATE, "a", "nobody", "other", "z"};
    struct px_server *s = px_ctx()->server;
    uint32_t *seed = arg;

    for (unsigned round = 0; round < 400; round++) {
        pmix_proc_t procs[24];
        struct px_shared_procs *shared;
        struct px_nspace_runs runs = {0};
        struct px_proc_list set = {0};
        struct px_expected one_by_one;
        struct px_expected expected;
        size_t n = 1 + round % 24;

        for (size_t i = 0; i < n; i++) {
            *seed = *seed * 1664525u + 1013904223u;
            PMIX_LOAD_PROCID(&procs[i], names[(*seed >> 24) % (round % 2 ? 6 : 2)],
                             (*seed >> 16) % 8);
            procs[i].rank =
                procs[i].rank == 7 && round % 3 == 0 ? PMIX_RANK_WILDCARD : procs[i].rank;
        }
        shared = px_shared_procs_copy(procs, n);
        assert_int_equal(px_procs_normalise(shared, NULL, NULL, &set, &runs), 0);
        one_by_one = px_expected_of(s, set.at, set.n);
        expected = px_expected_of_set(s, set.at, &runs);
        assert_memory_equal(&expected, &one_by_one, sizeof(expected));
        px_nspace_runs_fini(&runs);
        px_proc_list_fini(&set);
        px_shared_procs_drop(shared);
    }
}

/* A job of which three of six processes are here, as long as not all of them are registered, and
 * when they are, or one has ended; others are of other jobs. */
static void the_same_one_by_one(void **state)
{
    enum { HERE = 3 };
    uint32_t size = 6;
    uint32_t seed = 2463534242u;
    char nodes[300];
    pmix_proc_t late;
    pmix_info_t info[3];

    (void) state;
    PMIX_LOAD_PROCID(&late, LATE, 0);
    snprintf(nodes, sizeof(nodes), "%s,elsewhere", px_ctx()->server->hostname);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_PROC_MAP, "0-2;3-5", PMIX_STRING);
    assert_int_equal(PMIx_server_register_nspace(late.nspace, HERE, info, 3, NULL, NULL), 0);
    PMIX_INFO_DESTRUCT(&info[1]);
    PMIX_INFO_DESTRUCT(&info[2]);
    for (; late.rank < HERE; late.rank++) {
        assert_int_equal(px_loop_run(px_ctx()->loop, look_twice, &seed), 0);
        assert_int_equal(PMIx_server_register_client(&late, geteuid(), getegid(), NULL, NULL, NULL),
                         0);
    }
    assert_int_equal(px_loop_run(px_ctx()->loop, look_twice, &seed), 0);
    late.rank = 1;
    PMIx_server_deregister_client(&late, NULL, NULL);
    assert_int_equal(px_loop_run(px_ctx()->loop, look_twice, &seed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_one_by_one, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_who_is_registered_late, job_of_two_start,
                                        job_of_two_stop),
        cmocka_unit_test_setup_teardown(one_who_is_excused, job_of_two_start, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
