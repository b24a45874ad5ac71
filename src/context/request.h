/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_REQUEST_H
#define PX_CONTEXT_REQUEST_H

/* The link: a client's or tool's connection to its server, with the requests under way. Each
 * request takes a fresh tag; its reply comes back under that tag on the loop thread. Requests may
 * be sent from any thread; when the socket takes the bytes at once, the loop is not woken. */

#include <stdint.h>

#include "src/base/buf.h"
#include "src/net/conn.h"
#include "src/wire/codec.h"

struct px_link;

/* Receives the end of one request; called exactly once, on the loop thread. `status` is 0 when a
 * reply came: `reply` is then its payload from the start, its own status included, borrowed for the
 * call. Otherwise `status` is an error of ours (PMIX_ERR_LOST_CONNECTION, PMIX_ERR_TIMEOUT) and
 * `reply` is NULL. */
typedef void (*px_reply_fn)(void *arg, int status, struct px_in *reply);

/* What the owner of a link is called with, `arg` first. Loop thread. */
struct px_link_ops {
    /* A message that is no reply: an event, output, anything with a tag below PX_TAG_FIRST. */
    void (*notice)(void *arg, uint32_t tag, struct px_in *in);
    /* The stream has ended, and all pending requests have been answered. */
    void (*lost)(void *arg);
    /* A reply is delivered next. Takes the descriptor that came with it; -1: none. May be NULL:
     * descriptors are closed. */
    void (*reply)(void *arg, int fd);
};

/* Makes a link of a connected descriptor, which it takes over, also on failure. index: our number
 * at the server, for message headers; kind: the encoding. Notices may come before it returns. Any
 * thread but the loop's. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNREACH (forked child). */
int px_link_open(struct px_loop *loop, int fd, uint32_t index, enum px_wire_kind kind,
                 const struct px_link_ops *ops, void *arg, struct px_link **ret);

/* Answers all pending requests with PMIX_ERR_LOST_CONNECTION, and so every later one. The stream
 * stays open, and the link until px_link_close; when the stream ends, `lost` is called as ever. Any
 * thread but the loop's. Takes NULL; does nothing in a forked child. */
void px_link_shut(struct px_link *link);

/* Answers all pending requests with PMIX_ERR_LOST_CONNECTION, closes the stream and frees the link;
 * `lost` is not called. No other thread may be using the link. Any thread but the loop's. Takes
 * NULL; does nothing in a forked child. */
void px_link_close(struct px_link *link);

/* The same on the loop's thread. */
void px_link_close_loop(struct px_link *link);

/* Ends the stream as if the server had: pending requests are answered, `lost` is called, the
 * descriptor is closed. The link itself stays for threads that still hold it, and refuses requests.
 * Any thread but the loop's. */
void px_link_hang_up(struct px_link *link);

/* The encoding of the link. Any thread. */
enum px_wire_kind px_link_kind(const struct px_link *link);

/* Sends a request. Takes the payload, also on failure. timeout_ms 0: none. Any thread. 0: fn will
 * be called once. PMIX_ERR_LOST_CONNECTION (also in a forked child), PMIX_ERR_NOMEM, or an error of
 * px_conn_send_take: it will not. */
int px_link_request_take(struct px_link *link, struct px_buf *payload, uint64_t timeout_ms,
                         px_reply_fn fn, void *arg);

/* Sends a message that has no reply. Tag PX_TAG_FIRST or above stands for a fresh one. Takes the
 * payload, also on failure. Any thread. 0, PMIX_ERR_LOST_CONNECTION (also in a forked child), or an
 * error of px_conn_send_take. */
int px_link_post_take(struct px_link *link, uint32_t tag, struct px_buf *payload);

/* Messages sent and received so far, for reports. Any thread. */
void px_link_counts(const struct px_link *link, uint64_t *ret_sent, uint64_t *ret_received);

#endif
