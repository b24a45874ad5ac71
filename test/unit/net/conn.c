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
#include <sys/stat.h>

#include <cmocka.h>

#include "src/net/conn_priv.h"
#include "test/unit/net/fixture.h"

/* One end is a connection, the other a raw socket, or a second connection. */

enum { MAX_MSG = 64 * 1048576 };

struct pair {
    struct px_loop *loop;
    struct sink sink;
    int raw;
    size_t max_msg;
    int fd;
    int domain;
};

static void make_conn(void *arg)
{
    struct pair *pair = arg;

    assert_int_equal(px_conn_create_loop(pair->loop, pair->fd, 7, pair->max_msg, &sink_ops, &pair->sink,
                                         &pair->sink.conn),
                     0);
}

static void tcp_pair(int ends[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listener, (struct sockaddr *) &at, sizeof(at)), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *) &at, &len), 0);
    ends[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends[1], (struct sockaddr *) &at, sizeof(at)), 0);
    ends[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(ends[0] >= 0);
    (void) close(listener);
}

static void pair_open(struct pair *pair, struct px_loop *loop, int domain, size_t max_msg)
{
    int ends[2];

    if (domain == AF_UNIX) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    } else {
        tcp_pair(ends);
    }
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pair->loop = loop;
    pair->fd = ends[0];
    pair->raw = ends[1];
    pair->max_msg = max_msg;
    pair->domain = domain;
    sink_init(&pair->sink);
    assert_int_equal(px_loop_run(loop, make_conn, pair), 0);
}

static void destroy_conn(void *arg)
{
    px_conn_destroy_loop(((struct pair *) arg)->sink.conn);
}

/* When the connection was not destroyed by its own end. */
static void pair_close(struct pair *pair)
{
    assert_int_equal(px_loop_run(pair->loop, destroy_conn, pair), 0);
    (void) close(pair->raw);
    sink_fini(&pair->sink);
}

static struct px_buf payload(uint32_t tag, size_t len)
{
    struct px_buf buf = {0};
    unsigned char *bytes = px_buf_extend(&buf, len);

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++) {
        bytes[i] = fixture_byte(tag, i);
    }
    return buf;
}

static struct px_buf frame(uint32_t tag, size_t len)
{
    struct px_buf buf = {0};
    struct px_buf body = payload(tag, len);
    unsigned char header[16];

    fixture_header(header, tag, (uint32_t) len);
    px_buf_append(&buf, header, sizeof(header));
    px_buf_append(&buf, body.data, body.len);
    px_buf_fini(&body);
    return buf;
}

static int setup(void **state)
{
    struct px_loop *loop;

    alarm(120);
    if (px_loop_create(false, &loop)) {
        return -1;
    }
    *state = loop;
    return 0;
}

static int teardown(void **state)
{
    px_loop_destroy(*state);
    return 0;
}

static void read_in_any_pieces(void **state)
{
    static const size_t sizes[] = {1, 2, 100, 16367, 16368, 16369, 16384, 65535, 65536, 65537, 300000, 5000000, 3};
    uint64_t seed = 20260101;
    struct px_buf all = {0};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct px_buf one = frame((uint32_t) i + 100, sizes[i]);

        px_buf_append(&all, one.data, one.len);
        px_buf_fini(&one);
    }
    for (int round = 0; round < 4; round++) {
        struct pair pair;
        size_t at = 0;

        pair_open(&pair, *state, round % 2 ? AF_UNIX : AF_INET, MAX_MSG);
        while (at < all.len) {
            size_t step = 1 + fixture_random(&seed) % (round < 2 ? 700000 : 9000);

            step = step < all.len - at ? step : all.len - at;
            fixture_write(pair.raw, all.data + at, step);
            at += step;
        }
        sink_await(&pair.sink, sizeof(sizes) / sizeof(sizes[0]));
        assert_int_equal(pair.sink.bad, 0);
        assert_int_equal(pair.sink.last_len, 3);
        pair_close(&pair);
    }
    px_buf_fini(&all);
}

static void byte_by_byte(void **state)
{
    struct pair pair;
    struct px_buf one = frame(101, 40);

    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    for (size_t i = 0; i < one.len; i++) {
        fixture_write(pair.raw, one.data + i, 1);
        fixture_settle(*state);
    }
    sink_await(&pair.sink, 1);
    assert_int_equal(pair.sink.bad, 0);
    assert_int_equal(pair.sink.last_tag, 101);
    px_buf_fini(&one);
    pair_close(&pair);
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
    failed.failed = true;
    assert_int_equal(px_conn_send_take(pair.sink.conn, 101, &failed, -1), PX_ERR_NOMEM);
    assert_null(failed.data);
    assert_int_equal(px_conn_queued(pair.sink.conn), 0);
    pair_close(&pair);
}

