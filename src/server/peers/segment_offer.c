/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Decides which peer is sent the descriptor of which segment. A client that maps the segment of its
 * own namespace is also sent those of other namespaces when it needs their data, if all processes
 * of the namespace belong to its user: it could read the same values by messages. To a tool that
 * maps segments every namespace is another one, that of its own name included. Each reply passes
 * one descriptor at most, and each generation is sent once, unless the peer reports that it has
 * not arrived. Loop thread. */

#include "segment_offer.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "gds/store.h"
#include "src/server/state.h"
#include "src/wire/message.h"
#include "src/server/data/nspace.h"
#include "peer.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "gds/generation.h"

/* In px_peer.offered, instead of a generation: the peer reads this namespace by messages. */
#define BY_MESSAGES UINT32_MAX

/* The value is an empty byte object under PX_KEY_SEGMENT. */
int px_pack_segment(struct px_buf *buf, enum px_wire_kind kind)
{
    pmix_value_t value;

    memset(&value, 0, sizeof(value));
    value.type = PMIX_BYTE_OBJECT;
    return px_pack_kval(buf, kind, PX_KEY_SEGMENT, &value);
}

/* True if the segment's descriptor can be duplicated now. Sending duplicates it; a reply must not
 * get lost because the descriptor table is full. */
static bool is_copied(const struct px_nspace *ns)
{
    int copy = fcntl(px_store_fd(ns->store), F_DUPFD_CLOEXEC, 0);

    if (copy >= 0) {
        close(copy);
    }
    return copy >= 0;
}

/* --- its own --- */

/* Generations only grow: the peer is behind if the store's is larger than the one sent last. */
int px_peer_new_segment(struct px_peer *peer, struct px_nspace *ns)
{
    struct px_store_info info;

    if (!peer->shared) {
        return -1;
    }
    px_store_info(ns->store, &info);
    if (!info.shared || info.generation <= peer->generation || !is_copied(ns)) {
        return -1;
    }
    peer->generation = info.generation;
    return px_store_fd(ns->store);
}

/* True if the peer was sent its own segment and there is a later generation. */
static bool peer_is_behind(const struct px_peer *peer)
{
    return peer->generation && peer->rank &&
           px_store_is_later(peer->rank->ns->store, peer->generation);
}

int px_peer_moved_segment(struct px_peer *peer)
{
    return peer_is_behind(peer) ? px_peer_new_segment(peer, peer->rank->ns) : -1;
}

/* --- those of others --- */

/* True if the namespace is the one that the peer is a process of. */
static bool is_own(const struct px_peer *peer, const struct px_nspace *ns)
{
    return peer->rank && peer->rank->ns == ns;
}

/* True if the peer was sent its own segment, and so can map others, too; or is a tool, which has
 * none of its own. */
static bool reads_segments(const struct px_peer *peer)
{
    return peer->shared && (peer->tool || peer->generation != 0);
}

/* The generation of another namespace's segment that the peer was sent last; 0: none. */
static uint32_t offered_generation(const struct px_peer *peer, const struct px_nspace *ns)
{
    return (uint32_t) (uintptr_t) px_map_find(&peer->offered, &ns->id, sizeof(ns->id));
}

/* True if all processes of the namespace belong to the peer's user. Namespaces whose processes are
 * of several users (`mixed`) have no user who may read all of them. */
static bool is_of_user(const struct px_peer *peer, const struct px_nspace *ns)
{
    return !ns->mixed && ns->uid == peer->uid;
}

/* A namespace may become one of several users behind the first offer: from then on its data are
 * sent. */
bool px_peer_reads(const struct px_peer *peer, const struct px_nspace *ns)
{
    uint32_t generation;

    if (!reads_segments(peer) || is_own(peer, ns)) {
        return reads_segments(peer);
    }
    if (!is_of_user(peer, ns)) {
        return false;
    }
    generation = offered_generation(peer, ns);
    return generation != 0 && generation != BY_MESSAGES;
}

bool px_peer_may_read(const struct px_peer *peer, const struct px_nspace *ns)
{
    if (px_peer_reads(peer, ns)) {
        return true;
    }
    return reads_segments(peer) && ns->shared && is_of_user(peer, ns) &&
           offered_generation(peer, ns) != BY_MESSAGES;
}

/* The generation to send of another namespace's segment; 0 if the peer has the newest or may not
 * read it. */
static uint32_t offer_generation(const struct px_peer *peer, const struct px_nspace *ns)
{
    struct px_store_info info;

    if (is_own(peer, ns) || !px_peer_may_read(peer, ns)) {
        return 0;
    }
    px_store_info(ns->store, &info);
    return info.shared && info.generation > offered_generation(peer, ns) && is_copied(ns)
               ? info.generation
               : 0;
}

bool px_peer_has_news(const struct px_peer *peer, const struct px_nspace *ns)
{
    return !peer_is_behind(peer) && offer_generation(peer, ns) != 0;
}

/* Without memory to note the offer nothing is offered, and the values are sent by message. */
int px_peer_offer(struct px_peer *peer, const struct px_nspace *ns)
{
    uint32_t generation = offer_generation(peer, ns);

    if (!generation ||
        px_map_set(&peer->offered, &ns->id, sizeof(ns->id), (void *) (uintptr_t) generation)) {
        return -1;
    }
    return px_store_fd(ns->store);
}

void px_peer_has_only(struct px_peer *peer, const struct px_nspace *ns, uint32_t generation)
{
    uint32_t last = offered_generation(peer, ns);

    if (last != BY_MESSAGES && generation < last) {
        (void) px_map_set(&peer->offered, &ns->id,
                          sizeof(ns->id), /* replaces an entry: cannot fail */
                          (void *) (uintptr_t) generation);
    }
}

void px_peer_cannot_read(struct px_peer *peer, const struct px_nspace *ns)
{
    if (!is_own(peer, ns) && offered_generation(peer, ns)) {
        (void) px_map_set(&peer->offered, &ns->id,
                          sizeof(ns->id), /* replaces an entry: cannot fail */
                          (void *) (uintptr_t) BY_MESSAGES);
    }
}

void px_offers_nspace_removed(struct px_server *s, const struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        (void) px_map_remove(&peer->offered, &ns->id, sizeof(ns->id));
    }
}
