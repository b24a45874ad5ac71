/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/number.h"

static void read_numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t most;
        uint64_t number;
        const char *rest; /* NULL: refused */
    } cases[] = {
        {"0", 0, 0, ""},
        {"00012,7", 12, 12, ",7"},
        {"255", 255, 255, ""},
        {"256", 255, 0, NULL},
        {"7", 5, 0, NULL},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, ""},
        {"18446744073709551616", UINT64_MAX, 0, NULL},
        {"99999999999999999999999", UINT64_MAX, 0, NULL},
        {"", 9, 0, NULL},
        {" 1", 9, 0, NULL},
        {"-1", 9, 0, NULL},
        {"+1", 9, 0, NULL},
        {"x", 9, 0, NULL},
    };

    (void) state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t number = 77;
        const char *rest = px_number_read(cases[i].text, cases[i].most, &number);

        if (cases[i].rest == NULL) {
            assert_null(rest);
            assert_int_equal(number, 77);
        } else {
            assert_string_equal(rest, cases[i].rest);
            assert_int_equal(number, cases[i].number);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_numbers)};

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
