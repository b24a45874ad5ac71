/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What pmixrun's relay knows of processes that have left groups: it is counted for a destruct, is
 * forgotten when it is over, and does not grow with the groups that a process leaves. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "src/tools/run/nodes.h"

static pmix_proc_t process(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, nspace, rank);
    return proc;
}

/* The key of a destruct of a group by all of a job. */
static struct px_run_bytes key_of(const char *group, const char *nspace)
{
    struct px_run_bytes key = {0};

    px_run_put_u32(&key, PX_RUN_KIND_DESTRUCT);
    px_run_put_string(&key, group);
    px_run_put_u32(&key, 1);
    px_run_put_string(&key, nspace);
    px_run_put_u32(&key, PMIX_RANK_WILDCARD);
    return key;
}

static uint32_t count(const char *group, uint32_t node)
{
    struct px_run_bytes key = key_of(group, "job");
    uint32_t n = px_run_left_count(key.at, key.len, "job", node);

    free(key.at);
    return n;
}

static void counted_and_forgotten(void **state)
{
    pmix_proc_t procs[3] = {process("job", 0), process("job", 1), process("other", 0)};
    struct px_run_bytes key = key_of("group", "job");

    (void) state;
    px_run_left_add("group", &procs[0], 0);
    px_run_left_add("group", &procs[0], 0);
    px_run_left_add("group", &procs[1], 1);
    px_run_left_add("group", &procs[2], 1);
    assert_true(px_run_has_left("group", &procs[0]));
    assert_false(px_run_has_left("another", &procs[0]));
    assert_int_equal(count("group", 0), 1);
    assert_int_equal(count("group", 1), 1);
    px_run_left_forget("group", &procs[1], 1);
    assert_int_equal(count("group", 1), 0);
    px_run_left_forget_key(key.at, key.len);
    assert_false(px_run_has_left("group", &procs[0]));
    assert_true(px_run_has_left("group", &procs[2]));
    px_run_left_forget_job("other");
    assert_false(px_run_has_left("group", &procs[2]));
    free(key.at);
    px_run_left_free();
}

/* The newest are kept, of each process. */
static void bounded(void **state)
{
    pmix_proc_t procs[2] = {process("job", 0), process("job", 1)};
    char name[32];

    (void) state;
    px_run_left_add("first", &procs[1], 0);
    for (int i = 0; i < 3 * PX_RUN_MOST_LEFT; i++) {
        snprintf(name, sizeof(name), "group%d", i);
        px_run_left_add(name, &procs[0], 0);
    }
    for (int i = 0; i < 3 * PX_RUN_MOST_LEFT; i++) {
        snprintf(name, sizeof(name), "group%d", i);
        assert_int_equal(px_run_has_left(name, &procs[0]), i >= 2 * PX_RUN_MOST_LEFT);
    }
    assert_true(px_run_has_left("first", &procs[1]));
    px_run_left_free();
    assert_false(px_run_has_left("first", &procs[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_and_forgotten),
        cmocka_unit_test(bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
