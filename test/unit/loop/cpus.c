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

#include "src/base/status.h"
#include "src/loop/cpus.h"

static void lists_are_read(void **state)
{
    cpu_set_t set;

    (void) state;
    assert_int_equal(px_cpus_parse("0-3,8,10-11", &set), 0);
    assert_int_equal(CPU_COUNT(&set), 7);
    assert_true(CPU_ISSET(0, &set) && CPU_ISSET(3, &set) && CPU_ISSET(8, &set) &&
                CPU_ISSET(11, &set));
    assert_int_equal(px_cpus_parse("5", &set), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_int_equal(px_cpus_parse("0-1023", &set), 0);
}

static void nonsense_is_refused(void **state)
{
    static const char *const bad[] = {
        "",    ",",   "1,",   "a", "-1", "3-1", "1-", "1024", "0-1024", "99999999999999999999",
        "1 2", "1;2", "1--2",
    };
    cpu_set_t set;

    (void) state;
    CPU_ZERO(&set);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(px_cpus_parse(bad[i], &set), PX_ERR_BAD_PARAM);
        assert_int_equal(CPU_COUNT(&set), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(nonsense_is_refused),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