static void an_empty_message_is_an_end(void **state)
{
    struct pair pair;
    unsigned char header[16];

    pair_open(&pair, *state, AF_INET, MAX_MSG);
    fixture_header(header, 5, 0);
    fixture_write(pair.raw, header, sizeof(header));
    assert_int_equal(sink_await_end(&pair.sink), PX_ERR_LOST_CONNECTION);
    assert_false(fixture_read(pair.raw, header, 1));
    (void) close(pair.raw);
}

static void too_much_is_refused(void **state)
{
    struct pair pair;
    unsigned char header[16];

    pair_open(&pair, *state, AF_UNIX, 1000);
    fixture_header(header, 5, 1001);
    fixture_write(pair.raw, header, sizeof(header));
    assert_int_equal(sink_await_end(&pair.sink), PX_ERR_UNPACK_FAILURE);
    assert_int_equal(pair.sink.messages, 0);
    (void) close(pair.raw);
}

static void look_at_room(void *arg)
{
    struct pair *pair = arg;

    assert_in_range(pair->sink.conn->in.big_cap, 1, 65536);
}

static void an_announcement_costs_nothing(void **state)
{
    struct pair pair;
    unsigned char header[16];
    unsigned char some[1000] = {0};

    pair_open(&pair, *state, AF_UNIX, UINT32_MAX);
    fixture_header(header, 5, UINT32_MAX);
    fixture_write(pair.raw, header, sizeof(header));
    fixture_write(pair.raw, some, sizeof(some));
    do {
        fixture_settle(*state);
    } while (poll(&(struct pollfd){.fd = pair.fd, .events = POLLIN}, 1, 0) > 0);
    assert_int_equal(px_loop_run(*state, look_at_room, &pair), 0);
    (void) close(pair.raw);
    assert_int_equal(sink_await_end(&pair.sink), PX_ERR_LOST_CONNECTION);
    assert_int_equal(pair.sink.messages, 0);
}

static void ends_at_every_place(void **state)
{
    struct px_buf one = frame(100, 20);
    int before = fixture_descriptors();

    for (size_t cut = 0; cut < one.len; cut++) {
        struct pair pair;

        pair_open(&pair, *state, AF_UNIX, MAX_MSG);
        fixture_write(pair.raw, one.data, cut);
        (void) close(pair.raw);
        assert_int_equal(sink_await_end(&pair.sink), PX_ERR_LOST_CONNECTION);
        assert_int_equal(pair.sink.messages, 0);
    }
    fixture_settle(*state);
    assert_int_equal(fixture_descriptors(), before);
    px_buf_fini(&one);
}

/* --- writing --- */

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
        assert_true(px_conn_queued(pair.sink.conn) > 0);
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
        assert_int_equal(px_conn_queued(pair.sink.conn), 0);
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
    px_conn_limit(slow.sink.conn, 1048576);
    for (int i = 0; rc == 0; i++) {
        assert_true(i < 1000);
        one = payload(100, 50000);
        rc = px_conn_send_take(slow.sink.conn, 100, &one, -1);
    }
    assert_int_equal(rc, PX_ERR_LOST_CONNECTION);
    assert_int_equal(sink_await_end(&slow.sink), PX_ERR_LOST_CONNECTION);
    assert_int_equal(px_conn_queued(slow.sink.conn), 0);
    one = payload(100, 5);
    assert_int_equal(px_conn_send_take(other.sink.conn, 100, &one, -1), 0);
    assert_true(fixture_read(other.raw, header, sizeof(header)));
    pair_close(&slow);
    pair_close(&other);
}

