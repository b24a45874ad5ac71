/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-012 */
/* Arrays of strings. MAC-012. */
#include "support.h"

static void test_append(void **unused)
{
    char **argv = NULL;

    (void) unused;
    assert_int_equal(PMIx_Argv_append_nosize(&argv, "b"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_append_nosize(&argv, "c"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_prepend_nosize(&argv, "a"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_append_unique_nosize(&argv, "b"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_append_unique_nosize(&argv, "d"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_count(argv), 4);
    assert_string_equal(argv[0], "a");
    assert_string_equal(argv[3], "d");
    PMIx_Argv_free(argv);
    argv = NULL;
    assert_int_equal(PMIx_Argv_prepend_nosize(&argv, "x"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_append_unique_nosize(&argv, "x"), PMIX_SUCCESS);
    assert_int_equal(PMIx_Argv_count(argv), 1);
    PMIx_Argv_free(argv);
    assert_int_equal(PMIx_Argv_append_nosize(NULL, "x"), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Argv_append_nosize(&argv, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Argv_prepend_nosize(NULL, "x"), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Argv_append_unique_nosize(NULL, "x"), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Argv_count(NULL), 0);
    PMIx_Argv_free(NULL);
}

static void check_split(const char *text, bool with_empty, const char *joined)
{
    char **argv = with_empty ? PMIx_Argv_split_with_empty(text, ':') : PMIx_Argv_split(text, ':');
    char *back;

    if (joined == NULL) {
        assert_null(argv);
        return;
    }
    back = PMIx_Argv_join(argv, '|');
    assert_string_equal(back, joined);
    free(back);
    PMIx_Argv_free(argv);
}

static void test_split(void **unused)
{
    char **argv = PMIx_Argv_split_with_empty(":", ':');

    (void) unused;
    assert_int_equal(PMIx_Argv_count(argv), 1);
    assert_string_equal(argv[0], "");
    PMIx_Argv_free(argv);
    check_split("a:b:c", false, "a|b|c");
    check_split(":a::b:", false, "a|b");
    check_split(":a::b:", true, "|a||b");
    check_split("a", true, "a");
    check_split("", false, NULL);
    check_split("", true, NULL);
    check_split(":::", false, NULL);
    check_split(NULL, true, NULL);
}

static void test_join(void **unused)
{
    char *none[] = {NULL};
    char *joined = PMIx_Argv_join(NULL, ',');

    (void) unused;
    assert_string_equal(joined, "");
    free(joined);
    joined = PMIx_Argv_join(none, ',');
    assert_string_equal(joined, "");
    free(joined);
}

static void test_copy(void **unused)
{
    char *none[] = {NULL};
    char **copy = PMIx_Argv_copy(none);

    (void) unused;
    assert_non_null(copy);
    assert_int_equal(PMIx_Argv_count(copy), 0);
    PMIx_Argv_free(copy);
    assert_null(PMIx_Argv_copy(NULL));
}

static bool try_all(void *arg)
{
    char **argv = PMIx_Argv_split("a:b", ':');
    char **copy = PMIx_Argv_copy(argv);
    char *joined = PMIx_Argv_join(argv, ',');
    bool ok = argv != NULL && copy != NULL && joined != NULL;

    (void) arg;
    if (ok) {
        ok = PMIx_Argv_append_nosize(&argv, "c") == PMIX_SUCCESS &&
             PMIx_Argv_prepend_nosize(&argv, "0") == PMIX_SUCCESS;
    }
    PMIx_Argv_free(argv);
    PMIx_Argv_free(copy);
    free(joined);
    return ok;
}

static void test_no_memory(void **unused)
{
    (void) unused;
    with_each_allocation_failing(try_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),    cmocka_unit_test(test_split),
        cmocka_unit_test(test_join),      cmocka_unit_test(test_copy),
        cmocka_unit_test(test_no_memory),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
