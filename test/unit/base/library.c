/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include "src/base/library.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The C library is here, and does not have the second function. */
static const char *const names[] = {"strlen", "px_no_such_function"};

static void all_or_none(void **state)
{
    void *found[2] = {NULL, NULL};
    void *handle = px_library_open("libc.so.6", names, 1, found);

    (void) state;
    assert_non_null(handle);
    assert_non_null(found[0]);
    assert_null(found[1]);
    assert_int_equal(dlclose(handle), 0);
    assert_null(px_library_open("libc.so.6", names, 2, found));
    assert_null(px_library_open("libpx-no-such-library.so.1", names, 1, found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_or_none)};

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
