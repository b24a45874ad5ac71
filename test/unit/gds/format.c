/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* The number that guards the layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gds/format.h"

/* A change here is a change of the format: it needs a new major version and a page in
 * docs/segment-format.md. */
static void fingerprint_is_that_of_version_1(void **state)
{
    (void) state;
    assert_int_equal(PX_SHM_MAJOR, 1);
    assert_int_equal(px_format_fingerprint(), UINT64_C(0x61f664a75f29a6aa));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprint_is_that_of_version_1),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
