/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A grace is over when nobody who was inside at its beginning is inside any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

#include "src/base/epoch.h"

enum { N_THREADS = 2000 };

static void *inside(void *arg)
{
    pthread_barrier_t *steps = arg;

    px_reader_enter();
    pthread_barrier_wait(steps); /* inside */
    pthread_barrier_wait(steps); /* seen */
    px_reader_leave();
    pthread_barrier_wait(steps); /* outside */
    return NULL;
}

static void waits_for_readers(void **state)
{
    pthread_barrier_t steps;
    pthread_t thread;

    (void) state;
    px_reader_enter();
    px_reader_leave();
    if (!px_grace_begin()) {
        skip(); /* no membarrier here */
    }
    assert_true(px_grace_over());
    assert_int_equal(pthread_barrier_init(&steps, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, inside, &steps), 0);
    pthread_barrier_wait(&steps);
    assert_true(px_grace_begin());
    assert_false(px_grace_over());
    pthread_barrier_wait(&steps);
    pthread_barrier_wait(&steps);
    assert_true(px_grace_over());
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&steps);
}

static void *visit(void *arg)
{
    px_reader_enter();
    px_reader_leave();
    return arg;
}

/* More threads than slots, one after the other: slots are used again. */
static void slots_come_back(void **state)
{
    pthread_t thread;
    int i;

    (void) state;
    for (i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&thread, NULL, visit, NULL), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    if (px_grace_begin()) {
        assert_true(px_grace_over());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_for_readers),
        cmocka_unit_test(slots_come_back),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
