/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "src/base/clock.h"
#include "src/base/lent.h"
#include "src/net/conn_pool.h"
#include "src/net/conn_priv.h"
#include "test/unit/net/pair.h"
#include "src/net/conn_write.h"

/* What sendmsg fails with, and how often it was called; by atomics. */
static uint64_t shortage;
static uint64_t n_calls;

ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    (void) px_fetch_add(&n_calls, 1);
    errno = (int) px_load_acquire(&shortage);
    return errno ? -1 : __real_sendmsg(fd, msg, flags);
}

/* Bytes waiting for the peer to read. */
static size_t queued(struct px_conn *conn)
{
    size_t n;

    px_lock_take(&conn->lock);
    n = conn->queued;
    px_lock_give(&conn->lock);
    return n;
}

/* Bytes that may wait. */
static void limit(struct px_conn *conn, size_t bytes)
{
    px_lock_take(&conn->lock);
    conn->limit = bytes;
    px_lock_give(&conn->lock);
}

static void the_header_is_as_written_down(void **state)
{
    static const unsigned char expected[] = {0, 0, 0, 7, 0, 0, 0, 101, 0, 0, 0, 3, 0, 0, 0, 0};
    struct pair pair;
    struct px_buf three = payload(101, 3);
    unsigned char got[19];

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_conn_send_take(pair.sink.conn, 101, &three, -1), 0);
    assert_null(three.data);
    assert_true(fixture_read(pair.raw, got, sizeof(got)));
    assert_memory_equal(got, expected, sizeof(expected));
    assert_int_equal(got[17], fixture_byte(101, 1));
    pair_close(&pair);
}

static void empty_and_failed_payloads_are_not_sent(void **state)
{
    struct pair pair;
    struct px_buf empty = {0};
    struct px_buf failed = payload(1, 10);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_conn_send_take(pair.sink.conn, 101, &empty, -1), PX_ERR_BAD_PARAM);
    failed.status = PX_ERR_NOMEM;
    assert_int_equal(px_conn_send_take(pair.sink.conn, 101, &failed, -1), PX_ERR_NOMEM);
    assert_null(failed.data);
    assert_int_equal(queued(pair.sink.conn), 0);
    pair_close(&pair);
}

static void a_slow_reader_gets_it_all(void **state)
{
    for (int round = 0; round < 2; round++) {
        struct pair pair;
        size_t len = 0;

        pair_open(&pair, *state, round ? AF_UNIX : AF_INET, MAX_MSG);
        for (uint32_t i = 0; i < 200; i++) {
            struct px_buf buf = payload(100 + i, 1 + (size_t) i * 997);

            assert_int_equal(px_conn_send_take(pair.sink.conn, 100 + i, &buf, -1), 0);
        }
        assert_true(queued(pair.sink.conn) > 0);
        for (uint32_t i = 0; i < 200; i++) {
            static unsigned char room[200000];
            unsigned char header[16];
            unsigned char expected[16];

            len = 1 + (size_t) i * 997;
            fixture_header(expected, 100 + i, (uint32_t) len);
            assert_true(fixture_read(pair.raw, header, sizeof(header)));
            assert_memory_equal(header + 4, expected + 4, 12);
            assert_true(fixture_read(pair.raw, room, len));
            assert_int_equal(room[len - 1], fixture_byte(100 + i, len - 1));
        }
        assert_int_equal(queued(pair.sink.conn), 0);
        pair_close(&pair);
    }
}

static void one_that_never_reads_is_dropped(void **state)
{
    struct pair slow;
    struct pair other;
    struct px_buf one;
    unsigned char header[16];
    int rc = 0;

    pair_open(&slow, *state, AF_UNIX, MAX_MSG);
    pair_open(&other, *state, AF_UNIX, MAX_MSG);
    sink_keep(&slow.sink);
    limit(slow.sink.conn, 1048576);
    for (int i = 0; rc == 0; i++) {
        assert_true(i < 1000);
        one = payload(100, 50000);
        rc = px_conn_send_take(slow.sink.conn, 100, &one, -1);
    }
    assert_int_equal(rc, PX_ERR_LOST_CONNECTION);
    assert_int_equal(sink_await_end(&slow.sink), PX_ERR_LOST_CONNECTION);
    assert_int_equal(queued(slow.sink.conn), 0);
    one = payload(100, 5);
    assert_int_equal(px_conn_send_take(other.sink.conn, 100, &one, -1), 0);
    assert_true(fixture_read(other.raw, header, sizeof(header)));
    pair_close(&slow);
    pair_close(&other);
}

