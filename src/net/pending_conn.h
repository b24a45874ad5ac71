/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_PENDING_CONN_H
#define PX_NET_PENDING_CONN_H

/* A pending connection: accepted, but not yet admitted. Until its handshake has arrived the
 * listeners own it; then it is reported (px_listener_ops), and the owner of the listeners admits or
 * refuses it. Everything happens on the loop thread. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pmix.h>

struct px_conn;
struct px_conn_ops;
struct px_listeners;
struct px_pending_conn;

/* The caller's own pointer with a pending connection, for `gone`. Initially NULL. */
void px_pending_conn_set_data(struct px_pending_conn *pending, void *data);
void *px_pending_conn_data(const struct px_pending_conn *pending);

/* When it arrived, by px_clock_ns. */
uint64_t px_pending_conn_since(const struct px_pending_conn *pending);

/* Refuses: sends `status` if it is not 0, then closes and frees the pending connection. */
void px_pending_conn_refuse(struct px_pending_conn *pending, int32_t status);

/* Admits a client: sends status 0 and its index, and makes a connection of the pending one, with
 * ops and arg for it. The pending connection is freed in any case. 0, PX_ERR_NOMEM,
 * PX_ERR_LOST_CONNECTION; on failure the stream is closed. */
int px_pending_conn_admit(struct px_pending_conn *pending, uint32_t index,
                          const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* Admits a tool: sends status 0, the name given to it (NULL: it has one), the server's name,
 * security status 0. Otherwise as px_pending_conn_admit; the index is the server's rank. */
int px_pending_conn_admit_tool(struct px_pending_conn *pending, const pmix_proc_t *assigned,
                               const pmix_proc_t *server, const struct px_conn_ops *ops, void *arg,
                               struct px_conn **ret);

/* Takes over a descriptor that was just accepted and waits for its handshake. uid: whose it is, or
 * (uid_t) -1. named: the kernel names the process, too. Closes it if there is no memory. For
 * listener.c, as are the next two. */
void px_pending_conn_arrived_loop(struct px_listeners *listeners, int fd, uid_t uid, bool named);

/* Makes a pending connection of a connected descriptor whose peer is known already, and waits for
 * no answer: it is as if its handshake had been reported. Takes the descriptor over, also on
 * failure. NULL: no memory. */
struct px_pending_conn *px_pending_conn_identified_loop(struct px_listeners *listeners, int fd);

/* Closes a connection without a handshake: the oldest of the user that has most. False: there is
 * none. */
bool px_pending_conn_drop_loop(struct px_listeners *listeners);

/* Closes all connections without a handshake, and those that were reported, with `gone`. */
void px_pending_conn_drop_all_loop(struct px_listeners *listeners);

#endif
