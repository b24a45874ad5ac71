/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_H
#define PX_NET_CONN_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/loop/loop.h"

/* One connected stream that carries framed messages (16-byte header: index, tag, length, 0; network
 * order). Reads happen on the loop thread. Writes may start in any thread: when nothing is queued
 * the bytes go out at once in the caller's thread, what the kernel does not take is queued and the
 * loop finishes it. A peer that reads too slowly makes the queue grow up to the limit (of bytes, or
 * of the few descriptors that may wait) and is then closed; it never blocks anybody. */

struct px_conn;

struct px_conn_ops {
    /* Loop thread. `payload` is borrowed for the call. `fd` is a descriptor that rode on the
     * message, or -1; the callee owns it. */
    void (*message)(void *arg, uint32_t tag, const void *payload, size_t len, int fd);
    /* Loop thread, once, last call: the stream ended or was closed for `status`
     * (PX_ERR_LOST_CONNECTION, or what was wrong with the peer's bytes). The callee must
     * px_conn_destroy_loop() it, now or later; the descriptor goes when it returns. */
    void (*closed)(void *arg, int status);
};

/* Takes over a connected non-blocking descriptor. index: our sender's index in headers.
 * max_msg: largest payload accepted, in bytes. 0 or PX_ERR_NOMEM (fd is then closed too). Any
 * thread; nothing is read, and the owner hears nothing, before px_conn_start_loop(). */
int px_conn_create(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                   const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* Loop thread, once. Without memory the connection ends: `closed` with PX_ERR_NOMEM. */
void px_conn_start_loop(struct px_conn *conn);

/* Both; no connection is left when either fails. Loop thread. */
int px_conn_create_loop(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                        const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* True on an AF_UNIX stream, where descriptors can be passed. */
int px_conn_is_unix(const struct px_conn *conn);

/* Ends the stream as if the peer had, after what is queued was sent as far as the kernel takes it:
 * `closed` is called if it has not been. The connection stays, and sends nothing any more. Loop
 * thread. */
void px_conn_hang_up_loop(struct px_conn *conn);

/* Sends what is queued as far as the kernel takes it, closes, frees. No callback afterwards. Takes
 * NULL. */
void px_conn_destroy_loop(struct px_conn *conn);

/* Reports the end, once. */
void px_conn_close_loop(struct px_conn *conn, int status);

#endif
