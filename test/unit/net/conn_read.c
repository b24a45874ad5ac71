/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "src/base/clock.h"
#include "src/loop/wait.h"
#include "src/net/conn_pool.h"
#include "src/net/conn_priv.h"
#include "test/unit/loop/asleep.h"
#include "test/unit/net/pair.h"
#include "src/net/conn_write.h"

static void read_in_any_pieces(void **state)
{
    static const size_t sizes[] = {1,     2,     100,   16367,  16368,   16369, 16384,
                                   65535, 65536, 65537, 300000, 5000000, 3};
    uint64_t seed = 20260101;
    struct px_buf all = {0};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct px_buf one = frame((uint32_t) i + 100, sizes[i]);

        px_buf_append(&all, one.data, one.len);
        px_buf_fini(&one);
        one = frame(SINK_UNWANTED, 16369 + i * 17000);
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

/* Two messages arrive at once, and the owner ends the connection at the first. */
static void nothing_comes_behind_the_end(void **state)
{
    struct px_buf two = frame(100, 20);
    struct px_buf second = frame(101, 30);
    struct pair pair;

    px_buf_append(&two, second.data, second.len);
    pair_open(&pair, *state, AF_UNIX, MAX_MSG);
    pair.sink.destroy_on_message = true;
    fixture_write(pair.raw, two.data, two.len);
    sink_await(&pair.sink, 1);
    fixture_settle(*state);
    assert_int_equal(pair.sink.messages, 1);
    assert_int_equal(pair.sink.last_tag, 100);
    (void) close(pair.raw);
    sink_fini(&pair.sink);
    px_buf_fini(&second);
    px_buf_fini(&two);
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

/* --- descriptors --- */

static ino_t inode(int fd)
{
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    return st.st_ino;
}

/* The descriptor of a message arrives with that message, however the messages before and behind it
 * are packed. */
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
        sink_await_some(&to.sink, i > 12 ? i - 12 : 0); /* only so many descriptors may wait */
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

/* --- turns --- */

/* So many messages, each of which takes half of a turn. */
enum { LONG_MESSAGES = 20, LONG_NS = 1000000 };

/* Two users: one who has much to say, by two connections, and one who has little. */
static struct pair much[2];
static struct pair little;
static struct px_conn_pool pools[2];
static unsigned had_come; /* messages of the first user when that of the second was handled */

static unsigned come_of(struct pair *pair)
{
    unsigned n;

    (void) pthread_mutex_lock(&pair->sink.lock);
    n = pair->sink.messages;
    (void) pthread_mutex_unlock(&pair->sink.lock);
    return n;
}

static bool handle(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    uint64_t end = px_clock_ns() + LONG_NS;

    if (arg == &little.sink) {
        had_come = come_of(&much[0]) + come_of(&much[1]);
    }
    while (arg != &little.sink && px_clock_ns() < end) {
    }
    return sink_message(arg, tag, payload, len, fd);
}

static void write_much(struct pair *pair)
{
    for (int i = 0; i < LONG_MESSAGES; i++) {
        struct px_buf one = frame(101, 40);

        fixture_write(pair->raw, one.data, one.len);
        px_buf_fini(&one);
    }
}

/* Whatever is said is there before the loop looks. */
static void say_all(void *arg)
{
    struct px_buf one = frame(100, 40);

    (void) arg;
    for (int i = 0; i < 2; i++) {
        much[i].sink.conn->ops.message = handle;
        px_conn_join_loop(much[i].sink.conn, &pools[0]);
        write_much(&much[i]);
    }
    little.sink.conn->ops.message = handle;
    px_conn_join_loop(little.sink.conn, &pools[1]);
    fixture_write(little.raw, one.data, one.len);
    px_buf_fini(&one);
}

/* Who has much to say waits when he has had his time, on all of his connections; nothing is lost,
 * also if its sender is gone by then. */
static void each_user_has_a_turn(void **state)
{
    pair_open(&much[0], *state, AF_UNIX, MAX_MSG);
    pair_open(&much[1], *state, AF_UNIX, MAX_MSG);
    pair_open(&little, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_loop_run(*state, say_all, NULL), 0);
    sink_await(&little.sink, 1);
    assert_in_range(had_come, 0, LONG_MESSAGES / 4);
    (void) shutdown(much[1].raw, SHUT_WR);
    assert_int_equal(sink_await_end(&much[1].sink), PX_ERR_LOST_CONNECTION);
    assert_int_equal(come_of(&much[1]), LONG_MESSAGES);
    sink_await(&much[0].sink, LONG_MESSAGES);
    assert_int_equal(much[0].sink.bad + much[1].sink.bad, 0);
    (void) close(much[1].raw);
    sink_fini(&much[1].sink);
    pair_close(&much[0]);
    pair_close(&little);
}

/* A long message that takes many parts, between short ones. When it has begun another user says
 * something. */
enum { PARTS = 40, LONG_LEN = PX_CONN_LONG + 1 };

static unsigned others; /* messages of the other user when the long one was done */

static bool handle_part(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    uint64_t end = px_clock_ns() + LONG_NS;
    bool again;

    while (len > PX_CONN_LONG && px_clock_ns() < end) {
    }
    if (len > PX_CONN_LONG && much[0].sink.part == 1) {
        struct px_buf one = frame(100, 40);

        fixture_write(little.raw, one.data, one.len);
        px_buf_fini(&one);
    }
    again = sink_message(arg, tag, payload, len, fd);
    if (len > PX_CONN_LONG && !again) {
        others = come_of(&little);
    }
    return again;
}

static void expect_parts(void *arg)
{
    (void) arg;
    much[0].sink.conn->ops.message = handle_part;
    much[0].sink.parts = PARTS;
    px_conn_join_loop(much[0].sink.conn, &pools[0]);
    px_conn_join_loop(little.sink.conn, &pools[1]);
}

/* The sender of a long message writes it in a thread of its own: it is more than a socket takes. */
static void *write_long(void *arg)
{
    struct px_buf all = frame(101, 40);
    struct px_buf one = frame(102, LONG_LEN);
    struct px_buf last = frame(103, 40);

    (void) arg;
    px_buf_append(&all, one.data, one.len);
    px_buf_append(&all, last.data, last.len);
    fixture_write(much[0].raw, all.data, all.len);
    (void) shutdown(much[0].raw, SHUT_WR);
    px_buf_fini(&all);
    px_buf_fini(&one);
    px_buf_fini(&last);
    return NULL;
}

static void a_long_message_in_parts(void **state)
{
    pthread_t writer;

    others = 0;
    pair_open(&much[0], *state, AF_UNIX, MAX_MSG);
    pair_open(&little, *state, AF_UNIX, MAX_MSG);
    assert_int_equal(px_loop_run(*state, expect_parts, NULL), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_long, NULL), 0);
    assert_int_equal(sink_await_end(&much[0].sink), PX_ERR_LOST_CONNECTION);
    (void) pthread_join(writer, NULL);
    assert_int_equal(come_of(&much[0]), 3);
    assert_int_equal(much[0].sink.last_tag, 103);
    assert_int_equal(much[0].sink.bad, 0);
    assert_int_equal(others, 1);
    (void) close(much[0].raw);
    sink_fini(&much[0].sink);
    pair_close(&little);
}

/* The connection is destroyed between two parts: nothing is left of the message. */
static void destroy_between_parts(void **state)
{
    struct px_buf one = frame(102, LONG_LEN);

    pair_open(&much[0], *state, AF_UNIX, MAX_MSG);
    much[0].sink.parts = UINT32_MAX;
    fixture_write(much[0].raw, one.data, one.len);
    px_buf_fini(&one);
    for (bool begun = false; !begun;) {
        (void) pthread_mutex_lock(&much[0].sink.lock);
        begun = much[0].sink.part > 1;
        (void) pthread_mutex_unlock(&much[0].sink.lock);
        (void) sched_yield();
    }
    assert_int_equal(come_of(&much[0]), 0);
    pair_close(&much[0]);
}

enum { AT_ONCE = 3 };

/* Messages that come at once, for a thread that waits for the first of them and borrows the
 * connection. */
struct waiting {
    struct px_loop *loop;
    struct px_conn *conn;
    int ends[2];
    pid_t tid;
    struct px_wait wait;
    int n; /* messages so far; loop thread */
    pid_t readers[AT_ONCE];
    sem_t all;
};

static bool one_of_three(void *arg, uint32_t tag, const void *bytes, size_t len, int fd)
{
    struct waiting *waiting = arg;

    (void) bytes;
    assert_int_equal(fd, -1);
    assert_int_equal(tag, 100 + waiting->n);
    assert_int_equal(len, 10);
    waiting->readers[waiting->n] = thread_id();
    waiting->n++;
    if (waiting->n == 1) {
        px_wait_done(&waiting->wait, 0);
    } else if (waiting->n == AT_ONCE) {
        (void) sem_post(&waiting->all);
    }
    return false;
}

static void no_end(void *arg, int status)
{
    (void) arg;
    fail_msg("the stream has ended: %d", status);
}

static const struct px_conn_ops waiting_ops = {.message = one_of_three, .closed = no_end};

static void start_and_offer(void *arg)
{
    struct waiting *waiting = arg;

    px_conn_start_loop(waiting->conn);
}

static void destroy_waiting(void *arg)
{
    px_conn_destroy_loop(((struct waiting *) arg)->conn);
}

static void *write_three(void *arg)
{
    struct waiting *waiting = arg;
    struct px_buf all = {0};

    for (uint32_t i = 0; i < AT_ONCE; i++) {
        struct px_buf one = frame(100 + i, 10);

        px_buf_append(&all, one.data, one.len);
        px_buf_fini(&one);
    }
    await_call(waiting->tid, WAITER_SLEEPS);
    fixture_write(waiting->ends[1], all.data, all.len);
    px_buf_fini(&all);
    return NULL;
}

/* The waiter handles what comes up to its message, and the loop's own thread the rest. */
static void a_waiter_reads_no_more_than_its_own(void **state)
{
    struct waiting waiting = {.loop = *state, .tid = thread_id()};
    pthread_t thread;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, waiting.ends), 0);
    assert_int_equal(sem_init(&waiting.all, 0, 0), 0);
    px_wait_init(&waiting.wait);
    assert_int_equal(px_conn_create(waiting.loop, waiting.ends[0], 7, MAX_MSG, &waiting_ops,
                                    &waiting, &waiting.conn),
                     0);
    assert_int_equal(px_loop_run(waiting.loop, start_and_offer, &waiting), 0);
    await_idle(waiting.loop);
    assert_int_equal(pthread_create(&thread, NULL, write_three, &waiting), 0);
    assert_int_equal(px_loop_wait(waiting.loop, &waiting.wait), 0);
    while (sem_wait(&waiting.all) != 0) {
    }
    assert_int_equal(waiting.readers[0], waiting.tid);
    for (int i = 1; i < AT_ONCE; i++) {
        assert_int_not_equal(waiting.readers[i], waiting.tid);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(px_loop_run(waiting.loop, destroy_waiting, &waiting), 0);
    (void) close(waiting.ends[1]);
    (void) sem_destroy(&waiting.all);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        T(read_in_any_pieces),
        T(byte_by_byte),
        T(an_empty_message_is_an_end),
        T(nothing_comes_behind_the_end),
        T(too_much_is_refused),
        T(an_announcement_costs_nothing),
        T(ends_at_every_place),
        T(descriptors_ride_on_their_message),
        T(surplus_descriptors_are_closed),
        T(garbage),
        T(each_user_has_a_turn),
        T(a_long_message_in_parts),
        T(destroy_between_parts),
        T(a_waiter_reads_no_more_than_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
