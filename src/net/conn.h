/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_H
#define PX_NET_CONN_H

/* A connection: one connected stream that carries framed messages (16-byte header: index, tag,
 * length, 0; network order). It is made of a descriptor after the handshake, on both sides.
 *
 * Reads happen on the loop thread. Writes may start in any thread (px_conn_send_take,
 * conn_write.h): when nothing is queued the bytes are sent at once in the caller's thread; what the
 * kernel does not take is queued, and the loop sends it. A peer that reads too slowly makes the
 * queue grow up to the limit (of bytes, or of the few descriptors that may wait); then the
 * connection is closed. A message that the peer can do without (px_conn_offer_take) is not queued
 * beyond a part of the limit, and never the reason for closing. A send never blocks.
 *
 * The end of the stream is reported once, on the loop thread, to `closed`; then the owner destroys
 * the connection. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/buf.h"
#include "src/loop/loop.h"

struct px_conn;
struct px_conn_pool;

/* The payload of a longer message keeps its address while the message is handled in parts. */
enum { PX_CONN_LONG = 65536 };

/* What the owner of a connection is called with, `arg` first. Loop thread. */
struct px_conn_ops {
    /* A message has arrived. `payload` is borrowed for the call. `fd` is the descriptor passed with
     * the message, which the callee owns, or -1. True: the callee
     * has handled a part of it, and is called with it again, without a descriptor; the payload of
     * a message of up to PX_CONN_LONG bytes has another address then. Other connections may have
     * their turn before, and nothing else of this one is delivered. */
    bool (*message)(void *arg, uint32_t tag, const void *payload, size_t len, int fd);
    /* A message that is to be received into memory of its own has begun: its length, and its first
     * bytes, 8 at least. 0: it is not wanted, and is discarded as it arrives. The callee must
     * not end the connection. NULL: all are wanted. */
    int (*begins)(void *arg, uint32_t tag, const void *first, size_t have, size_t len);
    /* Once, the last call: the stream has ended. `status` is PX_ERR_LOST_CONNECTION, PX_ERR_NOMEM,
     * or PX_ERR_UNPACK_FAILURE for bytes that make no frame. The owner calls px_conn_destroy_loop()
     * now or later; the descriptor is closed when this returns. */
    void (*closed)(void *arg, int status);
    /* The peer has taken everything that had to wait for it. NULL: not wanted. */
    void (*drained)(void *arg);
};

/* Makes a connection of a connected, non-blocking descriptor, which it takes over, also on failure.
 * index: our sender's index in headers; max_msg: largest payload that is accepted, in bytes. Any
 * thread. Nothing is read, and no callback made, before px_conn_start_loop(). 0 or PX_ERR_NOMEM. */
int px_conn_create(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                   const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* Begins to read. Threads that wait in the loop may borrow the connection (src/loop/loan.h), if the
 * loop offers no other. Loop thread, once. Without memory the connection ends: `closed` is called
 * with PX_ERR_NOMEM. */
void px_conn_start_loop(struct px_conn *conn);

/* px_conn_create and px_conn_start_loop in one. Loop thread. 0 or PX_ERR_NOMEM; then there is no
 * connection, no callback was made, and fd is closed. */
int px_conn_create_loop(struct px_loop *loop, int fd, uint32_t index, size_t max_msg,
                        const struct px_conn_ops *ops, void *arg, struct px_conn **ret);

/* From now on the connection's queue is counted in the pool, too. If the pool is full nothing more
 * is queued behind something: as if the connection's own limit were reached. Loop thread, before
 * anything was sent. */
void px_conn_join_loop(struct px_conn *conn, struct px_conn_pool *pool);

/* Bytes that wait for the peer. Any thread. */
size_t px_conn_queued(struct px_conn *conn);

/* True on an AF_UNIX stream, where descriptors can be passed. Any thread. */
int px_conn_is_unix(const struct px_conn *conn);

/* Receives and delivers what is there, a bounded amount, without waiting for the connection's turn.
 * The connection may end, or be destroyed by its owner, meanwhile. False: nothing was read, since
 * the connections of its pool have been read for long enough in this turn of the loop. Loop thread,
 * outside of the connection's own callbacks. */
bool px_conn_read_now_loop(struct px_conn *conn);

/* Ends the stream as if the peer had: sends what is queued as far as the kernel takes it, then
 * calls `closed` if it has not been called. The connection stays, and sends nothing any more. Loop
 * thread. */
void px_conn_hang_up_loop(struct px_conn *conn);

/* Sends what is queued as far as the kernel takes it, and closes. No callback is made afterwards;
 * the memory is freed at once or, within a callback of the connection, when that has returned. Loop
 * thread. Takes NULL. */
void px_conn_destroy_loop(struct px_conn *conn);

/* Ends the stream and calls `closed`, unless that was done before. For conn*.c. Loop thread. */
void px_conn_close_loop(struct px_conn *conn, int status);

#endif
