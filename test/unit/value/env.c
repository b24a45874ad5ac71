/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-012 */
/* Variables in environments. MAC-012. */
#include "support.h"

#include <unistd.h>

static void test_array(void **unused)
{
    char **env = NULL;

    (void) unused;
    assert_int_equal(PMIx_Setenv("AB", "1", true, &env), PMIX_SUCCESS);
    assert_int_equal(PMIx_Setenv("A", "2", true, &env), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_count(env), 2);
    assert_int_equal(PMIx_Setenv("A", "3", false, &env), PMIX_ERR_EXISTS);
    assert_string_equal(env[1], "A=2");
    assert_int_equal(PMIx_Setenv("A", "3", true, &env), PMIX_SUCCESS);
    assert_string_equal(env[1], "A=3");
    assert_int_equal(PMIx_Setenv("A", NULL, true, &env), PMIX_SUCCESS);
    assert_string_equal(env[1], "A=");
    assert_int_equal(PMIx_Argv_count(env), 2);
    PMIx_Argv_free(env);
}

static void test_refused(void **unused)
{
    char **env = NULL;

    (void) unused;
    assert_int_equal(PMIx_Setenv("A", "1", true, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Setenv(NULL, "1", true, &env), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Setenv("", "1", true, &env), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Setenv("A=B", "1", true, &env), PMIX_ERR_BAD_PARAM);
    assert_null(env);
}

static void test_own(void **unused)
{
    (void) unused;
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", "1", true, &environ), PMIX_SUCCESS);
    assert_string_equal(getenv("PX_TEST_VARIABLE"), "1");
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", "2", false, &environ), PMIX_SUCCESS);
    assert_string_equal(getenv("PX_TEST_VARIABLE"), "1");
    assert_int_equal(PMIx_Setenv("PX_TEST_VARIABLE", NULL, true, &environ), PMIX_SUCCESS);
    assert_null(getenv("PX_TEST_VARIABLE"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
