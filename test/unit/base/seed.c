/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/hash.h"
#include "src/base/map.h"
#include "src/base/seed.h"

/* Of other implementations of the same function. */
static void known_values(void **state)
{
    static const uint64_t zero[2];
    static const uint64_t count[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};

    (void) state;
    assert_true(px_sip_hash(count, "", 0) == UINT64_C(0xabac0158050fc4dc));
    assert_true(px_sip_hash(zero, "abc", 3) == UINT64_C(0xc03bc3a0042630f2));
    assert_true(px_sip_hash(zero, "pmix.rank", 9) == UINT64_C(0x9489e47d29dc1ecc));
    assert_true(px_sip_hash(zero, "12345678", 8) == UINT64_C(0x3489982430560a87));
    assert_true(px_sip_hash(zero, "a key that is longer than two words", 35) ==
                UINT64_C(0x4c59c687f57b6a));
}

/* One process has one key; another one, started afresh, has another. */
static void of_the_process(void **state)
{
    char mine[32];
    char other[32] = "";
    char self[4096];
    FILE *f;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 16);

    (void) state;
    assert_true(n > 0);
    strcpy(self + n, " say");
    (void) snprintf(mine, sizeof(mine), "%016llx\n", (unsigned long long) px_seeded_hash("k", 1));
    assert_true(px_seeded_hash("k", 1) == strtoull(mine, NULL, 16));
    f = popen(self, "r");
    assert_non_null(f);
    assert_non_null(fgets(other, sizeof(other), f));
    assert_int_equal(pclose(f), 0);
    assert_int_equal(strlen(other), 17);
    assert_string_not_equal(other, mine);
}

/* Strings that the public hash takes for one another: after a word that makes one factor 0, nothing
 * before it counts. A map of them is as good as any. */
static void chosen_keys(void **state)
{
    enum { KEYS = 4096 };
    static uint64_t keys[KEYS][2];
    static const uint64_t nothing = UINT64_C(0xd6e8feb86659fd93);
    struct px_map map = {.cap = 0};
    size_t worst = 0;
    static unsigned slots[4 * KEYS];

    (void) state;
    for (size_t i = 0; i < KEYS; i++) {
        keys[i][0] = i + 1;
        keys[i][1] = nothing;
        assert_true(px_hash_bytes(keys[i], 16) == px_hash_bytes(keys[0], 16));
        assert_int_equal(px_map_set(&map, keys[i], 16, keys[i]), 0);
        slots[px_seeded_hash(keys[i], 16) % (4 * KEYS)]++;
    }
    for (size_t i = 0; i < 4 * KEYS; i++) {
        worst = slots[i] > worst ? slots[i] : worst;
    }
    assert_true(worst < 10);
    for (size_t i = 0; i < KEYS; i++) {
        assert_ptr_equal(px_map_find(&map, keys[i], 16), keys[i]);
    }
    px_map_fini(&map);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(of_the_process),
        cmocka_unit_test(chosen_keys),
    };

    (void) argv;
    if (argc > 1) {
        printf("%016llx\n", (unsigned long long) px_seeded_hash("k", 1));
        return 0;
    }
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
