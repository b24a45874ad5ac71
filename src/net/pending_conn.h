/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_PENDING_CONN_H
#define PX_NET_PENDING_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

struct px_conn;
struct px_conn_ops;
struct px_listeners;
struct px_pending_conn;

/* Caller's mark on a pending connection, for `gone`. */
void px_pending_conn_set_data(struct px_pending_conn *pending, void *data);
void *px_pending_conn_data(const struct px_pending_conn *pending);

/* Refuses: sends `status` when it is not 0, then closes. */
void px_pending_conn_refuse(struct px_pending_conn *pending, int32_t status);

/* Answers a client (status 0 and its index) and turns the pending connection into a connection. The
 * ops and arg serve the new connection. On failure the pending connection is gone. 0, PX_ERR_NOMEM,
 * PX_ERR_LOST_CONNECTION. */
int px_pending_conn_admit(struct px_pending_conn *pending, uint32_t index,
                          const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* Answers a tool: status 0, its id when it asked for one (else NULL), the server's id, security
 * status 0. */
int px_pending_conn_admit_tool(struct px_pending_conn *pending, const pmix_proc_t *assigned,
                               const pmix_proc_t *server, const struct px_conn_ops *ops, void *arg,
                               struct px_conn **ret);

/* Takes over an accepted descriptor. */
void px_pending_conn_arrived_loop(struct px_listeners *listeners, int fd);

/* Closes the unidentified connection that has been here longest; false when there is none. */
bool px_pending_conn_drop_oldest_loop(struct px_listeners *listeners);

/* Closes all unidentified connections; those that wait for an answer are reported gone. */
void px_pending_conn_drop_all_loop(struct px_listeners *listeners);

#endif