/* Sends until it fails; how many were taken. */
static unsigned offer_all(struct px_conn *conn, unsigned percent, int *ret_rc)
{
    unsigned n = 0;

    for (*ret_rc = 0; *ret_rc == 0; n += *ret_rc == 0) {
        struct px_buf one = payload(100, 10000);

        assert_true(n < 1000);
        *ret_rc = px_conn_offer_take(conn, 100, &one, percent);
        assert_null(one.data);
    }
    return n;
}

/* Reads so many messages of that size. */
static void read_messages(int fd, unsigned n, size_t len)
{
    static unsigned char room[100000];

    for (unsigned i = 0; i < n; i++) {
        assert_true(fixture_read(fd, room, 16 + len));
    }
}

/* What the peer can do without has its part of the queue, and no more; the rest of the queue is for
 * what it cannot. When it has read all, the owner is told, once. */
static void offers_have_a_part_of_the_queue(void **state)
{
    struct pair pair;
    struct px_buf one;
    unsigned few;
    unsigned more;
    unsigned sent;
    int rc;

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    limit(pair.sink.conn, 1000000);
    few = offer_all(pair.sink.conn, 20, &rc);
    assert_int_equal(rc, PX_ERR_OUT_OF_RESOURCE);
    more = offer_all(pair.sink.conn, 50, &rc);
    assert_int_equal(rc, PX_ERR_OUT_OF_RESOURCE);
    assert_in_range(more, 29, 31); /* 30 percent of 1,000,000 bytes */
    assert_in_range(queued(pair.sink.conn), 480000, 500000);
    for (sent = 0; sent < 95; sent++) {
        one = payload(100, 10000);
        assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
    }
    assert_int_equal(px_load_acquire(&pair.sink.drains), 0);
    read_messages(pair.raw, few + more + sent, 10000);
    while (px_load_acquire(&pair.sink.drains) == 0) { /* pairs with sink_drained */
        sched_yield();
    }
    assert_int_equal(queued(pair.sink.conn), 0);
    one = payload(100, 10000);
    assert_int_equal(px_conn_offer_take(pair.sink.conn, 100, &one, 20), 0);
    read_messages(pair.raw, 1, 10000);
    assert_int_equal(px_load_acquire(&pair.sink.drains), 1);
    pair_close(&pair);
}

/* A message that is offered may wait alone, whatever its size, and stands in nobody's way. */
static void a_large_offer_waits_alone(void **state)
{
    struct pair pair;
    struct px_buf one = payload(100, 5000000);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    limit(pair.sink.conn, 100000);
    assert_int_equal(px_conn_offer_take(pair.sink.conn, 100, &one, 20), 0);
    one = payload(100, 10000);
    assert_int_equal(px_conn_offer_take(pair.sink.conn, 100, &one, 20), PX_ERR_OUT_OF_RESOURCE);
    for (int i = 0; i < 9; i++) {
        one = payload(100, 10000);
        assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
    }
    assert_true(queued(pair.sink.conn) > 1000000);
    pair_close(&pair);
}

/* One copy of the bytes is for all: who reads gets them, also when others wait still or are gone.
 */
static void a_payload_is_for_many(void **state)
{
    static unsigned char room[16 + 100000];
    struct px_buf bytes = payload(100, 100000);
    struct px_buf none = {0};
    struct px_parcel *one = px_parcel_take(&bytes, NULL, NULL);
    struct pair pairs[3];

    assert_null(px_parcel_take(&none, NULL, NULL));
    assert_null(bytes.data);
    assert_int_equal(px_parcel_len(one), 100000);
    for (int i = 0; i < 3; i++) {
        pair_open(&pairs[i], *state, AF_UNIX, MAX_MSG);
        for (int n = 0; n < 5; n++) {
            assert_int_equal(px_conn_offer(pairs[i].sink.conn, 100, one, 50), 0);
        }
        assert_true(queued(pairs[i].sink.conn) > 0);
    }
    px_parcel_drop(one);
    pair_close(&pairs[0]);
    for (int i = 1; i < 3; i++) {
        for (int n = 0; n < 5; n++) {
            assert_true(fixture_read(pairs[i].raw, room, sizeof(room)));
            for (size_t at = 0; at < 100000; at += 99) {
                assert_int_equal(room[16 + at], fixture_byte(100, at));
            }
        }
        pair_close(&pairs[i]);
    }
}

