/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Environments of processes that are to be started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/base/env.h"
#include "src/base/status.h"

static void names(void **unused)
{
    char **env = NULL;

    (void) unused;
    assert_null(px_env_get(env, "A"));
    px_env_unset(env, "A");
    assert_int_equal(px_env_set(&env, "AB", "1"), PX_OK);
    assert_null(px_env_get(env, "A")); /* the beginning of another name */
    assert_int_equal(px_env_set(&env, "A", ""), PX_OK);
    assert_string_equal(px_env_get(env, "A"), "");
    assert_int_equal(px_env_set(&env, "A", "x=y"), PX_OK);
    assert_string_equal(px_env_get(env, "A"), "x=y");
    assert_string_equal(env[1], "A=x=y"); /* in its place */
    assert_null(env[2]);
    px_env_unset(env, "AB");
    assert_string_equal(env[0], "A=x=y");
    assert_null(env[1]);
    px_env_free(env);
}

static void assignments(void **unused)
{
    char **env = NULL;

    (void) unused;
    assert_int_equal(px_env_put(&env, "A"), PX_ERR_BAD_PARAM);
    assert_int_equal(px_env_put(&env, "=1"), PX_ERR_BAD_PARAM);
    assert_int_equal(px_env_put(&env, ""), PX_ERR_BAD_PARAM);
    assert_int_equal(px_env_set(&env, "", "1"), PX_ERR_BAD_PARAM);
    assert_int_equal(px_env_set(&env, "A=B", "1"), PX_ERR_BAD_PARAM);
    assert_null(env);
    assert_int_equal(px_env_put(&env, "A="), PX_OK);
    assert_int_equal(px_env_put(&env, "A=1=2"), PX_OK);
    assert_string_equal(px_env_get(env, "A"), "1=2");
    assert_null(env[1]);
    px_env_free(env);
}

static void copies(void **unused)
{
    char *given[] = {(char *) "A=1", (char *) "B=2", NULL};
    char **copy = px_env_copy(given);
    char **empty = px_env_copy(NULL);

    (void) unused;
    assert_non_null(copy);
    assert_ptr_not_equal(copy[0], given[0]);
    assert_string_equal(copy[1], "B=2");
    assert_null(copy[2]);
    assert_non_null(empty);
    assert_null(empty[0]);
    px_env_free(copy);
    px_env_free(empty);
    px_env_free(NULL);
}

static void lists(void **unused)
{
    char **env = NULL;

    (void) unused;
    assert_int_equal(px_env_extend(&env, "P", "b", ':', true), PX_OK);
    assert_string_equal(px_env_get(env, "P"), "b");
    assert_int_equal(px_env_extend(&env, "P", "a", '\0', true), PX_OK);
    assert_string_equal(px_env_get(env, "P"), "a:b");
    assert_int_equal(px_env_extend(&env, "P", "c", ';', false), PX_OK);
    assert_string_equal(px_env_get(env, "P"), "a:b;c");
    assert_null(env[1]);
    px_env_free(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(assignments),
        cmocka_unit_test(copies),
        cmocka_unit_test(lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
