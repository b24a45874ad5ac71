/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_SENDER_H
#define PX_NET_CONN_SENDER_H

/* The process at the other end of a connection that was made by socketpair(2) and passed on.
 * SO_PEERCRED names the process that made the pair. Only the credentials that come with the bytes
 * (SO_PASSCRED) name the process that sent them. */

#include <stdbool.h>
#include <sys/types.h>

struct msghdr;
struct px_conn;

/* The sender of the first bytes, as the kernel has named it. It is not known if no bytes have come,
 * or if px_conn_note_sender_loop was not called. */
struct px_conn_sender {
    bool known;
    uid_t uid;
    gid_t gid;
    pid_t pid;
};

/* Asks for the sender of the first bytes; the socket must have SO_PASSCRED. Loop thread, before
 * anything was received. */
void px_conn_note_sender_loop(struct px_conn *conn);
struct px_conn_sender px_conn_sender_loop(const struct px_conn *conn);

/* Stores the sender of the bytes that were received with `msg`, and turns SO_PASSCRED off. For
 * conn_read.c, which calls it once. Loop thread. */
void px_conn_sender_received(struct px_conn *conn, struct msghdr *msg);

#endif
