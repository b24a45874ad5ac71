/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_WRITE_H
#define PX_NET_CONN_WRITE_H

#include <stdbool.h>
#include <stdint.h>

struct px_buf;
struct px_conn;

/* Any thread. Steals the bytes of `payload` (left empty), also on failure. `fd` (or -1) rides along
 * on an AF_UNIX stream (elsewhere it is ignored); it is duplicated as needed and stays the
 * caller's. 0, PX_ERR_NOMEM, PX_ERR_LOST_CONNECTION, PX_ERR_BAD_PARAM (empty or over 4 GiB: no such
 * message exists), PX_ERR_OUT_OF_RESOURCE (fd could not be duplicated; nothing was sent). */
int px_conn_send_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload, int fd);

/* conn_write.c */
void px_conn_out_drop(struct px_conn *conn);

/* Writes what the kernel takes. True when nothing is left. */
bool px_conn_flush(struct px_conn *conn);

/* The same, and keeps the watcher in step with what is left. */
void px_conn_flush_loop(struct px_conn *conn);

#endif
