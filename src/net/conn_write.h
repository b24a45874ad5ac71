/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NET_CONN_WRITE_H
#define PX_NET_CONN_WRITE_H

/* The writing half of a connection: the exported send, and what conn.c needs of it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct px_buf;
struct px_conn;

/* The pause between two attempts to send while the kernel is short of memory. */
enum { PX_CONN_RETRY_MS = 5 };

/* The bytes of a message for several peers, of which there is one copy, however many of them have
 * to wait. Any thread. */
struct px_parcel;

/* Takes the bytes of a buffer (left empty, also on failure), and what is lent to it: `release` is
 * called with `lender` when nothing is lent any more, by whoever drops the parcel last. To be
 * dropped by who made it. NULL: the buffer has failed or is empty, or memory is out; then, and if
 * nothing is lent, `release` is not called. */
struct px_parcel *px_parcel_take(struct px_buf *buf, void (*release)(void *), void *lender);
size_t px_parcel_len(const struct px_parcel *payload);
/* Frees it when the last message that waits has been sent. Takes NULL. */
void px_parcel_drop(struct px_parcel *payload);

/* Sends a message. Takes the bytes of `payload` (left empty), also on failure. `fd` (or -1) is
 * passed with the message on an AF_UNIX stream and ignored elsewhere; it stays the caller's and is
 * duplicated if the message has to wait. Any thread, never blocks. 0: sent or queued.
 * PX_ERR_LOST_CONNECTION; PX_ERR_NOMEM (nothing was sent, or the connection is closed);
 * PX_ERR_BAD_PARAM (empty or over 4 GiB: no such message exists); PX_ERR_OUT_OF_RESOURCE (fd could
 * not be duplicated; nothing was sent). */
int px_conn_send_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload, int fd);

/* The same with a payload that others are sent, too; it stays the caller's. */
int px_conn_send(struct px_conn *conn, uint32_t tag, struct px_parcel *payload, int fd);

/* As px_conn_send_take, without a descriptor, for a message that the peer can do without. If
 * something waits, it may wait, too, as long as such messages have at most `percent` of the queue's
 * limit, and the pool is not full; PX_ERR_OUT_OF_RESOURCE: it was not sent for that. */
int px_conn_offer_take(struct px_conn *conn, uint32_t tag, struct px_buf *payload,
                       unsigned percent);

/* The same with a payload that others are sent, too; it stays the caller's. */
int px_conn_offer(struct px_conn *conn, uint32_t tag, struct px_parcel *payload, unsigned percent);

/* Discards the queue and closes its descriptors. Under conn->lock. */
void px_conn_out_drop(struct px_conn *conn);

/* Sends what is queued as far as the kernel takes it. True if the queue is empty afterwards. */
bool px_conn_flush(struct px_conn *conn);

/* Sends some of what is queued, then watches the descriptor for writing as long as something is
 * queued, and calls `drained` when nothing is any more. True: the kernel is short of memory, and it
 * is to be called again after PX_CONN_RETRY_MS. Loop thread; its caller in conn.c has entered the
 * connection. */
bool px_conn_flush_loop(struct px_conn *conn);

/* Sends what is queued while the peer reads: gives up when it has read nothing for `patience_ms`,
 * or at the deadline, a time of px_clock_ns. Blocks: only for an owner that ends. Loop thread. */
void px_conn_drain_loop(struct px_conn *conn, int patience_ms, uint64_t deadline_ns);

#endif
