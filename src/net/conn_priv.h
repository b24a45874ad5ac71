/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_PRIV_H
#define PX_NET_CONN_PRIV_H

#include <stdbool.h>

#include "src/base/list.h"
#include "src/base/lock.h"
#include "src/net/conn.h"

/* Inside of a connection, shared by conn.c, conn_read.c and conn_write.c. */

enum { PX_CONN_HEADER = 16 };

/* A descriptor that arrived and the place in the stream of the last byte that came with it. */
struct px_conn_passed_fd {
    int fd; /* -1: free */
    uint64_t at;
};

struct px_conn_in {
    unsigned char *small; /* fixed room: headers and small messages */
    size_t start;         /* first unread byte in small */
    size_t end;           /* first free byte in small */
    unsigned char *big;   /* one payload that does not fit small, or NULL */
    size_t big_len;       /* announced */
    size_t big_have;      /* arrived */
    size_t big_cap;       /* allocated: grows with what arrives */
    uint32_t big_tag;
    uint64_t consumed; /* bytes of the stream that were delivered */
    struct px_conn_passed_fd passed_fds[2];
};

struct px_conn {
    struct px_loop *loop;
    int fd;
    bool is_unix;
    uint32_t index;
    size_t max_msg;
    struct px_conn_ops ops;
    void *arg;
    struct px_io io;      /* loop thread */
    struct px_conn_in in; /* loop thread */
    unsigned busy;        /* loop thread: callbacks on the stack */
    bool closed;          /* loop thread: no more callbacks */
    bool destroyed;       /* loop thread */
    struct px_task wake;  /* lock: in flight while wake_posted */
    struct px_lock lock;
    bool wake_posted;     /* lock */
    bool broken;          /* lock: nothing goes out any more */
    struct px_list queue; /* lock: struct out, oldest first */
    size_t queued;        /* lock: bytes */
    size_t queued_fds;    /* lock: descriptors that ride on them */
    size_t limit;         /* lock */
};

#endif
