/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SEGMENT_OFFER_H
#define PX_SERVER_SEGMENT_OFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "src/wire/codec.h"

struct px_buf;
struct px_nspace;
struct px_peer;
struct px_server;

/* Of the peer's own namespace, if it shares it and has not been sent this generation. */
int px_peer_new_segment(struct px_peer *peer, struct px_nspace *ns);

/* Has its own segment moved since one was sent? Then the next one rides on whatever goes to it. */
int px_peer_moved_segment(struct px_peer *peer);

/* Does it read this namespace, its own or another, by a segment that it was sent? */
bool px_peer_reads(const struct px_peer *peer, const struct px_nspace *ns);

/* Does it, or will it when it needs to? */
bool px_peer_may_read(const struct px_peer *peer, const struct px_nspace *ns);

/* Of another namespace, if it may have it and has not been sent this generation. That one waits
 * where its own next one is to ride on the same message: px_peer_has_news. */
bool px_peer_has_news(const struct px_peer *peer, const struct px_nspace *ns);
int px_peer_offer(struct px_peer *peer, const struct px_nspace *ns);

/* It says what it has; a later one has not arrived. Or it cannot use it: messages from now on. */
void px_peer_has_only(struct px_peer *peer, const struct px_nspace *ns, uint32_t generation);
void px_peer_cannot_read(struct px_peer *peer, const struct px_nspace *ns);
void px_offers_nspace_removed(struct px_server *s, const struct px_nspace *ns);

/* The one value that stands for job information: it is in the segment that rides on the message. */
int px_pack_segment(struct px_buf *buf, enum px_wire_kind kind);

#endif
