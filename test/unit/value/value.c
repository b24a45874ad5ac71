/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-006 MAC-009 */
/* What can be asked of a value. MAC-006, MAC-009. */
#include "support.h"

static pmix_boolean_t truth(const char *text)
{
    pmix_value_t value;
    pmix_boolean_t answer;

    assert_int_equal(PMIx_Value_load(&value, text, PMIX_STRING), PMIX_SUCCESS);
    answer = PMIx_Value_true(&value);
    PMIx_Value_destruct(&value);
    return answer;
}

static void test_truth_of_text(void **unused)
{
    static const char *const yes[] = {"yes", "TRUE", "t",      "y",      "1", "10abc",
                                      "",    "  ",   " true ", "enable", NULL};
    static const char *const no[] = {"no", "False", "f", "n", "0", "00", "0x1", "disable", NULL};
    static const char *const neither[] = {"maybe", "tr", "-1", "enabled", "yes no", NULL};

    (void) unused;
    for (size_t i = 0; yes[i] != NULL; i++) {
        assert_int_equal(truth(yes[i]), PMIX_BOOL_TRUE);
    }
    for (size_t i = 0; no[i] != NULL; i++) {
        assert_int_equal(truth(no[i]), PMIX_BOOL_FALSE);
    }
    for (size_t i = 0; neither[i] != NULL; i++) {
        assert_int_equal(truth(neither[i]), PMIX_NON_BOOL);
    }
    assert_int_equal(truth(NULL), PMIX_BOOL_TRUE);
}

static void test_truth_of_others(void **unused)
{
    pmix_value_t value = {.type = PMIX_UNDEF};
    bool no = false;
    int one = 1;

    (void) unused;
    assert_int_equal(PMIx_Value_true(&value), PMIX_BOOL_TRUE);
    assert_int_equal(PMIx_Value_load(&value, &no, PMIX_BOOL), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_true(&value), PMIX_BOOL_FALSE);
    assert_int_equal(PMIx_Value_load(&value, &one, PMIX_INT), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_true(&value), PMIX_NON_BOOL);
    assert_int_equal(PMIx_Value_true(NULL), PMIX_NON_BOOL);
}

static pmix_value_cmp_t compare(const void *a, const void *b, pmix_data_type_t type)
{
    pmix_value_t x;
    pmix_value_t y;
    pmix_value_cmp_t order;

    assert_int_equal(PMIx_Value_load(&x, a, type), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_load(&y, b, type), PMIX_SUCCESS);
    order = PMIx_Value_compare(&x, &y);
    PMIx_Value_destruct(&x);
    PMIx_Value_destruct(&y);
    return order;
}

static void test_compare(void **unused)
{
    const double nan = 0.0 / 0.0;
    const double inf = 1.0 / 0.0;
    const float small = 1;
    const float large = 2;
    const int minus = -1;
    const int plus = 1;
    pmix_byte_object_t three = {.bytes = (char *) "abc", .size = 3};
    pmix_byte_object_t one = {.bytes = (char *) "b", .size = 1};
    pmix_proc_t p = {.nspace = "n", .rank = 1};
    pmix_proc_t q = {.nspace = "n", .rank = 2};
    struct timeval early = {.tv_sec = 1, .tv_usec = 9};
    struct timeval late = {.tv_sec = 2, .tv_usec = 1};

    (void) unused;
    assert_int_equal(compare(&small, &large, PMIX_FLOAT), PMIX_VALUE2_GREATER);
    assert_int_equal(compare(&large, &small, PMIX_FLOAT), PMIX_VALUE1_GREATER);
    assert_int_equal(compare(&nan, &nan, PMIX_DOUBLE), PMIX_EQUAL);
    assert_int_equal(compare(&nan, &inf, PMIX_DOUBLE), PMIX_VALUE1_GREATER);
    assert_int_equal(compare(&minus, &plus, PMIX_INT), PMIX_VALUE2_GREATER);
    assert_int_equal(compare(&minus, &plus, PMIX_UINT32), PMIX_VALUE1_GREATER);
    assert_int_equal(compare("ab", "b", PMIX_STRING), PMIX_VALUE2_GREATER);
    assert_int_equal(compare(NULL, "b", PMIX_STRING), PMIX_VALUE2_GREATER);
    assert_int_equal(compare("b", NULL, PMIX_STRING), PMIX_VALUE1_GREATER);
    assert_int_equal(compare(NULL, NULL, PMIX_STRING), PMIX_EQUAL);
    assert_int_equal(compare(&three, &one, PMIX_BYTE_OBJECT), PMIX_VALUE1_GREATER);
    assert_int_equal(compare(&p, &q, PMIX_PROC), PMIX_VALUE2_GREATER);
    assert_int_equal(compare(&p, NULL, PMIX_PROC), PMIX_VALUE1_GREATER);
    assert_int_equal(compare(&early, &late, PMIX_TIMEVAL), PMIX_VALUE2_GREATER);
}

