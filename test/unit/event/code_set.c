/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Sets of event codes against a table of flags, with codes drawn at random. */

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
#include <unistd.h>

#include <cmocka.h>

#include "src/event/code_set.h"

enum { N_CODES = 64, ROUNDS = 20000, FEW = 20, MOST = 600 };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*seed >> 33);
}

/* Codes around 0, the lowest and the highest int. */
static pmix_status_t code_of(uint32_t i)
{
    return i == 0 ? INT32_MIN : i == N_CODES - 1 ? INT32_MAX : (pmix_status_t) i - N_CODES / 2;
}

static void check_equal(const struct px_code_set *set, const bool *in)
{
    size_t n = 0;

    for (uint32_t i = 0; i < N_CODES; i++) {
        assert_int_equal(px_code_set_has(set, code_of(i)), in[i]);
        n += in[i];
    }
    assert_int_equal(set->n, n);
    for (size_t i = 1; i < set->n; i++) {
        assert_true(set->at[i - 1] < set->at[i]);
    }
}

/* Adds or removes some codes, several of them twice, and compares what is told to have changed. */
static void change(struct px_code_set *set, bool *in, bool add, uint64_t *seed)
{
    pmix_status_t codes[MOST];
    bool changed[N_CODES] = {false};
    size_t n = draw(seed) % ((draw(seed) % 16 ? FEW : MOST) + 1);
    size_t n_changed = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t which = draw(seed) % N_CODES;

        codes[i] = code_of(which);
        changed[which] |= in[which] != add;
        in[which] = add;
    }
    if (add) {
        assert_int_equal(px_code_set_add(set, codes, &n), PMIX_SUCCESS);
    } else {
        px_code_set_remove(set, codes, &n);
    }
    for (uint32_t i = 0; i < N_CODES; i++) {
        if (changed[i]) {
            assert_int_equal(codes[n_changed], code_of(i));
            n_changed++;
        }
    }
    assert_int_equal(n, n_changed);
    check_equal(set, in);
}

static void as_a_table_says(void **state)
{
    const char *given = getenv("SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t) getpid() * 2654435761u;
    struct px_code_set set = {0};
    bool in[N_CODES] = {false};

    (void) state;
    printf("# SEED=%llu\n", (unsigned long long) seed);
    for (int i = 0; i < ROUNDS; i++) {
        change(&set, in, draw(&seed) % 2, &seed);
    }
    px_code_set_fini(&set);
    assert_null(set.at);
    assert_int_equal(set.n, 0);
}

static void of_nothing(void **state)
{
    struct px_code_set set = {0};
    size_t n = 0;

    (void) state;
    assert_false(px_code_set_has(&set, 0));
    px_code_set_remove(&set, NULL, &n);
    assert_int_equal(px_code_set_add(&set, NULL, &n), PMIX_SUCCESS);
    assert_null(set.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_table_says),
        cmocka_unit_test(of_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
