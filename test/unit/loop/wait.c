/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/loop/wait.h"

static void done_before_the_wait(void **state)
{
    struct px_wait wait;

    (void) state;
    px_wait_init(&wait);
    px_wait_done(&wait, -7);
    assert_int_equal(px_wait_for(&wait), -7);
}

static void *do_it(void *arg)
{
    px_wait_done(arg, 9);
    return NULL;
}

/* The waiter's frame is gone at once: a touch behind the last unlock would be seen by a
 * sanitizer. */
static void wait_on_the_stack(pthread_t *thread)
{
    struct px_wait wait;

    px_wait_init(&wait);
    assert_int_equal(pthread_create(thread, NULL, do_it, &wait), 0);
    assert_int_equal(px_wait_for(&wait), 9);
}

static void done_by_another_thread(void **state)
{
    (void) state;
    for (int i = 0; i < 500; i++) {
        pthread_t thread;

        wait_on_the_stack(&thread);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(done_before_the_wait),
        cmocka_unit_test(done_by_another_thread),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