static void test_compare_refused(void **unused)
{
    pmix_value_t a = {.type = PMIX_INT};
    pmix_value_t b = {.type = PMIX_UINT32};

    (void) unused;
    assert_int_equal(PMIx_Value_compare(&a, &b), PMIX_VALUE_TYPE_DIFFERENT);
    assert_int_equal(PMIx_Value_compare(&a, NULL), PMIX_VALUE_INCOMPATIBLE_OBJECTS);
    assert_int_equal(PMIx_Value_compare(NULL, NULL), PMIX_EQUAL);
    a.type = 400;
    b.type = 400;
    assert_int_equal(PMIx_Value_compare(&a, &b), PMIX_VALUE_COMPARISON_NOT_AVAIL);
    a.type = PMIX_UNDEF;
    b.type = PMIX_UNDEF;
    assert_int_equal(PMIx_Value_compare(&a, &b), PMIX_EQUAL);
}

static void test_xfer(void **unused)
{
    pmix_value_t a;
    pmix_value_t b;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&a, "text", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_xfer(&b, &a), PMIX_SUCCESS);
    a.data.string[0] = 'T';
    assert_string_equal(b.data.string, "text");
    assert_int_equal(PMIx_Value_xfer(&b, &b), PMIX_SUCCESS);
    assert_string_equal(b.data.string, "text");
    PMIx_Value_destruct(&a);
    PMIx_Value_destruct(&b);
    assert_int_equal(PMIx_Value_xfer(&b, NULL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_xfer(NULL, &a), PMIX_ERR_BAD_PARAM);
    a.type = 400;
    b.type = PMIX_STRING;
    assert_int_equal(PMIx_Value_xfer(&b, &a), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(b.type, PMIX_UNDEF);
    a.type = PMIX_INFO;
    assert_int_equal(PMIx_Value_xfer(&b, &a), PMIX_ERR_NOT_SUPPORTED);
}

static void test_size(void **unused)
{
    pmix_byte_object_t bytes = {.bytes = (char *) "abc", .size = 3};
    pmix_value_t value;
    uint16_t two = 2;
    size_t size = 7;

    (void) unused;
    assert_int_equal(PMIx_Value_load(&value, &two, PMIX_UINT16), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_SUCCESS);
    assert_int_equal(size, sizeof(value) + 2);
    assert_int_equal(PMIx_Value_load(&value, "text", PMIX_STRING), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_SUCCESS);
    assert_int_equal(size, sizeof(value) + sizeof(char *) + 5);
    PMIx_Value_destruct(&value);
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_ERR_UNKNOWN_DATA_TYPE);
    assert_int_equal(PMIx_Value_load(&value, &bytes, PMIX_BYTE_OBJECT), PMIX_SUCCESS);
    assert_int_equal(PMIx_Value_get_size(&value, &size), PMIX_SUCCESS);
    assert_int_equal(size, sizeof(value) + sizeof(bytes) + 3);
    PMIx_Value_destruct(&value);
    assert_int_equal(PMIx_Value_get_size(NULL, &size), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_get_size(&value, NULL), PMIX_ERR_BAD_PARAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth_of_text), cmocka_unit_test(test_truth_of_others),
        cmocka_unit_test(test_compare),       cmocka_unit_test(test_compare_refused),
        cmocka_unit_test(test_xfer),          cmocka_unit_test(test_size),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