enum { BEFORE = 1000, LENT = 300000, BEHIND = 270000, WHOLE = BEFORE + LENT + BEHIND };

static void count_release(void *lender)
{
    (*(unsigned *) lender)++;
}

/* The payload of fixture_byte, of which the bytes in the middle are lent. */
static struct px_parcel *lending(unsigned *n_released)
{
    static unsigned char all[WHOLE];
    struct px_lent lent = {0};
    struct px_buf buf = {.lent = &lent};
    struct px_parcel *parcel;

    for (size_t at = 0; at < WHOLE; at++) {
        all[at] = fixture_byte(100, at);
    }
    px_buf_lend(&buf, all, BEFORE); /* too small to be lent */
    px_buf_lend(&buf, all + BEFORE, LENT);
    px_buf_lend(&buf, all + BEFORE + LENT, BEHIND); /* no second one is lent */
    assert_int_equal(buf.len, BEFORE + BEHIND);
    parcel = px_parcel_take(&buf, count_release, n_released);
    assert_int_equal(px_parcel_len(parcel), WHOLE);
    return parcel;
}

/* Who reads gets what is lent at its place; it is given back once, after the last has got it or is
 * gone. */
static void a_payload_may_be_lent(void **state)
{
    static unsigned char room[16 + WHOLE];
    unsigned n_released = 0;
    struct px_parcel *one = lending(&n_released);
    struct pair pairs[2];

    for (int i = 0; i < 2; i++) {
        pair_open(&pairs[i], *state, AF_UNIX, MAX_MSG);
        for (int n = 0; n < 3; n++) {
            assert_int_equal(px_conn_offer(pairs[i].sink.conn, 100, one, 50), 0);
        }
        assert_true(queued(pairs[i].sink.conn) > 0);
    }
    px_parcel_drop(one);
    for (int n = 0; n < 3; n++) {
        assert_true(fixture_read(pairs[0].raw, room, sizeof(room)));
        for (size_t at = 0; at < WHOLE; at++) {
            assert_int_equal(room[16 + at], fixture_byte(100, at));
        }
    }
    assert_int_equal(n_released, 0);
    pair_close(&pairs[0]);
    pair_close(&pairs[1]);
    assert_int_equal(n_released, 1);
}

static struct px_conn_pool pool;

static void join_pool(void *arg)
{
    struct pair *pair = arg;

    px_conn_join_loop(pair->sink.conn, &pool);
}

/* Connections of a pool have their limit together; what is alone in its queue is never too much.
 * What was read, or will never be, is not counted. */
static void a_pool_has_one_limit(void **state)
{
    struct pair pairs[2];
    unsigned n[2];
    int rc;

    pool.limit = 1000000;
    for (int i = 0; i < 2; i++) {
        pair_open(&pairs[i], *state, AF_UNIX, MAX_MSG);
        sink_keep(&pairs[i].sink);
        assert_int_equal(px_loop_run(*state, join_pool, &pairs[i]), 0);
    }
    n[0] = offer_all(pairs[0].sink.conn, 100, &rc);
    assert_int_equal(rc, PX_ERR_OUT_OF_RESOURCE);
    assert_in_range(pool.queued, 980000, 1000000);
    assert_int_equal(pool.queued, queued(pairs[0].sink.conn));
    n[1] = offer_all(pairs[1].sink.conn, 100, &rc);
    assert_int_equal(rc, PX_ERR_OUT_OF_RESOURCE);
    assert_true(queued(pairs[1].sink.conn) > 0 && queued(pairs[1].sink.conn) < 20000);
    assert_int_equal(pool.queued, queued(pairs[0].sink.conn) + queued(pairs[1].sink.conn));
    read_messages(pairs[1].raw, n[1], 10000);
    while (queued(pairs[1].sink.conn) > 0) {
        sched_yield();
    }
    assert_int_equal(px_load_acquire(&pool.queued), queued(pairs[0].sink.conn));
    pair_close(&pairs[0]);
    assert_int_equal(pool.queued, 0);
    assert_true(n[0] > n[1]);
    pair_close(&pairs[1]);
}

