/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/hash.h"

/* The values are part of the segment format: a change here is a change of format. */
static void values_are_fixed(void **state)
{
    (void) state;
    assert_true(px_hash_bytes("", 0) == UINT64_C(0x9d9ec8084f581e51));
    assert_true(px_hash_bytes("pmix.rank", 9) == UINT64_C(0x2d6d7a0fac54601));
    assert_true(px_hash_bytes("12345678", 8) == UINT64_C(0x6be542f3fb3d768a));
}

static void length_counts(void **state)
{
    const char zeros[64] = {0};

    (void) state;
    for (size_t a = 0; a < sizeof(zeros); a++) {
        for (size_t b = a + 1; b < sizeof(zeros); b++) {
            assert_true(px_hash_bytes(zeros, a) != px_hash_bytes(zeros, b));
        }
    }
}

static void alignment_does_not(void **state)
{
    char room[80];
    const char *text = "a key that is longer than two words";
    uint64_t h = px_hash_bytes(text, strlen(text));

    (void) state;
    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(room + shift, text, strlen(text));
        assert_true(px_hash_bytes(room + shift, strlen(text)) == h);
    }
}

/* Keys of one pattern shall spread over the low bits, which tables use. */
static void low_bits_spread(void **state)
{
    unsigned seen[256] = {0};

    (void) state;
    for (int i = 0; i < 25600; i++) {
        char key[32];
        int len = snprintf(key, sizeof(key), "key.%d", i);

        seen[px_hash_bytes(key, (size_t) len) & 255]++;
    }
    for (int i = 0; i < 256; i++) {
        assert_in_range(seen[i], 40, 180);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_fixed),
        cmocka_unit_test(length_counts),
        cmocka_unit_test(alignment_does_not),
        cmocka_unit_test(low_bits_spread),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
