/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_REQUEST_H
#define PX_CONTEXT_REQUEST_H

#include <stdint.h>

#include "src/base/buf.h"
#include "src/net/conn.h"
#include "src/wire/codec.h"

/* Requests from a client or tool to its server: each takes a fresh tag, its reply comes back under
 * that tag on the loop thread. Sending may happen in any thread and, when the socket takes the
 * bytes, without waking the loop. */

struct px_link; /* one connection to a server, with the requests under way on it */

/* reply: NULL when there is none because `status` is an error of ours (PMIX_ERR_LOST_CONNECTION,
 * PMIX_ERR_TIMEOUT); otherwise positioned after nothing: the handler unpacks STATUS itself. fd: -1
 * or a descriptor to own. Called exactly once, on the loop thread. */
typedef void (*px_reply_fn)(void *arg, int status, struct px_in *reply, int fd);

struct px_link_ops {
    void (*notice)(void *arg, uint32_t tag,
                   struct px_in *in); /* tags below PX_TAG_FIRST; loop thread */
    void (*lost)(void *arg);          /* after all pending requests were answered */
    /* Or NULL. A descriptor came with a reply, which is delivered next. Takes it and returns -1, or
     * returns it for the reply's function. Loop thread. */
    int (*descriptor)(void *arg, int fd);
};

/* Takes over the descriptor, also on failure. Notices may come before it returns. Any thread but
 * the loop's. */
int px_link_open(struct px_loop *loop, int fd, uint32_t index, enum px_wire_kind kind,
                 const struct px_link_ops *ops, void *arg, struct px_link **ret);

/* Pending requests are answered with PMIX_ERR_LOST_CONNECTION, and so is every later one. The link
 * stays until px_link_close. Any thread but the loop's; takes NULL. */
void px_link_shut(struct px_link *link);

/* Pending requests are answered with PMIX_ERR_LOST_CONNECTION, `lost` is not called. Nobody else
 * may be using the link. Any thread but the loop's; takes NULL. */
void px_link_close(struct px_link *link);

/* Ends the stream as if the server had, `lost` included, and closes its descriptor; the link itself
 * stays, and refuses requests, for whoever may still hold it. Any thread but the loop's. */
void px_link_hang_up(struct px_link *link);

enum px_wire_kind px_link_kind(const struct px_link *link);

/* Steals the payload, also on failure. timeout_ms 0: none. On 0 the reply function will be called;
 * on an error (PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOMEM) it will not. */
int px_link_request_take(struct px_link *link, struct px_buf *payload, uint64_t timeout_ms,
                         px_reply_fn fn, void *arg);

/* One-way: no reply is expected. A tag from PX_TAG_FIRST up stands for a fresh one. Steals the
 * payload. */
int px_link_post_take(struct px_link *link, uint32_t tag, struct px_buf *payload);

/* Messages sent and received so far, for reports. */
void px_link_counts(const struct px_link *link, uint64_t *ret_sent, uint64_t *ret_received);

#endif
