/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PUT-001, PUT-007, PUT-018, PUT-019: what waits for a commit, in short lists and in long ones,
 * against a list of keys that is kept beside it. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/client/data/uncommitted.h"

enum { FEW = 5, MANY = 500, ROUNDS = 20000 };

static struct px_uncommitted all;

static void append_named(pmix_scope_t scope, const char *key, int number)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = number};
    struct px_put_value *put = px_put_value_create(scope, key, strlen(key), &value);
    struct px_list dropped;

    assert_non_null(put);
    px_list_init(&dropped);
    px_uncommitted_append(&all, put, &dropped);
    px_put_values_free(&dropped);
}

static void append(pmix_scope_t scope, unsigned number, int value)
{
    char key[32];

    snprintf(key, sizeof(key), "key.%u", number);
    append_named(scope, key, value);
}

/* What the list has of a key: the scopes of its value and of its deletion, PMIX_SCOPE_UNDEF for
 * none. */
struct held {
    pmix_scope_t value;
    pmix_scope_t deletion;
    int number;
};

/* Reads the list, which must have each key at most once in each role. Returns its length. */
static size_t read_all(struct held *held, unsigned n_keys)
{
    size_t n = 0;

    memset(held, 0, n_keys * sizeof(*held));
    px_list_for(const struct px_put_value, put, &all.values, link) {
        unsigned number = 0;
        pmix_scope_t *scope;

        assert_int_equal(sscanf(put->key, "key.%u", &number), 1);
        assert_true(number < n_keys);
        scope = px_scope_deletes(put->scope) ? &held[number].deletion : &held[number].value;
        assert_int_equal(*scope, PMIX_SCOPE_UNDEF);
        *scope = put->scope;
        if (!px_scope_deletes(put->scope)) {
            held[number].number = put->value.data.integer;
        }
        n++;
    }
    assert_int_equal(n, all.n);
    return n;
}

/* The readers that a scope names, as bits: of this node 1, of others 2. */
static unsigned bits(pmix_scope_t scope)
{
    switch (scope) {
    case PMIX_LOCAL:
    case PMIX_DEL_LOCAL:
        return 1;
    case PMIX_REMOTE:
    case PMIX_DEL_REMOTE:
        return 2;
    case PMIX_GLOBAL:
    case PMIX_DEL_GLOBAL:
        return 3;
    default:
        return 0;
    }
}

/* The same rule on bits. */
static void note(struct held *held, pmix_scope_t scope, int number)
{
    static const pmix_scope_t scopes[] = {PMIX_SCOPE_UNDEF, PMIX_LOCAL, PMIX_REMOTE, PMIX_GLOBAL};
    static const pmix_scope_t deletions[] = {PMIX_SCOPE_UNDEF, PMIX_DEL_LOCAL, PMIX_DEL_REMOTE,
                                             PMIX_DEL_GLOBAL};

    if (px_scope_deletes(scope)) {
        held->value = scopes[bits(held->value) & ~bits(scope)];
        held->deletion = deletions[bits(held->deletion) | bits(scope)];
    } else {
        held->value = scope == PMIX_INTERNAL ? PMIX_SCOPE_UNDEF : scope;
        held->number = number;
    }
}

/* Puts and deletes keys at random, and compares at the end and now and then. */
static void compare(unsigned n_keys, unsigned seed)
{
    static const pmix_scope_t scopes[] = {PMIX_LOCAL,     PMIX_REMOTE,    PMIX_GLOBAL,
                                          PMIX_INTERNAL,  PMIX_DEL_LOCAL, PMIX_DEL_REMOTE,
                                          PMIX_DEL_GLOBAL};
    struct held *expected = calloc(n_keys, sizeof(*expected));
    struct held *held = calloc(n_keys, sizeof(*held));

    assert_non_null(expected);
    assert_non_null(held);
    print_message("seed %u\n", seed);
    px_uncommitted_init(&all);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned number = (unsigned) rand_r(&seed) % n_keys;
        pmix_scope_t scope = scopes[(unsigned) rand_r(&seed) % 7];

        append(scope, number, i);
        note(&expected[number], scope, i);
        if (i % 97 == 0 || i == ROUNDS - 1) {
            read_all(held, n_keys);
            for (unsigned k = 0; k < n_keys; k++) {
                assert_int_equal(held[k].value, expected[k].value);
                assert_int_equal(held[k].deletion, expected[k].deletion);
                if (held[k].value != PMIX_SCOPE_UNDEF) {
                    assert_int_equal(held[k].number, expected[k].number);
                }
            }
        }
    }
    px_uncommitted_fini(&all);
    free(held);
    free(expected);
}

static void the_newest_of_few_keys(void **state)
{
    (void) state;
    compare(FEW, 20261127);
}

static void the_newest_of_many_keys(void **state)
{
    (void) state;
    compare(MANY, 20261128);
}

/* A long list has its index, and none when it was taken. */
static void an_index_from_a_length_on(void **state)
{
    struct px_list taken;
    int n = 0;

    (void) state;
    px_uncommitted_init(&all);
    append(PMIX_GLOBAL, 0, 0);
    append(PMIX_GLOBAL, 1, 1);
    assert_int_equal(all.newest.used, 0);
    for (unsigned i = 2; i < MANY; i++) {
        append(PMIX_GLOBAL, i, (int) i);
    }
    assert_int_equal(all.newest.used, MANY);
    px_list_init(&taken);
    px_uncommitted_take(&all, &taken);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.newest.used, 0);
    px_list_for(const struct px_put_value, put, &taken, link) {
        assert_int_equal(put->value.data.integer, n++);
    }
    assert_int_equal(n, MANY);
    append(PMIX_LOCAL, 3, 3); /* does not meet the one that was taken */
    assert_int_equal(all.n, 1);
    px_put_values_free(&taken);
    px_uncommitted_fini(&all);
}

static void qualified_values_all_stay(void **state)
{
    (void) state;
    px_uncommitted_init(&all);
    for (unsigned i = 0; i < MANY; i++) {
        append_named(PMIX_GLOBAL, PMIX_QUALIFIED_VALUE, (int) i);
        append_named(PMIX_GLOBAL, "other", (int) i);
    }
    assert_int_equal(all.n, MANY + 1);
    px_uncommitted_fini(&all);
}

static void the_first_that_is_not_stored(void **state)
{
    const struct px_list *first;

    (void) state;
    px_uncommitted_init(&all);
    assert_ptr_equal(px_uncommitted_first_unstored(&all), &all.values);
    for (unsigned i = 0; i < FEW; i++) {
        append(PMIX_GLOBAL, i, (int) i);
    }
    assert_ptr_equal(px_uncommitted_first_unstored(&all), all.values.next);
    px_container_of(all.values.next, struct px_put_value, link)->stored = true;
    first = px_uncommitted_first_unstored(&all);
    assert_int_equal(px_container_of(first, struct px_put_value, link)->value.data.integer, 1);
    px_list_for(struct px_put_value, put, &all.values, link) {
        put->stored = true;
    }
    assert_ptr_equal(px_uncommitted_first_unstored(&all), &all.values);
    px_uncommitted_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_of_few_keys),       cmocka_unit_test(the_newest_of_many_keys),
        cmocka_unit_test(an_index_from_a_length_on),    cmocka_unit_test(qualified_values_all_stay),
        cmocka_unit_test(the_first_that_is_not_stored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
