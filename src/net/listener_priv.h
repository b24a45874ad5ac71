/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_LISTENER_PRIV_H
#define PX_NET_LISTENER_PRIV_H

/* The inside of the listeners, shared by listener.c (listening) and pending_conn.c (a connection
 * until it is admitted) only. */

#include "src/base/list.h"
#include "src/net/listener.h"
#include "src/net/listen.h"
#include "fd_table.h"
#include "strangers.h"

/* Bounds on connections whose handshake is not complete: their number, which is also at most a
 * quarter of the descriptor table, and the bytes that they have sent together. */
enum { PX_LISTENER_MAX_PENDING = 1024, PX_LISTENER_MAX_PENDING_BYTES = 4 << 20 };

/* One of the two listening sockets. */
struct px_listener_socket {
    struct px_listeners *listeners;
    struct px_io io;
    int fd; /* -1: closed */
};

/* Both listeners and the connections that are pending. Owned by the server. Used on the loop thread
 * once open. */
struct px_listeners {
    struct px_loop *loop;
    /* As opened. */
    size_t max_msg;
    unsigned handshake_ms;
    struct px_listener_ops ops;
    void *arg;
    /* The two sockets, and what happens when accept fails. */
    struct px_listener_socket unix_socket;
    struct px_listener_socket tcp_socket;
    /* What the kernel says of TCP peers (px_auth_names_tcp); asked when the first one comes. */
    enum { PX_TCP_UNASKED, PX_TCP_NAMED, PX_TCP_UNNAMED } tcp_users;
    struct px_fd_table_room fd_room;
    int last_fd;    /* of the connection that was accepted last */
    int reserve_fd; /* closed to accept one more when the table is full (glossary); -1: none */
    struct px_timer pause;         /* no accepting until it fires */
    struct px_strangers strangers; /* pending connections whose handshake has not arrived */
    size_t max_strangers;
    struct px_list waiting;     /* pending connections whose handshake was reported */
    struct px_socket_file mark; /* file of unix_socket, if it has one */
    /* Addresses without the server's name; "": that listener is closed. */
    char unix_uri[PX_URI_BYTES];
    char tcp_uri[PX_URI_BYTES];
};

#endif
