/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_SENDER_H
#define PX_NET_CONN_SENDER_H

/* The process at the other end of a connection that both ends were not made for: SO_PEERCRED names
 * the maker of a pair of sockets, only a message says who sent it.
 */

#include <stdbool.h>
#include <sys/types.h>

struct msghdr;
struct px_conn;

/* Who has sent the first bytes, by the kernel's word; not known: none have come, or it was not
 * asked. */
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

/* Notes who has sent what was received, the first time only: after that the kernel is not asked any
 * more. For conn_read.c. */
void px_conn_sender_received(struct px_conn *conn, struct msghdr *msg);

#endif
