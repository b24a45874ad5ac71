/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/clock.h"

static void never_goes_back(void **state)
{
    uint64_t last = px_clock_ns();

    (void) state;
    assert_true(last > 0);
    for (int i = 0; i < 10000; i++) {
        uint64_t now = px_clock_ns();

        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_goes_back)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
