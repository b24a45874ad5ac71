/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TEST_UNIT_NET_FIXTURE_H
#define PX_TEST_UNIT_NET_FIXTURE_H

/* What the tests of this layer share. Included last, after cmocka. */

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/base/atomic.h"
#include "src/base/status.h"
#include "src/loop/loop.h"
#include "src/net/conn.h"

/* Open descriptors of this process. */
static inline int fixture_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(dir);
    while (readdir(dir)) {
        n++;
    }
    closedir(dir);
    return n;
}

/* Places in this process's table of descriptors, which the kernel enlarges when they are all
 * taken. */
static inline int fixture_table_size(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    int n = -1;

    assert_non_null(file);
    while (n < 0 && fgets(line, sizeof(line), file)) {
        (void) sscanf(line, "FDSize: %d", &n);
    }
    (void) fclose(file);
    assert_true(n > 0);
    return n;
}

/* Writes all of it on a blocking socket. */
static inline void fixture_write(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

        assert_true(n > 0);
        at += n;
        len -= (size_t) n;
    }
}

/* Reads exactly len bytes; false when the stream ends before. */
static inline bool fixture_read(int fd, void *room, size_t len)
{
    char *at = room;

    while (len > 0) {
        ssize_t n = recv(fd, at, len, 0);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        len -= (size_t) n;
    }
    return true;
}

static inline void fixture_header(unsigned char header[16], uint32_t tag, uint32_t len)
{
    uint32_t words[4] = {htonl(3), htonl(tag), htonl(len), 0};

    memcpy(header, words, sizeof(words));
}

/* Repeatable noise. */
static inline uint32_t fixture_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) (*seed >> 33);
}

static inline unsigned char fixture_byte(uint32_t tag, size_t i)
{
    return (unsigned char) (tag * 31 + i * 7 + (i >> 8));
}

/* One end that counts what comes. All fields under lock. */
struct sink {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    struct px_conn *conn;
    unsigned messages;
    uint32_t last_tag;
    size_t last_len;
    unsigned bad;
    unsigned closed;
    int status;
    int fds[64]; /* by message number, -1 without */
    bool destroy_on_message;
    unsigned parts;     /* in which messages are handled that are long enough; 0: at once */
    size_t long_enough; /* from so many bytes */
    unsigned part;
    bool keep_on_close;
    uint64_t drains; /* by px_fetch_add */
};

static inline void sink_init(struct sink *sink)
{
    memset(sink, 0, sizeof(*sink));
    (void) pthread_mutex_init(&sink->lock, NULL);
    (void) pthread_cond_init(&sink->cond, NULL);
    sink->long_enough = PX_CONN_LONG + 1;
    for (size_t i = 0; i < 64; i++) {
        sink->fds[i] = -1;
    }
}

static inline void sink_fini(struct sink *sink)
{
    (void) pthread_cond_destroy(&sink->cond);
    (void) pthread_mutex_destroy(&sink->lock);
}

static inline bool sink_message(void *arg, uint32_t tag, const void *payload, size_t len, int fd)
{
    struct sink *sink = arg;
    const unsigned char *bytes = payload;
    bool good = true;

    for (size_t i = 0; i < len; i++) {
        good = good && bytes[i] == fixture_byte(tag, i);
    }
    (void) pthread_mutex_lock(&sink->lock);
    sink->bad += !good || (sink->part && fd >= 0);
    if (len >= sink->long_enough && sink->part + 1 < sink->parts) {
        sink->part++;
        if (fd >= 0) {
            (void) close(fd);
        }
        (void) pthread_mutex_unlock(&sink->lock);
        return true;
    }
    sink->part = 0;
    if (sink->messages < 64) {
        sink->fds[sink->messages] = fd;
    } else if (fd >= 0) {
        (void) close(fd);
    }
    sink->messages++;
    sink->last_tag = tag;
    sink->last_len = len;
    if (sink->destroy_on_message) {
        px_conn_destroy_loop(sink->conn);
    }
    (void) pthread_cond_broadcast(&sink->cond);
    (void) pthread_mutex_unlock(&sink->lock);
    return false;
}

static inline void sink_closed(void *arg, int status)
{
    struct sink *sink = arg;

    (void) pthread_mutex_lock(&sink->lock);
    if (!sink->keep_on_close) {
        px_conn_destroy_loop(sink->conn);
    }
    sink->closed++;
    sink->status = status;
    (void) pthread_cond_broadcast(&sink->cond); /* the sink may be gone behind the unlock */
    (void) pthread_mutex_unlock(&sink->lock);
}

static void sink_drained(void *arg)
{
    (void) px_fetch_add(&((struct sink *) arg)->drains, 1);
}

/* The tag of messages that are not wanted if they are long. */
enum { SINK_UNWANTED = 9999 };

static inline int sink_begins(void *arg, uint32_t tag, const void *first, size_t have, size_t len)
{
    (void) arg;
    (void) first;
    return tag != SINK_UNWANTED || have > len;
}

static const struct px_conn_ops sink_ops = {
    .message = sink_message, .begins = sink_begins, .closed = sink_closed, .drained = sink_drained};

static inline void sink_keep(struct sink *sink)
{
    (void) pthread_mutex_lock(&sink->lock);
    sink->keep_on_close = true;
    (void) pthread_mutex_unlock(&sink->lock);
}

/* Blocks until at least as many messages have come. */
static inline void sink_await_some(struct sink *sink, unsigned messages)
{
    (void) pthread_mutex_lock(&sink->lock);
    while (sink->messages < messages && !sink->closed) {
        (void) pthread_cond_wait(&sink->cond, &sink->lock);
    }
    (void) pthread_mutex_unlock(&sink->lock);
}

/* Blocks until as many messages have come. */
static inline void sink_await(struct sink *sink, unsigned messages)
{
    (void) pthread_mutex_lock(&sink->lock);
    while (sink->messages < messages && !sink->closed) {
        (void) pthread_cond_wait(&sink->cond, &sink->lock);
    }
    assert_int_equal(sink->messages, messages);
    (void) pthread_mutex_unlock(&sink->lock);
}

static inline int sink_await_end(struct sink *sink)
{
    int status;

    (void) pthread_mutex_lock(&sink->lock);
    while (!sink->closed) {
        (void) pthread_cond_wait(&sink->cond, &sink->lock);
    }
    assert_int_equal(sink->closed, 1);
    status = sink->status;
    (void) pthread_mutex_unlock(&sink->lock);
    return status;
}

static inline void nothing(void *arg)
{
    (void) arg;
}

/* What the loop was doing has been done. */
static inline void fixture_settle(struct px_loop *loop)
{
    assert_int_equal(px_loop_run(loop, nothing, NULL), 0);
}

#endif
