/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Group information counts as posted by the process that has given it, until it is deleted. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "job_of_two.h"
#include "src/context/context.h"
#include "src/loop/loop.h"
#include "src/server/collectives/group_infos.h"
#include "src/server/data/nspace.h"
#include "src/server/data/posted.h"
#include "src/server/state.h"

/* Of the quota of posted values there is room for three such values, not for four. */
enum { BYTES = 300000 };
#define QUOTA "1M"

static char bytes[BYTES];

static struct px_server *server(void)
{
    return px_ctx()->server;
}

static size_t held(void)
{
    const struct px_local_proc *rank = px_local_proc_find(px_nspace_find(server(), JOB), 0);

    return rank->posted.usage.held[PX_QUOTA_POSTED];
}

/* What rank 0 gives: n values, with its name in front as servers have it, or without. */
static void give(pmix_info_t *ret, size_t n, bool named)
{
    pmix_data_array_t *array = PMIx_Data_array_create(n + named, PMIX_INFO);
    pmix_info_t *infos = array->array;
    pmix_byte_object_t value = {bytes, BYTES};
    pmix_proc_t proc;
    char key[] = "key.0";

    PMIX_LOAD_PROCID(&proc, JOB, 0);
    if (named) {
        PMIX_INFO_LOAD(&infos[0], PMIX_PROCID, &proc, PMIX_PROC);
    }
    for (size_t i = 0; i < n; i++, key[4]++) {
        PMIX_INFO_LOAD(&infos[i + named], key, &value, PMIX_BYTE_OBJECT);
    }
    PMIX_LOAD_KEY(ret->key, PMIX_GROUP_INFO);
    ret->value = (pmix_value_t){.type = PMIX_DATA_ARRAY, .data.darray = array};
}

static void count(void *arg)
{
    pmix_info_t given = {.flags = 0};

    (void) arg;
    give(&given, 2, true);
    assert_int_equal(px_group_infos_store(server(), "group", NULL, &given, 1), 0);
    assert_in_range(held(), 2 * BYTES, 2 * BYTES + 10000);
    assert_int_equal(px_group_infos_store(server(), "another", NULL, &given, 1), 0);
    assert_in_range(held(), 2 * BYTES, 2 * BYTES + 10000); /* in place of the former */
    PMIX_INFO_DESTRUCT(&given);
}

static void values_count(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, count, NULL), 0);
}

static void refuse(void *arg)
{
    pmix_info_t given = {.flags = 0};
    pmix_proc_t proc;

    (void) arg;
    PMIX_LOAD_PROCID(&proc, JOB, 0);
    give(&given, 3, false);
    assert_true(px_group_infos_allowed(server(), &proc, &given, 1));
    PMIX_INFO_DESTRUCT(&given);
    give(&given, 4, false);
    assert_false(px_group_infos_allowed(server(), &proc, &given, 1));
    assert_true(px_group_infos_allowed(server(), &proc, NULL, 0));
    PMIX_INFO_DESTRUCT(&given);
}

static void too_much_is_refused(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, refuse, NULL), 0);
}

/* The parameter lets one value stay of groups that are no more. */
static void drop(void *arg)
{
    pmix_info_t given = {.flags = 0};
    size_t before = held();

    (void) arg;
    give(&given, 1, true);
    for (size_t id = 1; id <= 3; id++) {
        assert_int_equal(px_group_infos_store(server(), "group", &id, &given, 1), 0);
        px_group_infos_trim(server());
        assert_in_range(held() - before, BYTES, BYTES + 10000);
    }
    PMIX_INFO_DESTRUCT(&given);
}

static void what_is_deleted_counts_no_more(void **state)
{
    (void) state;
    assert_int_equal(px_loop_run(px_ctx()->loop, drop, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_count, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(too_much_is_refused, job_of_two_start, job_of_two_stop),
        cmocka_unit_test_setup_teardown(what_is_deleted_counts_no_more, job_of_two_start,
                                        job_of_two_stop),
    };

    alarm(60);
    (void) setenv("PMIX_MCA_shmix_rank_posted", QUOTA, 1);
    (void) setenv("PMIX_MCA_shmix_group_infos", "1", 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
