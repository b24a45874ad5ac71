/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_DISPATCH_H
#define PX_SERVER_DISPATCH_H

#include <stdint.h>

#include <pmix_server.h>

#include "src/request/schema.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"

struct px_buf;
struct px_peer;
struct px_reply;
struct px_reply_type;
struct px_server;

/* Who asked, and how the answer gets back: a peer's request, or a call of this process's own. */
struct px_reply_to {
    uint64_t peer; /* 0: not a peer */
    uint32_t tag;
    struct px_completion own; /* of a call of our own; without `done` nobody waits for the answer */
};

static inline struct px_reply_to px_reply_to_peer(const struct px_peer *peer, uint32_t tag)
{
    return (struct px_reply_to){.peer = peer->id, .tag = tag};
}

/* A handler has answered, or will, when it returns 0; otherwise the dispatcher answers with the
 * status, and hangs up if it says that the request could not be read. */
typedef int (*px_handler)(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

void px_answer_status(struct px_server *s, const struct px_reply_to *reply_to,
                      pmix_status_t status);

/* The completion may take what the reply points at. */
void px_answer(struct px_server *s, const struct px_reply_to *reply_to,
               const struct px_reply_type *type, struct px_reply *reply);

/* Sends a built reply to a peer, or a failure when building it failed. */
void px_answer_take(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf);

/* The same with a segment of another namespace (px_peer_offer), or -1. */
void px_answer_offer(struct px_server *s, const struct px_reply_to *reply_to, struct px_buf *buf,
                     int fd);

void px_dispatch(struct px_peer *peer, uint32_t tag, const void *payload, size_t len);

#endif
