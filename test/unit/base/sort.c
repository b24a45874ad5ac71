/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Words in ascending order, against qsort(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/sort.h"

enum { MOST = 1000 };

static uint64_t seed = 88172645463325252U;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a;
    uint64_t y = *(const uint64_t *) b;

    return (x > y) - (x < y);
}

/* Words that differ in the bytes of the mask only: most sorts pass over some bytes. */
static void as_qsort(void **state)
{
    static const uint64_t masks[] = {
        UINT64_MAX, 0xff, 0xff00ff00, 0xffff0000, 1, 0, UINT64_C(0xff00000000000000)};
    uint64_t words[MOST];
    uint64_t same[MOST];
    uint64_t spare[MOST];

    (void) state;
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t mask = masks[round % (sizeof(masks) / sizeof(masks[0]))];
        size_t n = draw() % (round % 2 ? MOST : 8);

        for (size_t i = 0; i < n; i++) {
            words[i] = (draw() & mask) | (UINT64_C(0x1234567890abcdef) & ~mask);
        }
        memcpy(same, words, n * sizeof(*words));
        px_sort_words(words, spare, n);
        if (n) {
            qsort(same, n, sizeof(*same), compare);
        }
        assert_memory_equal(words, same, n * sizeof(*words));
    }
}

enum { ROOM = 15 };

static int compare_names(const void *a, const void *b)
{
    return strncmp(*(const char *const *) a, *(const char *const *) b, ROOM);
}

/* Names of some letters, with and without something in common at their beginning; the longest have
 * no NUL. They are compared in steps of any length. */
static void names(void **state)
{
    static char text[MOST][ROOM + 1];
    const char *given[MOST];
    const char *sorted[MOST];

    (void) state;
    for (unsigned round = 0; round < 300; round++) {
        size_t n = 1 + draw() % (round % 2 ? MOST : 8);
        size_t step = 1 + draw() % (round % 3 ? 2 * MOST : 5);
        size_t prefix = draw() % 5;
        struct px_name_sort *sort;

        for (size_t i = 0; i < n; i++) {
            size_t len = draw() % (ROOM + 1);

            len = draw() % 2 ? ROOM : len;
            memset(text[i], 0, sizeof(text[i]));
            for (size_t k = 0; k < len; k++) {
                text[i][k] = k < prefix ? 'p' : (char) ('a' + (k % 5 ? 0 : draw() % 3));
            }
            text[i][ROOM] = 'x';
            given[i] = sorted[i] = text[i];
        }
        qsort(sorted, n, sizeof(*sorted), compare_names);
        sort = px_name_sort_begin(given, n, ROOM);
        while (px_name_sort_go_on(sort, step)) {
        }
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(strncmp(given[px_name_sort_order(sort)[i]], sorted[i], ROOM), 0);
        }
        px_name_sort_end(sort);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_qsort), cmocka_unit_test(names)};

    alarm(120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
