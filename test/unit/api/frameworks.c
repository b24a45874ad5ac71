/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The list that Open MPI 5 walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pmix/src/include/pmix_frameworks.h>

static void the_list_ends(void **state)
{
    size_t n;

    (void) state;
    for (n = 0; pmix_framework_names[n] != NULL; n++) {
        assert_true(strlen(pmix_framework_names[n]) > 0);
    }
    assert_int_equal(n, 19);
    assert_string_equal(pmix_framework_names[0], "bfrops");
    assert_string_equal(pmix_framework_names[18], "ptl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
