/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTENER_PRIV_H
#define PX_NET_LISTENER_PRIV_H

#include "src/base/list.h"
#include "src/net/listener.h"
#include "src/net/listen.h"

/* Inside of the listeners, shared by listener.c (listening) and pending_conn.c (one connection
 * until it is admitted). */

/* Unidentified connections at once, at most, and no more than a quarter of the descriptor table. */
enum { PX_LISTENER_MAX_PENDING = 1024 };

struct px_listener_socket {
    struct px_listeners *listeners;
    struct px_io io;
    int fd; /* -1: shut */
};

/* Loop thread, once open. */
struct px_listeners {
    struct px_loop *loop;
    size_t max_msg;
    unsigned handshake_ms;
    struct px_listener_ops ops;
    void *arg;
    struct px_listener_socket unix_socket;
    struct px_listener_socket tcp_socket;
    int reserve_fd;        /* a descriptor kept to be given up when the table is full, or -1 */
    struct px_timer pause; /* nothing could be given up: listening rests for a moment */
    /* pending connections that have not introduced themselves, oldest first */
    struct px_list unidentified;
    size_t n_unidentified;
    size_t max_unidentified;
    struct px_list waiting; /* pending connections whose handshake was handed over */
    struct px_socket_file mark;
    char unix_uri[PX_URI_BYTES];
    char tcp_uri[PX_URI_BYTES];
};

#endif