static void one_message_may_pass_the_limit(void **state)
{
    struct pair pair;
    struct px_buf one = payload(100, 3000000);
    unsigned char *room = malloc(3000016);

    assert_non_null(room);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    px_conn_limit(pair.sink.conn, 1000);
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

/* --- ends --- */

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

/* --- descriptors --- */

static ino_t inode(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return st.st_ino;
}

/* The descriptor of a message arrives with that message, however the messages before and behind it are packed. */
static void descriptors_ride_on_their_message(void **state)
{
    struct pair to;
    struct pair from = {.loop = *state, .max_msg = MAX_MSG};
    uint64_t seed = 7;
    ino_t sent[64];
    int before = fixture_descriptors();

    pair_open(&to, *state, AF_UNIX, MAX_MSG);
    assert_true(px_conn_is_unix(to.sink.conn));
    from.fd = to.raw;
    assert_int_equal(fcntl(from.fd, F_SETFL, O_NONBLOCK), 0);
    sink_init(&from.sink);
    assert_int_equal(px_loop_run(*state, make_conn, &from), 0);
    for (uint32_t i = 0; i < 64; i++) {
        size_t len = fixture_random(&seed) % 4 ? 1 + fixture_random(&seed) % 100 : 200000;
        struct px_buf buf = payload(100 + i, len);
        int ends[2] = {-1, -1};

        sent[i] = 0;
        if (fixture_random(&seed) % 2) {
            assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
            sent[i] = inode(ends[0]);
        }
        assert_int_equal(px_conn_send_take(from.sink.conn, 100 + i, &buf, ends[0]), 0);
        if (ends[0] >= 0) {
            (void) close(ends[0]);
            (void) close(ends[1]);
        }
    }
    sink_await(&to.sink, 64);
    assert_int_equal(to.sink.bad, 0);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(to.sink.fds[i] >= 0, sent[i] != 0);
        if (sent[i]) {
            assert_int_equal(inode(to.sink.fds[i]), sent[i]);
            assert_true(fcntl(to.sink.fds[i], F_GETFD) & FD_CLOEXEC);
            (void) close(to.sink.fds[i]);
        }
    }
    assert_int_equal(px_loop_run(*state, destroy_conn, &from), 0);
    (void) sink_await_end(&to.sink);
    fixture_settle(*state);
    assert_int_equal(fixture_descriptors(), before);
    sink_fini(&from.sink);
}

static void send_with_fds(int sock, const void *bytes, size_t len, const int *fds, size_t n)
{
    union {
        struct cmsghdr align;
        unsigned char bytes[CMSG_SPACE(16 * sizeof(int))];
    } control = {0};
    struct iovec iov = {(void *) (uintptr_t) bytes, len};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes};
    struct cmsghdr *c;

    msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
    c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    assert_int_equal(sendmsg(sock, &msg, MSG_NOSIGNAL), (ssize_t) len);
}

/* A peer that sends many, with every byte, keeps none of them open here. */
static void surplus_descriptors_are_closed(void **state)
{
    struct px_buf one = frame(100, 30);
    int fds[16];
    struct pair pair;
    int before;

    for (int i = 0; i < 16; i++) {
        fds[i] = STDIN_FILENO;
    }
    before = fixture_descriptors();
    for (size_t n = 1; n <= 16; n++) {
        pair_open(&pair, *state, AF_UNIX, MAX_MSG);
        for (size_t i = 0; i < one.len; i++) {
            send_with_fds(pair.raw, one.data + i, 1, fds, n);
        }
        sink_await(&pair.sink, 1);
        assert_true(pair.sink.fds[0] >= 0);
        (void) close(pair.sink.fds[0]);
        fixture_write(pair.raw, one.data, 3);
        send_with_fds(pair.raw, one.data + 3, 5, fds, n); /* left behind in half a header */
        (void) close(pair.raw);
        (void) sink_await_end(&pair.sink);
        fixture_settle(*state);
        assert_int_equal(fixture_descriptors(), before);
    }
    px_buf_fini(&one);
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

/* Noise, many times over: nothing but a refusal or patience may come of it. */
static void garbage(void **state)
{
    uint64_t seed = 4711;
    int before = fixture_descriptors();

    for (int round = 0; round < 300; round++) {
        struct pair pair;
        unsigned char noise[512];
        size_t len = 1 + fixture_random(&seed) % sizeof(noise);

        for (size_t i = 0; i < len; i++) {
            noise[i] = fixture_random(&seed) % 3 ? (unsigned char) fixture_random(&seed) : 0;
        }
        pair_open(&pair, *state, AF_UNIX, 100000);
        fixture_write(pair.raw, noise, len);
        (void) close(pair.raw);
        (void) sink_await_end(&pair.sink);
    }
    fixture_settle(*state);
    assert_int_equal(fixture_descriptors(), before);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(read_in_any_pieces),
        T(byte_by_byte),
        T(the_header_is_as_written_down),
        T(empty_and_failed_payloads_are_not_sent),
        T(an_empty_message_is_an_end),
        T(too_much_is_refused),
        T(an_announcement_costs_nothing),
        T(ends_at_every_place),
        T(a_slow_reader_gets_it_all),
        T(one_that_never_reads_is_dropped),
        T(one_message_may_pass_the_limit),
        T(sending_to_nobody),
        T(threads_do_not_mix),
        T(destroy_inside_message),
        T(destroy_sends_what_it_can),
        T(descriptors_ride_on_their_message),
        T(surplus_descriptors_are_closed),
        T(tcp_carries_no_descriptors),
        T(garbage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
