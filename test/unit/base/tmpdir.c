/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/base/tmpdir.h"

static const char *const variables[] = {"PX_TEST_TMPDIR", "TMPDIR", "TEMPDIR", "TEMP", "TMP"};

enum { N_VARIABLES = sizeof(variables) / sizeof(variables[0]) };

/* Each variable names a directory of its own name. */
static int set_all(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_VARIABLES; i++) {
        assert_int_equal(setenv(variables[i], variables[i], 1), 0);
    }
    return 0;
}

static void the_first_that_is_set(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_VARIABLES; i++) {
        assert_string_equal(px_tmpdir_peek(variables[0]), variables[i]);
        assert_int_equal(unsetenv(variables[i]), 0);
    }
    assert_string_equal(px_tmpdir_peek(variables[0]), "/tmp");
}

static void the_first_that_is_not_empty(void **state)
{
    (void) state;
    for (size_t i = 0; i < N_VARIABLES; i++) {
        assert_string_equal(px_tmpdir_peek(variables[0]), variables[i]);
        assert_int_equal(setenv(variables[i], "", 1), 0);
    }
    assert_string_equal(px_tmpdir_peek(variables[0]), "/tmp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_that_is_set, set_all),
        cmocka_unit_test_setup(the_first_that_is_not_empty, set_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
