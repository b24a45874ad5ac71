/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The hash map, against a plain array that does the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/map.h"

enum { KEYS = 300 };

static uint64_t seed = 2463534242u;

static unsigned random_below(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned) (seed % n);
}

static int count(void *arg, const void *key, size_t len, void *value)
{
    size_t *n = arg;

    (void) key;
    (void) len;
    assert_non_null(value);
    (*n)++;
    return 0;
}

static int stop_at_once(void *arg, const void *key, size_t len, void *value)
{
    (void) arg;
    (void) key;
    (void) len;
    (void) value;
    return 5;
}

static void test_random(void **unused)
{
    static char values[2];
    void *model[KEYS] = {NULL};
    struct px_map map = {.cap = 0};
    size_t live = 0;
    size_t seen = 0;

    (void) unused;
    for (unsigned round = 0; round < 100000; round++) {
        unsigned key = random_below(KEYS);
        void *value = &values[random_below(2)];

        if (random_below(2) == 0) {
            assert_int_equal(px_map_set(&map, &key, sizeof(key), value), 0);
            live += model[key] == NULL ? 1 : 0;
            model[key] = value;
        } else {
            assert_ptr_equal(px_map_remove(&map, &key, sizeof(key)), model[key]);
            live -= model[key] == NULL ? 0 : 1;
            model[key] = NULL;
        }
        assert_int_equal(map.used, live);
        assert_true(map.cap <= 1024);
        key = random_below(KEYS);
        assert_ptr_equal(px_map_find(&map, &key, sizeof(key)), model[key]);
    }
    assert_int_equal(px_map_each(&map, count, &seen), 0);
    assert_int_equal(seen, live);
    assert_int_equal(px_map_each(&map, stop_at_once, NULL), 5);
    px_map_fini(&map);
    assert_int_equal(map.cap, 0);
    px_map_fini(&map);
}

static void test_keys(void **unused)
{
    struct px_map map = {.cap = 0};
    char key[] = "name";
    int a;
    int b;

    (void) unused;
    assert_null(px_map_find(&map, "x", 1));
    assert_null(px_map_remove(&map, "x", 1));
    assert_int_equal(px_map_set(&map, key, 4, &a), 0);
    key[0] = 'N';
    assert_ptr_equal(px_map_find(&map, "name", 4), &a);
    assert_null(px_map_find(&map, "nam", 3));
    assert_int_equal(px_map_set(&map, "", 0, &b), 0);
    assert_ptr_equal(px_map_find(&map, "", 0), &b);
    assert_int_equal(px_map_set(&map, "name", 4, &b), 0);
    assert_ptr_equal(px_map_find(&map, "name", 4), &b);
    assert_int_equal(map.used, 2);
    px_map_fini(&map);
}

static void test_growth(void **unused)
{
    struct px_map map = {.cap = 0};
    int value;

    (void) unused;
    for (uint64_t i = 0; i < 20000; i++) {
        assert_int_equal(px_map_set(&map, &i, sizeof(i), &value), 0);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        assert_ptr_equal(px_map_find(&map, &i, sizeof(i)), &value);
    }
    assert_int_equal(map.used, 20000);
    px_map_fini(&map);
}

/* Keys of this length, made of a number: some lie in their slots, others do not. */
static size_t make_key(char key[16], unsigned number)
{
    memset(key, 'k', 16);
    memcpy(key, &number, sizeof(number));
    return number % 2 == 0 ? sizeof(number) : 16;
}

/* While a large table is emptied into the next one, a few entries with each addition, entries of
 * both are found, replaced and removed, and each is met once. */
static void test_little_by_little(void **unused)
{
    enum { MANY = 40000 };
    static char values[2];
    static void *model[MANY];
    struct px_map map = {.cap = 0};
    unsigned n_growing = 0;
    size_t live = 0;
    size_t seen = 0;

    (void) unused;
    for (unsigned i = 0; i < MANY; i++) {
        char key[16];
        size_t moved = map.old != NULL ? map.n_moved : 0;
        unsigned other = random_below(i + 1);

        assert_int_equal(px_map_set(&map, key, make_key(key, i), &values[0]), 0);
        model[i] = &values[0];
        live++;
        n_growing += map.old != NULL;
        assert_true(map.old == NULL || map.old_cap >= 8192);
        assert_true(map.old == NULL || map.n_moved <= moved + 32);
        if (model[other] != NULL && i % 3 == 0) {
            assert_int_equal(px_map_set(&map, key, make_key(key, other), &values[1]), 0);
            model[other] = &values[1];
        } else if (i % 3 == 1) {
            assert_ptr_equal(px_map_remove(&map, key, make_key(key, other)), model[other]);
            live -= model[other] != NULL;
            model[other] = NULL;
        }
        other = random_below(i + 1);
        assert_ptr_equal(px_map_find(&map, key, make_key(key, other)), model[other]);
        assert_int_equal(map.used, live);
    }
    assert_true(n_growing > 1000);
    assert_int_equal(px_map_each(&map, count, &seen), 0);
    assert_int_equal(seen, live);
    for (unsigned i = 0; i < MANY; i++) {
        char key[16];

        assert_ptr_equal(px_map_find(&map, key, make_key(key, i)), model[i]);
    }
    px_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_little_by_little),
    };

    alarm(120);
    printf("# seed %llu\n", (unsigned long long) seed);
    fflush(stdout);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
