/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/net/strangers.h"

/* Users 1 to 3 with 1, 3 and 2 connections, in the order of `conns`; the first of user 3 has sent
 * most. */
enum { N = 6 };
static const uid_t users[N] = {2, 1, 2, 3, 2, 3};
static const size_t bytes[N] = {10, 20, 30, 50, 0, 0};
static struct px_strangers strangers;
static struct px_stranger conns[N];

static int begin(void **state)
{
    (void) state;
    px_strangers_init(&strangers);
    for (int i = 0; i < N; i++) {
        conns[i] = (struct px_stranger){0};
        assert_int_equal(px_strangers_add(&strangers, &conns[i], users[i]), 0);
        px_strangers_read(&strangers, &conns[i], bytes[i]);
    }
    return 0;
}

static int end(void **state)
{
    (void) state;
    for (int i = 0; i < N; i++) {
        px_strangers_remove(&strangers, &conns[i]);
        px_strangers_remove(&strangers, &conns[i]); /* harmless */
    }
    assert_int_equal(strangers.n, 0);
    assert_int_equal(strangers.bytes, 0);
    assert_true(px_list_empty(&strangers.users));
    assert_null(px_strangers_of_most(&strangers, PX_MOST_CONNS, NULL));
    assert_null(px_strangers_of_most(&strangers, PX_MOST_BYTES, NULL));
    return 0;
}

static void takes_the_oldest_of_most(void **state)
{
    (void) state;
    assert_int_equal(strangers.n, N);
    assert_int_equal(strangers.bytes, 110);
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_CONNS, NULL), &conns[0]);
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_BYTES, NULL), &conns[3]);
    px_strangers_remove(&strangers, &conns[0]);
    px_strangers_remove(&strangers, &conns[2]);
    assert_int_equal(strangers.bytes, 70);
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_CONNS, NULL), &conns[3]);
}

/* What a user has in several connections counts together. */
static void adds_up_what_a_user_sends(void **state)
{
    (void) state;
    px_strangers_read(&strangers, &conns[4], 15);
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_BYTES, NULL), &conns[0]);
}

static void spares_one(void **state)
{
    (void) state;
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_CONNS, &conns[0]), &conns[2]);
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_BYTES, &conns[3]), &conns[0]);
    for (int i = 1; i < N; i++) {
        px_strangers_remove(&strangers, &conns[i]);
    }
    assert_null(px_strangers_of_most(&strangers, PX_MOST_CONNS, &conns[0]));
    assert_ptr_equal(px_strangers_of_most(&strangers, PX_MOST_CONNS, NULL), &conns[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_the_oldest_of_most, begin, end),
        cmocka_unit_test_setup_teardown(adds_up_what_a_user_sends, begin, end),
        cmocka_unit_test_setup_teardown(spares_one, begin, end),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
