/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/nspace/key_types.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix.h>

static void declared(void **state)
{
    bool per_node;

    (void) state;
    assert_int_equal(px_key_declared(PMIX_JOB_SIZE, &per_node), PMIX_UINT32);
    assert_false(per_node);
    assert_int_equal(px_key_declared(PMIX_LOCALLDR, &per_node), PMIX_PROC_RANK);
    assert_true(per_node);
    assert_int_equal(px_key_declared(PMIX_LOCAL_RANK, &per_node), PMIX_UINT16);
    assert_int_equal(px_key_declared("pmix.no.such.key", &per_node), PMIX_UNDEF);
    assert_int_equal(px_key_declared("", &per_node), PMIX_UNDEF);
}

static void numbers(void **state)
{
    pmix_value_t in = {.type = PMIX_INT, .data.integer = 7};
    pmix_value_t out;
    bool converted;

    (void) state;
    assert_int_equal(px_value_fit(PMIX_UINT16, &in, &converted, &out), 0);
    assert_true(converted);
    assert_int_equal(out.type, PMIX_UINT16);
    assert_int_equal(out.data.uint16, 7);
    in.data.integer = -1;
    assert_int_equal(px_value_fit(PMIX_UINT16, &in, &converted, &out), PMIX_ERR_BAD_PARAM);
    assert_int_equal(px_value_fit(PMIX_INT64, &in, &converted, &out), 0);
    assert_int_equal(out.data.int64, -1);
    in = (pmix_value_t){.type = PMIX_UINT32, .data.uint32 = 65536};
    assert_int_equal(px_value_fit(PMIX_UINT16, &in, &converted, &out), PMIX_ERR_BAD_PARAM);
    in = (pmix_value_t){.type = PMIX_INT64, .data.int64 = INT64_MIN};
    assert_int_equal(px_value_fit(PMIX_INT32, &in, &converted, &out), PMIX_ERR_BAD_PARAM);
    in = (pmix_value_t){.type = PMIX_INT64, .data.int64 = INT32_MIN};
    assert_int_equal(px_value_fit(PMIX_INT32, &in, &converted, &out), 0);
    assert_int_equal(out.data.int32, INT32_MIN);
    in = (pmix_value_t){.type = PMIX_INT, .data.integer = 2};
    assert_int_equal(px_value_fit(PMIX_BOOL, &in, &converted, &out), PMIX_ERR_BAD_PARAM);
    in.data.integer = 1;
    assert_int_equal(px_value_fit(PMIX_BOOL, &in, &converted, &out), 0);
    assert_true(out.data.flag);
    assert_int_equal(px_value_fit(PMIX_DOUBLE, &in, &converted, &out), 0);
    assert_true(out.data.dval == 1.0);
}

static void other_kinds(void **state)
{
    pmix_value_t text = {.type = PMIX_STRING, .data.string = (char *) "4"};
    pmix_value_t number = {.type = PMIX_INT, .data.integer = 4};
    pmix_value_t regex = {.type = PMIX_REGEX};
    pmix_value_t out;
    bool converted;

    (void) state;
    assert_int_equal(px_value_fit(PMIX_UINT32, &text, &converted, &out), PMIX_ERR_TYPE_MISMATCH);
    assert_int_equal(px_value_fit(PMIX_STRING, &number, &converted, &out), PMIX_ERR_TYPE_MISMATCH);
    assert_int_equal(px_value_fit(PMIX_PROC, &number, &converted, &out), PMIX_ERR_TYPE_MISMATCH);
    assert_int_equal(px_value_fit(PMIX_STRING, &regex, &converted, &out), 0);
    assert_false(converted);
    assert_int_equal(px_value_fit(PMIX_UNDEF, &number, &converted, &out), 0);
    assert_false(converted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared),
        cmocka_unit_test(numbers),
        cmocka_unit_test(other_kinds),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
