/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Covers: MAC-013 STR-003 */
/* Conversion of numbers. MAC-013, STR-003. */
#include "support.h"

static void put(pmix_value_t *value, pmix_data_type_t type, long long v)
{
    memset(value, 0, sizeof(*value));
    value->type = type;
    if (type == PMIX_DOUBLE) {
        value->data.dval = (double) v;
    } else if (type == PMIX_FLOAT) {
        value->data.fval = (float) v;
    } else {
        memcpy(&value->data, &v, px_type_info(type)->size);
    }
}

static int get(pmix_data_type_t from, long long v, pmix_data_type_t to, long long *ret)
{
    pmix_value_t value;
    pmix_value_t out;
    int rc;

    put(&value, from, v);
    memset(&out, 0, sizeof(out));
    rc = PMIx_Value_get_number(&value, &out.data, to);
    *ret = 0;
    if (to == PMIX_DOUBLE || to == PMIX_FLOAT) {
        *ret = (long long) (to == PMIX_DOUBLE ? out.data.dval : (double) out.data.fval);
    } else if (px_type_info(to)->shape == PX_TYPE_SIGNED) {
        long long shifted = 0;
        unsigned bits = 64 - 8 * (unsigned) px_type_info(to)->size;

        memcpy(&shifted, &out.data, px_type_info(to)->size);
        *ret = (long long) ((unsigned long long) shifted << bits) >> bits;
    } else {
        memcpy(ret, &out.data, px_type_info(to)->size);
    }
    return rc;
}

static void test_every_pair_keeps_small_numbers(void **unused)
{
    (void) unused;
    for (unsigned from = 0; from < PX_VALUE_TYPES; from++) {
        for (unsigned to = 0; to < PX_VALUE_TYPES; to++) {
            const struct px_type *a = px_type_info((pmix_data_type_t) from);
            const struct px_type *b = px_type_info((pmix_data_type_t) to);
            long long out;

            if (a == NULL || b == NULL || !a->number || !b->number) {
                continue;
            }
            assert_int_equal(get((pmix_data_type_t) from, 100, (pmix_data_type_t) to, &out),
                             PMIX_SUCCESS);
            assert_int_equal(out, 100);
            if (a->shape == PX_TYPE_UNSIGNED) {
                continue;
            }
            assert_int_equal(get((pmix_data_type_t) from, -5, (pmix_data_type_t) to, &out),
                             b->shape == PX_TYPE_UNSIGNED ? PMIX_ERR_CHANGE_SIGN : PMIX_SUCCESS);
            assert_int_equal(out, b->shape == PX_TYPE_UNSIGNED ? 0 : -5);
        }
    }
}

static void test_limits(void **unused)
{
    long long out;

    (void) unused;
    assert_int_equal(get(PMIX_INT32, 127, PMIX_INT8, &out), PMIX_SUCCESS);
    assert_int_equal(get(PMIX_INT32, 128, PMIX_INT8, &out), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(get(PMIX_INT32, -128, PMIX_INT8, &out), PMIX_SUCCESS);
    assert_int_equal(out, -128);
    assert_int_equal(get(PMIX_INT32, -129, PMIX_INT8, &out), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(get(PMIX_INT32, 255, PMIX_UINT8, &out), PMIX_SUCCESS);
    assert_int_equal(get(PMIX_INT32, 256, PMIX_UINT8, &out), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(get(PMIX_UINT64, -1, PMIX_INT64, &out), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(get(PMIX_UINT64, -1, PMIX_UINT64, &out), PMIX_SUCCESS);
    assert_int_equal(out, -1);
    assert_int_equal(get(PMIX_INT64, INT64_MIN, PMIX_INT64, &out), PMIX_SUCCESS);
    assert_true(out == INT64_MIN);
    assert_int_equal(get(PMIX_INT64, INT64_MIN, PMIX_INT32, &out), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(get(PMIX_UINT32, UINT32_MAX, PMIX_PROC_RANK, &out), PMIX_SUCCESS);
}

static int from_real(double v, pmix_data_type_t to, void *ret)
{
    pmix_value_t value = {.type = PMIX_DOUBLE};

    value.data.dval = v;
    return PMIx_Value_get_number(&value, ret, to);
}

static void test_reals(void **unused)
{
    uint64_t u64 = 7;
    int64_t i64 = 7;
    float f = 7;

    (void) unused;
    assert_int_equal(from_real(-1234.9, PMIX_INT64, &i64), PMIX_SUCCESS);
    assert_int_equal(i64, -1234);
    assert_int_equal(from_real(-0.5, PMIX_UINT64, &u64), PMIX_ERR_CHANGE_SIGN);
    assert_int_equal(from_real(18446744073709551616.0, PMIX_UINT64, &u64), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(from_real(9223372036854775808.0, PMIX_INT64, &i64), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(from_real(-9223372036854775808.0, PMIX_INT64, &i64), PMIX_SUCCESS);
    assert_true(i64 == INT64_MIN);
    assert_int_equal(from_real(0.0 / 0.0, PMIX_INT64, &i64), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(from_real(0.0 / 0.0, PMIX_UINT64, &u64), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(from_real(-1.0 / 0.0, PMIX_INT64, &i64), PMIX_ERR_LOST_PRECISION);
    assert_int_equal(from_real(1e300, PMIX_FLOAT, &f), PMIX_ERR_LOST_PRECISION);
    assert_true(f == 7);
    assert_int_equal(from_real(1.5, PMIX_FLOAT, &f), PMIX_SUCCESS);
    assert_true(f == 1.5f);
    assert_int_equal(u64, 7);
}

static void test_refused(void **unused)
{
    pmix_value_t value = {.type = PMIX_STRING};
    int out;

    (void) unused;
    assert_int_equal(PMIx_Value_get_number(&value, &out, PMIX_INT), PMIX_ERR_BAD_PARAM);
    value.type = PMIX_INT;
    assert_int_equal(PMIx_Value_get_number(&value, &out, PMIX_STRING), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_get_number(&value, &out, PMIX_BOOL), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_get_number(&value, &out, 400), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_get_number(&value, NULL, PMIX_INT), PMIX_ERR_BAD_PARAM);
    assert_int_equal(PMIx_Value_get_number(NULL, &out, PMIX_INT), PMIX_ERR_BAD_PARAM);
}

static void test_macro(void **unused)
{
    pmix_value_t value;
    int status;
    int n = 0;

    (void) unused;
    for (unsigned type = 0; type < 100; type++) {
        int64_t by_call = 0;
        int64_t by_macro = 0;
        int rc;

        memset(&value, 0, sizeof(value));
        value.type = (pmix_data_type_t) type;
        value.data.uint64 = 0x81; /* one byte, negative where that has a sign */
        if (type == PMIX_FLOAT || type == PMIX_DOUBLE) {
            put(&value, (pmix_data_type_t) type, -3);
        }
        rc = PMIx_Value_get_number(&value, &by_call, PMIX_INT64);
        PMIX_VALUE_GET_NUMBER(status, &value, by_macro, int64_t);
        assert_int_equal(status, rc);
        assert_int_equal(by_macro, by_call);
    }
    put(&value, PMIX_INT16, -3);
    PMIX_VALUE_GET_NUMBER(status, &value, n, int);
    assert_int_equal(status, PMIX_SUCCESS);
    assert_int_equal(n, -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair_keeps_small_numbers),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_macro),
    };

    support_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
