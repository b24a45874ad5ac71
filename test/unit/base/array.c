/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Arrays that grow. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/array.h"
#include "src/base/status.h"

static void grows(void **state)
{
    uint64_t *at = NULL;
    size_t cap = 0;
    size_t moves = 0;

    (void) state;
    for (size_t n = 0; n < 10000; n++) {
        size_t before = cap;

        assert_int_equal(px_array_room(&at, n, &cap, sizeof(*at)), PX_OK);
        assert_true(cap > n);
        moves += cap != before;
        at[n] = n * 7;
    }
    for (size_t n = 0; n < 10000; n++) {
        assert_int_equal(at[n], n * 7);
    }
    assert_true(moves < 13); /* it doubles */
    free(at);
}

static void refuses(void **state)
{
    char *at = NULL;
    size_t cap = 0;

    (void) state;
    assert_int_equal(px_array_room(&at, 0, &cap, SIZE_MAX / 2), PX_ERR_NOMEM);
    assert_null(at);
    assert_int_equal(cap, 0);
    cap = SIZE_MAX / 4;
    assert_int_equal(px_array_room(&at, cap, &cap, 16), PX_ERR_NOMEM);
    assert_int_equal(cap, SIZE_MAX / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(refuses),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
