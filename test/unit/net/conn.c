/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/base/clock.h"
#include "src/net/conn_pool.h"
#include "src/net/conn_priv.h"
#include "test/unit/net/pair.h"
#include "src/net/conn_write.h"

static void destroy_inside_message(void **state)
{
    struct pair pair;
    struct px_buf two = frame(100, 10);
    struct px_buf big = frame(100, 100000);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    pair.sink.destroy_on_message = true;
    px_buf_append(&two, two.data, 26);
    fixture_write(pair.raw, two.data, two.len);
    sink_await(&pair.sink, 1);
    fixture_settle(*state);
    assert_int_equal(pair.sink.messages, 1);
    assert_int_equal(pair.sink.closed, 0);
    (void) close(pair.raw);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    pair.sink.destroy_on_message = true;
    fixture_write(pair.raw, big.data, big.len);
    sink_await(&pair.sink, 1);
    fixture_settle(*state);
    (void) close(pair.raw);
    px_buf_fini(&two);
    px_buf_fini(&big);
}

/* A message that makes its owner destroy the connection, and what is read by a task of the loop. */
static void write_and_read_now(void *arg)
{
    struct pair *pair = arg;
    struct px_buf one = frame(100, 10);

    fixture_write(pair->raw, one.data, one.len);
    px_conn_read_now_loop(pair->sink.conn);
    px_buf_fini(&one);
}

static void end_and_read_now(void *arg)
{
    struct pair *pair = arg;

    (void) close(pair->raw);
    px_conn_read_now_loop(pair->sink.conn);
}

static void destroyed_while_it_is_read_now(void **state)
{
    struct pair pair;

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_loop_run(*state, end_and_read_now, &pair), 0);
    assert_int_equal(pair.sink.closed, 1);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    pair.sink.destroy_on_message = true;
    assert_int_equal(px_loop_run(*state, write_and_read_now, &pair), 0);
    assert_int_equal(pair.sink.messages, 1);
    assert_int_equal(pair.sink.closed, 0);
    (void) close(pair.raw);
}

/* So many messages on each of two connections, each of which takes so long. What is read without
 * waiting for a turn is a third of that on one of them. */
enum { LONG_MESSAGES = 30, LONG_NS = 2000000, MOST_AT_ONCE = 15 };

static struct pair both[2];
static struct px_conn_pool pool;
static unsigned at_once; /* messages that were read without a turn */

static bool take_long(void *arg, uint32_t tag, const void *bytes, size_t len, int fd)
{
    uint64_t end = px_clock_ns() + LONG_NS;

    while (px_clock_ns() < end) {
    }
    return sink_message(arg, tag, bytes, len, fd);
}

static void read_long_now(void *arg)
{
    struct px_buf one = frame(100, 40);
    bool had_time = true;

    (void) arg;
    for (int i = 0; i < 2; i++) {
        both[i].sink.conn->ops.message = take_long;
        px_conn_join_loop(both[i].sink.conn, &pool);
        for (int k = 0; k < LONG_MESSAGES; k++) {
            fixture_write(both[i].raw, one.data, one.len);
        }
    }
    for (int k = 0; k < LONG_MESSAGES; k++) {
        had_time = px_conn_read_now_loop(both[k % 2].sink.conn);
    }
    assert_false(had_time);
    at_once = both[0].sink.messages + both[1].sink.messages;
    px_buf_fini(&one);
}

/* One user's messages that take long are read for a while only, on all of his connections together;
 * the others come in their turns. */
static void what_is_read_now_has_an_end(void **state)
{
    pair_open(&both[0], *state, AF_UNIX, MAX_MSG);
    pair_open(&both[1], *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_loop_run(*state, read_long_now, NULL), 0);
    assert_in_range(at_once, 1, MOST_AT_ONCE);
    sink_await(&both[0].sink, LONG_MESSAGES);
    sink_await(&both[1].sink, LONG_MESSAGES);
    pair_close(&both[0]);
    pair_close(&both[1]);
}

/* Messages that come at once, and are handled in parts where they lie. */
static void short_messages_in_parts(void **state)
{
    struct pair pair;
    struct px_buf all = frame(101, 40);
    struct px_buf one = frame(102, 500);
    struct px_buf last = frame(103, 1);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    pair.sink.parts = 40;
    pair.sink.long_enough = 40;
    px_buf_append(&all, one.data, one.len);
    px_buf_append(&all, last.data, last.len);
    fixture_write(pair.raw, all.data, all.len);
    sink_await(&pair.sink, 3);
    assert_int_equal(pair.sink.last_tag, 103);
    assert_int_equal(pair.sink.bad, 0);
    px_buf_fini(&all);
    px_buf_fini(&one);
    px_buf_fini(&last);
    pair_close(&pair);
}

/* The last word reaches a peer that reads, and destroying does not wait for one that does not. */
static void destroy_sends_what_it_can(void **state)
{
    struct pair pair;
    struct px_buf word = payload(100, 1000);
    struct px_buf flood;
    unsigned char got[1016];

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &word, -1), 0);
    assert_int_equal(px_loop_run(*state, destroy_conn, &pair), 0);
    assert_true(fixture_read(pair.raw, got, sizeof(got)));
    assert_false(fixture_read(pair.raw, got, 1));
    (void) close(pair.raw);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    for (int i = 0; i < 50; i++) {
        flood = payload(100, 100000);
        assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &flood, -1), 0);
    }
    pair_close(&pair);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        T(destroy_inside_message),      T(destroyed_while_it_is_read_now),
        T(what_is_read_now_has_an_end), T(short_messages_in_parts),
        T(destroy_sends_what_it_can),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