static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1024; fd++) {
        n += fcntl(fd, F_GETFD) >= 0;
    }
    return n;
}

/* What waits for a reader that does not read may not fill our descriptor table. */
static void few_descriptors_wait(void **state)
{
    struct pair pair;
    struct px_buf one;
    int before;
    int most = 0;
    int rc = 0;

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    sink_keep(&pair.sink);
    before = open_descriptors();
    for (int i = 0; rc == 0; i++) {
        assert_true(i < 5000);
        one = payload(100, 1000);
        rc = px_conn_send_take(pair.sink.conn, 100, &one, STDIN_FILENO);
        if (open_descriptors() - before > most) {
            most = open_descriptors() - before;
        }
    }
    assert_int_equal(rc, PX_ERR_LOST_CONNECTION);
    assert_in_range(most, 1, 64);
    assert_int_equal(sink_await_end(&pair.sink), PX_ERR_LOST_CONNECTION);
    assert_in_range(open_descriptors(), before - 1, before); /* its own goes with the stream */
    pair_close(&pair);
}

static void one_message_may_pass_the_limit(void **state)
{
    struct pair pair;
    struct px_buf one = payload(100, 3000000);
    unsigned char *room = malloc(3000016);

    assert_non_null(room);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    limit(pair.sink.conn, 1000);
    assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
    assert_true(fixture_read(pair.raw, room, 3000016));
    free(room);
    pair_close(&pair);
}

static void sending_to_nobody(void **state)
{
    struct pair pair;
    int rc = 0;

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    sink_keep(&pair.sink);
    (void) close(pair.raw);
    for (int i = 0; i < 3; i++) {
        struct px_buf one = payload(100, 10);

        rc = px_conn_send_take(pair.sink.conn, 100, &one, -1);
    }
    assert_int_equal(rc, PX_ERR_LOST_CONNECTION);
    assert_int_equal(sink_await_end(&pair.sink), PX_ERR_LOST_CONNECTION);
    pair.raw = -1;
    pair_close(&pair);
}

static void note_want(void *arg)
{
    struct pair *pair = arg;

    pair->max_msg = (size_t) pair->sink.conn->io.want;
}

/* A kernel that is short of memory, or has too many descriptors under way, says nothing when that
 * is over, and the socket has room all the time: the loop does not wait for room, and tries again.
 */
static void a_shortage_passes(void **state)
{
    static const int shortages[] = {ENOBUFS, ENOMEM, ETOOMANYREFS};

    for (size_t i = 0; i < 3; i++) {
        struct pair pair;
        struct px_buf one = payload(100, 10);

        pair_open(&pair, *state, AF_UNIX, MAX_MSG);
        px_store_release(&shortage, (uint64_t) shortages[i]);
        assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
        assert_int_equal(px_loop_run(*state, note_want, &pair), 0); /* behind the loop's own try */
        assert_int_equal(pair.max_msg, PX_IO_READ);
        assert_int_equal(queued(pair.sink.conn), 26);
        px_store_release(&shortage, 0);
        read_messages(pair.raw, 1, 10);
        while (px_load_acquire(&pair.sink.drains) == 0) { /* pairs with sink_drained */
            sched_yield();
        }
        pair_close(&pair);
    }
}

static uint64_t n_tries; /* of the drain; read behind px_loop_run */

static void drain(void *arg)
{
    px_store_release(&n_calls, 0);
    px_conn_drain_loop(arg, 60000, px_clock_ns() + 30 * UINT64_C(1000000));
    n_tries = px_load_acquire(&n_calls);
}

