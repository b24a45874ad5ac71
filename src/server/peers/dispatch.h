/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_DISPATCH_H
#define PX_SERVER_DISPATCH_H

/* Messages of peers to their handlers, and answers back to reply targets. Each request is answered
 * once, at the latest when the server stops; only PX_CMD_DEREGEVENTS has no answer. Loop thread. */

#include <stdint.h>

#include <pmix_server.h>

#include "src/request/schema.h"
#include "src/wire/codec.h"

struct px_peer;
struct px_server;

/* Reply target: the peer's request, or the call of this process, that an answer is for. A plain
 * value without ownership; it may outlive the peer, since the peer is found by its id when the
 * answer is sent. */
struct px_reply_to {
    uint64_t peer; /* px_peer.id; 0: a call of this process */
    uint32_t tag;
    uint64_t request;          /* the open request that the answer closes (quota.h); 0: none */
    struct px_completion self; /* of this process's call; `done` NULL: the answer is dropped */
};

/* The reply target of the request with this tag, which the dispatcher is at. */
struct px_reply_to px_reply_to_peer(const struct px_peer *peer, uint32_t tag);

/* A handler serves one command; `in` is behind the command. It returns 0 if it has answered or will
 * answer later. With any other status the dispatcher answers, and closes the connection if the
 * status means that the request could not be read. */
typedef int (*px_handler)(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

/* True if the rest of a message is so long that its handler may leave a step (step.h). */
bool px_is_long(const struct px_in *in);

/* Drops the message of which a part has been handled, if there is one, and closes its request
 * without an answer. */
void px_parts_drop(struct px_peer *peer);

/* Answers with a status and nothing else. PMIX_OPERATION_SUCCEEDED becomes PMIX_SUCCESS. A peer
 * that has disconnected is ignored. */
void px_answer_status(struct px_server *s, const struct px_reply_to *reply_to,
                      pmix_status_t status);

/* Answers with a reply of the given type. The reply stays the caller's, but a completion may take
 * the objects that it points at, leaving NULL. A peer that has disconnected is ignored. */
void px_answer(struct px_server *s, const struct px_reply_to *reply_to,
               const struct px_reply_type *type, struct px_reply *reply);

/* Sends a packed reply to a peer and leaves buf empty. If packing failed, PMIX_ERR_NOMEM is sent
 * instead. Passes the next generation of the peer's own segment, if there is one. */
void px_answer_take(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf);

/* As px_answer_take, but passes the given descriptor: that of a segment of another namespace
 * (px_peer_offer), or -1 for none. fd stays the caller's. */
void px_answer_offer(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf,
                     int fd);

/* Closes a request that nobody can answer any more: its peer is gone, and what served it is
 * freed. */
void px_answer_nobody(struct px_server *s, const struct px_reply_to *reply_to);

/* Not 0 if a message of a peer that begins so is to be received. A request that is longer than
 * those of its kind (shmix_small_request) is answered with PMIX_ERR_OUT_OF_RESOURCE. */
int px_dispatch_wanted(void *peer, uint32_t tag, const void *first, size_t have, size_t len);

/* Serves one message of a peer, or goes on with it if px_is_in_part; the payload is borrowed for
 * the call. If px_is_in_part afterwards, that of a long message (px_is_long) stays borrowed. An
 * empty message sets peer->doomed. The peer may be closed when this returns, but its memory is
 * still valid. */
void px_dispatch(struct px_peer *peer, uint32_t tag, const void *payload, size_t len);

/* True if a part of the message at the front of the peer's connection has been handled. */
bool px_is_in_part(const struct px_peer *peer);

#endif
