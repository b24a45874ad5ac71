/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "src/nspace/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <pmix_common.h>

static int parse(struct px_ranks *ranks, const char *text)
{
    return px_ranks_parse(ranks, text, strlen(text));
}

static void lists(void **state)
{
    struct px_ranks ranks = {0};
    char *text;

    (void) state;
    assert_int_equal(parse(&ranks, "2,0,1"), 0);
    assert_int_equal(ranks.n, 3);
    assert_int_equal(ranks.at[0], 2);
    assert_int_equal(parse(&ranks, " 7 , 9-11"), 0);
    assert_int_equal(ranks.n, 7);
    text = px_ranks_text(&ranks);
    assert_string_equal(text, "2,0,1,7,9,10,11");
    free(text);
    px_ranks_fini(&ranks);
}

static void nothing(void **state)
{
    struct px_ranks ranks = {0};
    char *text;

    (void) state;
    assert_int_equal(px_ranks_parse(&ranks, NULL, 0), 0);
    assert_int_equal(parse(&ranks, ""), 0);
    assert_int_equal(parse(&ranks, "  "), 0);
    assert_int_equal(ranks.n, 0);
    text = px_ranks_text(&ranks);
    assert_string_equal(text, "");
    free(text);
    px_ranks_fini(&ranks);
}

/* Refused whole: the set holds what it held. */
static void nonsense(void **state)
{
    static const char *const bad[] = {"a",
                                      "1,b",
                                      "1-",
                                      "-1",
                                      "3-1",
                                      "4294967200-1",
                                      "1;2",
                                      "0-4294967295",
                                      "4294967295",
                                      "99999999999999999999",
                                      "1 2",
                                      ",1",
                                      "1,,2",
                                      "1,2,3x",
                                      "0,4294967246,4294967295"};
    struct px_ranks ranks = {0};

    (void) state;
    assert_int_equal(parse(&ranks, "5"), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(&ranks, bad[i]), PMIX_ERR_BAD_PARAM);
        assert_int_equal(ranks.n, 1);
    }
    px_ranks_fini(&ranks);
}

static size_t print_rank(char *at, size_t room, unsigned form, uint32_t rank)
{
    switch (form) {
    case 0:
        return (size_t) snprintf(at, room, "%u,", rank);
    case 1:
        return (size_t) snprintf(at, room, "%u-%u,", rank, rank);
    default:
        return (size_t) snprintf(at, room, " %u ,", rank);
    }
}

static uint32_t some_rank(uint32_t i)
{
    return (uint32_t) (i * UINT64_C(123456789) % 4000000000U);
}

/* Room that is the caller's is left when it does not suffice, and what was in it comes along. */
static void lent(void **state)
{
    uint32_t few[4];
    char text[4096];

    (void) state;
    for (uint32_t n = 0; n < 40; n++) {
        for (unsigned form = 0; form < 3; form++) {
            struct px_ranks ranks = {.at = few, .room = 4, .lent = true};
            size_t len = 0;

            for (uint32_t i = 0; i < n; i++) {
                len += print_rank(text + len, sizeof(text) - len, form, some_rank(i));
            }
            assert_int_equal(px_ranks_parse(&ranks, text, len), 0);
            assert_int_equal(ranks.n, n);
            assert_int_equal(ranks.at == few, n <= 4);
            for (uint32_t i = 0; i < n; i++) {
                assert_int_equal(ranks.at[i], some_rank(i));
            }
            px_ranks_fini(&ranks);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(nothing),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(lent),
    };

    alarm(30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