/* Nor does an owner that ends try without a pause until its deadline. */
static void a_shortage_while_draining(void **state)
{
    struct pair pair;
    struct px_buf one = payload(100, 10);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    px_store_release(&shortage, ENOBUFS);
    assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
    assert_int_equal(px_loop_run(*state, drain, pair.sink.conn), 0);
    assert_in_range(n_tries, 1, 40);
    assert_int_equal(queued(pair.sink.conn), 26);
    px_store_release(&shortage, 0);
    read_messages(pair.raw, 1, 10);
    pair_close(&pair);
}

enum { MANY = 3000, AT_ONCE = 600, SMALL = 26 };

static size_t n_left; /* bytes that send_once has left; read behind px_loop_run */

static void send_once(void *arg)
{
    px_store_release(&shortage, 0);
    (void) px_conn_flush_loop(arg);
    n_left = queued(arg);
}

/* Many small messages are not sent in one turn of the loop. */
static void small_messages_take_turns(void **state)
{
    struct pair pair;

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    px_store_release(&shortage, ENOBUFS);
    for (int i = 0; i < MANY; i++) {
        struct px_buf one = payload(100, 10);

        assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, -1), 0);
    }
    assert_int_equal(px_loop_run(*state, send_once, pair.sink.conn), 0);
    assert_in_range(n_left, SMALL * (MANY - AT_ONCE), SMALL * (MANY - 1));
    read_messages(pair.raw, MANY, 10);
    pair_close(&pair);
}

enum { SENDERS = 6, SENDS = 300 };

struct sender {
    pthread_t thread;
    struct px_conn *conn;
    uint32_t tag;
};

static void *send_many(void *arg)
{
    struct sender *sender = arg;

    for (size_t i = 0; i < SENDS; i++) {
        struct px_buf buf = payload(sender->tag, 1 + i * i % 9001);

        assert_int_equal(px_conn_send_take(sender->conn, sender->tag, &buf, -1), 0);
    }
    return NULL;
}

/* Two connections of one loop: whole messages, however the threads meet. */
static void threads_do_not_mix(void **state)
{
    struct pair to;
    struct pair from = {.loop = *state, .max_msg = MAX_MSG};
    struct sender senders[SENDERS];

    pair_open(&to, *state, AF_UNIX, MAX_MSG);
    from.fd = to.raw;
    assert_int_equal(fcntl(from.fd, F_SETFL, O_NONBLOCK), 0);
    sink_init(&from.sink);
    assert_int_equal(px_loop_run(*state, make_conn, &from), 0);
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.conn = from.sink.conn, .tag = 100 + (uint32_t) i};
        assert_int_equal(pthread_create(&senders[i].thread, NULL, send_many, &senders[i]), 0);
    }
    for (int i = 0; i < SENDERS; i++) {
        assert_int_equal(pthread_join(senders[i].thread, NULL), 0);
    }
    sink_await(&to.sink, SENDERS * SENDS);
    assert_int_equal(to.sink.bad, 0);
    assert_int_equal(px_loop_run(*state, destroy_conn, &from), 0);
    assert_int_equal(sink_await_end(&to.sink), PX_ERR_LOST_CONNECTION);
    sink_fini(&from.sink);
}

static void tcp_carries_no_descriptors(void **state)
{
    struct pair pair;
    struct px_buf one = payload(100, 4);
    unsigned char got[20];

    pair_open(&pair, *state, AF_INET, MAX_MSG);
    assert_false(px_conn_is_unix(pair.sink.conn));
    assert_int_equal(px_conn_send_take(pair.sink.conn, 100, &one, STDIN_FILENO), 0);
    assert_true(fixture_read(pair.raw, got, sizeof(got)));
    pair_close(&pair);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        T(the_header_is_as_written_down),
        T(empty_and_failed_payloads_are_not_sent),
        T(a_slow_reader_gets_it_all),
        T(one_that_never_reads_is_dropped),
        T(offers_have_a_part_of_the_queue),
        T(a_large_offer_waits_alone),
        T(a_payload_is_for_many),
        T(a_payload_may_be_lent),
        T(a_pool_has_one_limit),
        T(few_descriptors_wait),
        T(one_message_may_pass_the_limit),
        T(sending_to_nobody),
        T(a_shortage_passes),
        T(a_shortage_while_draining),
        T(small_messages_take_turns),
        T(threads_do_not_mix),
        T(tcp_carries_no_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
