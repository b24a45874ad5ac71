/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "config.h"

#include "src/topo/topo.h"
#include "src/topo/cpuset.h"
#include "src/topo/topo_values.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void strings_round_trip(void **state)
{
    (void) state;
    static const char *const same[] = {"hwloc:0", "hwloc:0-3,7", "hwloc:", "hwloc:2,4-5,1000",
                                       "hwloc:4-"};

    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        pmix_cpuset_t c = {0};
        char *text;
        assert_int_equal(px_topo_cpuset_parse(same[i], &c), 0);
        assert_string_equal(c.source, "hwloc");
        assert_int_equal(px_topo_cpuset_string(&c, &text), 0);
        assert_string_equal(text, same[i]);
        free(text);
        px_topo_cpuset_destruct(&c);
        assert_null(c.bitmap);
    }
}

static void bad_strings_are_refused(void **state)
{
    (void) state;
    static const char *const bad[] = {
        "0-1",        "",         "hwloc:x",        "hwloc:1-x",        "hwloc:1,",
        "hwloc:,",    "hwloc:-1", "hwloc:99999999", "hwloc:1-99999999", "hwloc:1--2",
        "hwloc:0x10", "hwloc:1 2"};
    pmix_cpuset_t c = {0};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(px_topo_cpuset_parse(bad[i], &c), PMIX_ERR_BAD_PARAM);
        assert_null(c.bitmap);
    }
    assert_int_equal(px_topo_cpuset_parse(NULL, &c), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_cpuset_parse("foo:1", &c), PMIX_ERR_NOT_SUPPORTED);
    char *text = NULL;
    assert_int_equal(px_topo_cpuset_string(&c, &text), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_topo_cpuset_get(7, &c), PMIX_ERR_BAD_PARAM);
}

static int first_cpu(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &set)) {
            return i;
        }
    }
    return -1;
}

static void *bound_thread(void *arg)
{
    cpu_set_t set;
    int cpu = *(int *) arg;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pmix_cpuset_t c = {0};
    char *text = NULL;
    if (sched_setaffinity(0, sizeof(set), &set) == 0 &&
        px_topo_cpuset_get(PMIX_CPUBIND_THREAD, &c) == 0) {
        (void) px_topo_cpuset_string(&c, &text);
    }
    px_topo_cpuset_destruct(&c);
    return text;
}

static void binding_of_thread_and_process(void **state)
{
    (void) state;
    int cpu = first_cpu();
    char expect[32];
    pthread_t id;
    void *text;

    snprintf(expect, sizeof(expect), "hwloc:%d", cpu);
    assert_int_equal(pthread_create(&id, NULL, bound_thread, &cpu), 0);
    assert_int_equal(pthread_join(id, &text), 0);
    assert_string_equal(text, expect);
    free(text);

    pmix_cpuset_t thread = {0};
    pmix_cpuset_t process = {0};
    assert_int_equal(px_topo_cpuset_get(PMIX_CPUBIND_THREAD, &thread), 0);
    assert_int_equal(px_topo_cpuset_get(PMIX_CPUBIND_PROCESS, &process), 0);
    assert_int_equal(px_topo_cpuset_compare(&thread, &process), PMIX_EQUAL);
    px_topo_cpuset_destruct(&thread);
    px_topo_cpuset_destruct(&process);
}

static void copy_and_compare(void **state)
{
    (void) state;
    pmix_cpuset_t a = {0};
    pmix_cpuset_t b = {0};
    pmix_cpuset_t c = {0};

    assert_int_equal(px_topo_cpuset_parse("hwloc:1-2", &a), 0);
    assert_int_equal(px_topo_cpuset_copy(&a, &b), 0);
    assert_int_equal(px_topo_cpuset_parse("hwloc:5", &c), 0);
    assert_int_equal(px_topo_cpuset_compare(&a, &b), PMIX_EQUAL);
    assert_int_equal(px_topo_cpuset_compare(&a, &c), PMIX_VALUE2_GREATER);
    assert_int_equal(px_topo_cpuset_compare(&c, &a), PMIX_VALUE1_GREATER);
    assert_true(px_topo_cpuset_size(&a) > 0);
    px_topo_cpuset_destruct(&a);
    assert_int_equal(px_topo_cpuset_compare(&a, &c), PMIX_VALUE2_GREATER);
    assert_int_equal(px_topo_cpuset_size(&a), 0);
    px_topo_cpuset_destruct(&b);
    px_topo_cpuset_destruct(&c);
    px_topo_cpuset_destruct(NULL);
}

int main(void)
{
    alarm(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_round_trip),
        cmocka_unit_test(bad_strings_are_refused),
        cmocka_unit_test(binding_of_thread_and_process),
        cmocka_unit_test(copy_and_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
