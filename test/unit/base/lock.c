/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/base/lock.h"

static struct px_lock lock = PX_LOCK_INIT;

static void *asks(void *arg)
{
    *(bool *) arg = px_lock_held(&lock);
    return NULL;
}

static bool held_elsewhere(void)
{
    bool held = true;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, asks, &held), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return held;
}

static void only_the_holder_holds_it(void **state)
{
    (void) state;
    assert_false(px_lock_held(&lock));
    px_lock_take(&lock);
    assert_true(px_lock_held(&lock));
    assert_false(held_elsewhere());
    px_lock_give(&lock);
    assert_false(px_lock_held(&lock));
    assert_false(held_elsewhere());
}

static void a_made_one_is_free(void **state)
{
    struct px_lock made;

    (void) state;
    px_lock_init(&made);
    assert_false(px_lock_held(&made));
    px_lock_take(&made);
    px_lock_give(&made);
    px_lock_fini(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_holder_holds_it),
        cmocka_unit_test(a_made_one_is_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
