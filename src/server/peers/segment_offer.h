/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SEGMENT_OFFER_H
#define PX_SERVER_SEGMENT_OFFER_H

/* The server's bookkeeping of which peer was sent the descriptor of which segment, generation by
 * generation. Functions that return a descriptor return the store's own, borrowed, or -1 for none;
 * they note that it was sent, so the caller has to send it. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include "src/wire/codec.h"

struct px_buf;
struct px_nspace;
struct px_peer;
struct px_server;

/* The segment of the peer's own namespace, if the peer maps it and has not been sent this
 * generation. */
int px_peer_new_segment(struct px_peer *peer, struct px_nspace *ns);

/* The next generation of the peer's own segment, if the peer was sent an earlier one: it is passed
 * with the next reply to the peer, whatever that answers. */
int px_peer_moved_segment(struct px_peer *peer);

/* True if the peer was sent a segment of this namespace, its own or another, and can read it. */
bool px_peer_reads(const struct px_peer *peer, const struct px_nspace *ns);

/* True if px_peer_reads, or if the peer will be offered the segment when it needs the namespace's
 * data. */
bool px_peer_may_read(const struct px_peer *peer, const struct px_nspace *ns);

/* True if px_peer_offer would offer another namespace's segment now. False while the peer's own
 * next generation has to be sent, since a message carries one descriptor. */
bool px_peer_has_news(const struct px_peer *peer, const struct px_nspace *ns);

/* The segment of another namespace, if the peer may read it and has not been sent this generation.
 */
int px_peer_offer(struct px_peer *peer, const struct px_nspace *ns);

/* The peer reports which generation of another namespace it has: a later one that was sent has not
 * arrived, and may be sent again. */
void px_peer_has_only(struct px_peer *peer, const struct px_nspace *ns, uint32_t generation);

/* The peer cannot map the segment of this other namespace: it reads it by messages from now on. */
void px_peer_cannot_read(struct px_peer *peer, const struct px_nspace *ns);

/* Forgets all offers of a namespace that is about to be freed. */
void px_offers_nspace_removed(struct px_server *s, const struct px_nspace *ns);

/* Packs the value that stands in a message in place of job information: the information is in the
 * segment whose descriptor is passed with the message. 0 or the status of packing. */
int px_pack_segment(struct px_buf *buf, enum px_wire_kind kind);

#endif
