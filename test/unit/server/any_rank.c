/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gets of any rank, which look at the ranks of a job in parts. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "gds/batch.h"
#include "gds/lookup.h"
#include "gds/publication.h"
#include "getter.h"
#include "src/server/data/nspace.h"

/* The ranks of a job, and how many of them are looked at in one turn at most. */
enum { WIDE = 20000, PART = 5000 };

static unsigned n_looked; /* values that were looked for */

int __real_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret);
int __wrap_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret);

int __wrap_px_store_get(const struct px_store *store, const struct px_lookup_key *spec,
                        struct px_slice *ret)
{
    n_looked++;
    return __real_px_store_get(store, spec, ret);
}

static int start_wide(void **state)
{
    static char ranks[WIDE * 6];
    pmix_nspace_t wide = "wide";
    pmix_info_t info[2];
    size_t len = 0;
    int rc = job_of_two_start(state);

    for (int i = 0; i < WIDE; i++) {
        len += (size_t) snprintf(ranks + len, sizeof(ranks) - len, "%s%d", i ? "," : "", i);
    }
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, "far", PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, ranks, PMIX_STRING);
    rc = rc ? rc : PMIx_server_register_nspace(wide, 0, info, 2, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    return rc;
}

/* The first turn of a get of any rank. */
static void try_first_part(void *arg)
{
    struct px_server *s = px_ctx()->server;

    (void) arg;
    enter(&searcher, UINT64_MAX);
    n_looked = 0;
    ask_in(&searcher, "wide", PMIX_RANK_UNDEF, NULL, 0);
    assert_in_range(n_looked, 1, PART);
    assert_int_equal(count(&s->large_gets), 1);
}

/* It waits when all ranks have been looked at. */
static void try_end(void *arg)
{
    (void) arg;
    assert_in_range(n_looked, WIDE, WIDE + PART);
    assert_int_equal(count_waiting(px_ctx()->server), 1);
    leave(&searcher);
}

static void any_of_many(void **state)
{
    (void) state;
    run(try_first_part);
    await_end();
    run(try_end);
}

/* The first rank posts the key when it has been looked at. */
static void post_behind(void *arg)
{
    struct px_nspace *ns = px_nspace_find(px_ctx()->server, "wide");
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    const struct px_store_entry entry = {
        .level = PX_LEVEL_PROC, .key = "key", .value = &value, .scope = PMIX_REMOTE};
    struct px_batch *batch = px_batch_create();

    (void) arg;
    try_first_part(NULL);
    assert_non_null(batch);
    assert_int_equal(px_batch_add(batch, &entry), 0);
    assert_int_equal(px_store_publish(ns->store, batch), 0);
    px_batch_destroy(batch);
}

static void what_comes_meanwhile(void **state)
{
    (void) state;
    run(post_behind);
    await_end();
    run(try_answered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_of_many, start_wide, job_of_two_stop),
        cmocka_unit_test_setup_teardown(what_comes_meanwhile, start_wide, job_of_two_stop),
    };

    alarm(60);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
