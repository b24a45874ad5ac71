/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_NET_PAIR_H
#define PX_TEST_UNIT_NET_PAIR_H

/* One end is a connection, the other a raw socket that the test holds. Included after cmocka and
 * fcntl.h. */

#include "test/unit/net/fixture.h"

enum { MAX_MSG = 64 * 1048576 };

struct pair {
    struct px_loop *loop;
    struct sink sink;
    int raw;
    size_t max_msg;
    int fd;
    int domain;
};

static inline void make_conn(void *arg)
{
    struct pair *pair = arg;

    assert_int_equal(px_conn_create_loop(pair->loop, pair->fd, 7, pair->max_msg, &sink_ops,
                                         &pair->sink, &pair->sink.conn),
                     0);
}

static inline void tcp_pair(int ends[2])
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

static inline void pair_open(struct pair *pair, struct px_loop *loop, int domain, size_t max_msg)
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

static inline void destroy_conn(void *arg)
{
    px_conn_destroy_loop(((struct pair *) arg)->sink.conn);
}

/* When the connection was not destroyed by its own end. */
static inline void pair_close(struct pair *pair)
{
    assert_int_equal(px_loop_run(pair->loop, destroy_conn, pair), 0);
    (void) close(pair->raw);
    sink_fini(&pair->sink);
}

static inline struct px_buf payload(uint32_t tag, size_t len)
{
    struct px_buf buf = {0};
    unsigned char *bytes = px_buf_extend(&buf, len);

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++) {
        bytes[i] = fixture_byte(tag, i);
    }
    return buf;
}

static inline struct px_buf frame(uint32_t tag, size_t len)
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

/* The state of a test is its loop. */
static inline int pair_setup(void **state)
{
    struct px_loop *loop;

    alarm(120);
    if (px_loop_create(false, &loop)) {
        return -1;
    }
    *state = loop;
    return 0;
}

static inline int pair_teardown(void **state)
{
    px_loop_destroy(*state);
    return 0;
}

#endif
