/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The memo of ready values: one pointer per value whoever asks first, from any number of threads,
 * with many values. */
#include "support.h"

#include <pthread.h>

#include "gds/memo.h"
#include "gds/slice.h"

enum { N_VALUES = 5000, N_THREADS = 4 };

static struct px_memo *memo;
static struct px_slice slices[N_VALUES];
static const pmix_value_t *seen[N_THREADS][N_VALUES];

static void *ask_all(void *arg)
{
    const pmix_value_t **mine = arg;
    uint32_t i;

    for (i = 0; i < N_VALUES; i++) {
        uint32_t at = i * 7919 % N_VALUES;

        if (px_memo_value(memo, &slices[at], &mine[at])) {
            return arg;
        }
    }
    return NULL;
}

static void threads_agree(void **state)
{
    pthread_t threads[N_THREADS];
    uint32_t i;
    uint32_t t;

    (void) state;
    memo = px_memo_create();
    for (i = 0; i < N_VALUES; i++) {
        slices[i] = (struct px_slice){.word = i, .type = PMIX_UINT32, .form = 1, .inlined = true};
        slices[i].locator = i % 2 ? 512 + i : 0;
    }
    for (t = 0; t < N_THREADS; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, ask_all, seen[t]), 0);
    }
    for (t = 0; t < N_THREADS; t++) {
        void *rc;

        assert_int_equal(pthread_join(threads[t], &rc), 0);
        assert_null(rc);
    }
    for (i = 0; i < N_VALUES; i++) {
        for (t = 0; t < N_THREADS; t++) {
            assert_non_null(seen[t][i]);
            assert_ptr_equal(seen[t][i], seen[0][i]);
        }
        assert_int_equal(seen[0][i]->data.uint32, i);
    }
    px_memo_destroy(memo);
    px_memo_destroy(NULL);
}

/* This word is the constant of px_hash_mix, which makes 0 of it whatever the type is. */
static void values_of_one_hash(void **state)
{
    const pmix_data_type_t types[] = {PMIX_UINT64, PMIX_INT64, PMIX_SIZE};
    const pmix_value_t *first[3];
    const pmix_value_t *again;

    (void) state;
    memo = px_memo_create();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            slices[i] = (struct px_slice){
                .word = UINT64_C(0x9e3779b97f4a7c15), .type = types[i], .form = 1, .inlined = true};
            assert_int_equal(px_memo_value(memo, &slices[i], round ? &again : &first[i]), 0);
            assert_int_equal(first[i]->type, types[i]);
            assert_ptr_equal(round ? again : first[i], first[i]);
        }
    }
    px_memo_destroy(memo);
}

static void without_memory(void **state)
{
    const pmix_value_t *got;
    uint32_t i;

    (void) state;
    memo = px_memo_create();
    for (i = 0; i < 600; i++) {
        long left = 0;
        int rc;

        slices[i] = (struct px_slice){.word = i, .type = PMIX_UINT32, .form = 1, .inlined = true};
        do {
            fail_allocs_after(left++);
            rc = px_memo_value(memo, &slices[i], &got);
            fail_allocs_after(-1);
            assert_true(rc == 0 || rc == PMIX_ERR_NOMEM);
        } while (rc);
        assert_int_equal(got->data.uint32, i);
    }
    px_memo_destroy(memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(values_of_one_hash),
        cmocka_unit_test(without_memory),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
