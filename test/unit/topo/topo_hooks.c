/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "test/unit/topo/use.h"
#include "src/topo/cpuset.h"
#include "src/topo/topo_hooks.h"
#include "src/topo/topo_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Values that hold a cpuset or a topology are copied, compared and released by the value layer. */

static void cpusets_in_values(void **state)
{
    (void) state;
    pmix_cpuset_t c = {0};
    pmix_value_t one;
    pmix_value_t two;

    assert_int_equal(px_topo_cpuset_parse("hwloc:0-3", &c), 0);
    assert_int_equal(PMIx_Value_load(&one, &c, PMIX_PROC_CPUSET), PMIX_SUCCESS);
    px_topo_cpuset_destruct(&c);
    assert_int_equal(PMIx_Value_xfer(&two, &one), PMIX_SUCCESS);
    assert_ptr_not_equal(one.data.cpuset->bitmap, two.data.cpuset->bitmap);
    assert_int_equal(PMIx_Value_compare(&one, &two), PMIX_EQUAL);
    PMIx_Value_destruct(&one);
    char *text;
    assert_int_equal(px_topo_cpuset_string(two.data.cpuset, &text), 0);
    assert_string_equal(text, "hwloc:0-3");
    free(text);
    PMIx_Value_destruct(&two);
}

static void topologies_in_values(void **state)
{
    (void) state;
    pmix_topology_t t = {0};
    pmix_value_t one;
    pmix_value_t two;
    char *text;

    assert_int_equal(use_synthetic("pack:1 core:2 pu:1"), 0);
    assert_int_equal(px_topo_load(&t), 0);
    assert_int_equal(PMIx_Value_load(&one, &t, PMIX_TOPO), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_xfer(&two, &one), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_compare(&one, &two), PMIX_EQUAL);
    text = PMIx_Value_string(&two);
    assert_non_null(strstr(text, "hwloc:Machine, packages: 1, cores: 2, processing units: 2"));
    free(text);
    PMIx_Value_destruct(&one);
    PMIx_Value_destruct(&two);
    px_topo_destruct(&t);
    px_topo_fini();
}

int main(void)
{
    alarm(60);
    px_topo_install_hooks();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpusets_in_values),
        cmocka_unit_test(topologies_in_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
