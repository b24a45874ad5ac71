/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The first and the last request of a client. The first asks for the information of its job and is
 * answered with the descriptor of the job's segment, or with the job information itself for a
 * client that cannot map segments. A client sends it again to ask for the next generation of a
 * segment. The last request is PMIx_Finalize. Loop thread. */

#include "job_request.h"

#include <stdlib.h>

#include "gds/store.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/stages.h"
#include "src/server/state.h"
#include "src/server/data/nspace.h"
#include "src/server/tools/tool_data.h"
#include "access.h"
#include "dispatch.h"
#include "peer.h"
#include "segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"

/* The part of a job request that only clients of this library send. Its three forms: an empty first
 * request; an empty second request, from a client that could not map the segment and reads by
 * messages from then on; and a refresh, which names the generation that the client has, and the
 * namespace if that is not its own. */
struct wish {
    bool next;           /* a refresh: a generation was given */
    uint32_t generation; /* a later one was sent but has not arrived; 0: the segment is unusable */
    char *nspace;        /* NULL: the client's own. Owned */
};

/* Reads the wish; a stock client has none. An empty request of a client that has already been sent
 * a segment ends its reading by shared memory. 0, or the status of unpacking. */
static int read_wish(struct px_peer *peer, struct px_in *in, struct wish *ret)
{
    if (!peer->ours) {
        return 0;
    }
    if (px_in_left(in) > 0) {
        ret->next = !px_unpack_rank(in, &ret->generation);
        return px_in_left(in) ? px_unpack_string(in, &ret->nspace) : in->status;
    }
    peer->shared = peer->shared && peer->generation == 0;
    return 0;
}

/* The segment of the namespace that the peer is of, to be passed with the answer, or -1. A tool is
 * no process of it, and gets it as it gets another one's; one that asks a second time for what it
 * was sent cannot use it. */
static int own_segment(struct px_peer *peer, struct px_nspace *ns, const struct wish *wish)
{
    if (!peer->tool) {
        if (wish->next && wish->generation < peer->generation) {
            peer->generation = wish->generation;
        }
        return px_peer_new_segment(peer, ns);
    }
    if (wish->next) {
        px_peer_has_only(peer, ns, wish->generation);
    } else {
        px_peer_cannot_read(peer, ns);
    }
    return px_peer_offer(peer, ns);
}

/* Packs the answer about the client's own namespace. *ret_fd becomes the descriptor to pass,
 * borrowed from the store; without one the job information is packed, except for a refresh, to
 * which an answer without segment means that there is no newer one. */
static int pack_own(struct px_server *s, struct px_peer *peer, const struct wish *wish,
                    struct px_buf *buf, int *ret_fd)
{
    struct px_nspace *ns = peer->rank ? peer->rank->ns : px_nspace_find(s, peer->proc.nspace);
    int rc = px_pack_string(buf, peer->kind, peer->proc.nspace);

    if (rc || !ns || (peer->tool && !px_access_data(s, peer, ns))) {
        return rc;
    }
    *ret_fd = own_segment(peer, ns, wish);
    if (!peer->tool) {
        peer->shared = peer->shared && (wish->next || *ret_fd >= 0); /* no segment: by messages */
    }
    if (*ret_fd >= 0) {
        return px_pack_segment(buf, peer->kind);
    }
    return wish->next ? 0 : px_nspace_append_info(ns, peer->kind, peer->ours, buf);
}

/* Packs the answer to a refresh of another namespace. Generation 0 means that the client cannot use
 * that segment. PMIX_ERR_NOT_FOUND if the namespace is unknown; *ret_fd as in pack_own. */
static int pack_other(struct px_server *s, struct px_peer *peer, const struct wish *wish,
                      struct px_buf *buf, int *ret_fd)
{
    struct px_nspace *ns =
        strlen(wish->nspace) <= PMIX_MAX_NSLEN ? px_nspace_find(s, wish->nspace) : NULL;
    int rc = ns ? px_pack_string(buf, peer->kind, wish->nspace) : PMIX_ERR_NOT_FOUND;

    if (rc) {
        return rc;
    }
    if (!wish->generation) {
        px_peer_cannot_read(peer, ns);
        return 0;
    }
    px_peer_has_only(peer, ns, wish->generation);
    *ret_fd = px_peer_offer(peer, ns);
    return *ret_fd >= 0 ? px_pack_segment(buf, peer->kind) : 0;
}

/* A refused request sends nothing here; the dispatcher answers it. */
int px_handle_req(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct wish wish = {0};
    struct px_buf buf = {0};
    int fd = -1;
    int rc = read_wish(peer, in, &wish);

    px_assert(px_loop_inside(s->loop));
    if (!rc) {
        rc = wish.nspace ? pack_other(s, peer, &wish, &buf, &fd)
                         : pack_own(s, peer, &wish, &buf, &fd);
    }
    free(wish.nspace);
    rc = px_buf_fail(&buf, rc);
    if (rc) {
        px_buf_fini(&buf);
        return rc;
    }
    px_stage_informed(peer);
    px_answer_offer(s, &reply_to, &buf, fd);
    return PMIX_SUCCESS;
}

/* The host has been informed of PMIx_Finalize. Its status is not passed on: the client leaves in
 * any case. */
static void finalize_answered(struct px_upcall *up)
{
    struct px_peer *peer = px_peer_find(up->server, up->reply_to.peer);

    if (peer) {
        peer->finalized = true;
        px_stage_finalized(peer);
    }
    px_answer_status(up->server, &up->reply_to, PMIX_SUCCESS);
}

/* The reply waits for the host's client_finalized, so that the client does not exit before the host
 * knows. A repeated request is answered at once. */
int px_handle_finalize(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_reply_to reply_to = px_reply_to_peer(peer, tag);
    struct px_upcall *up;

    px_assert(px_loop_inside(s->loop));
    (void) in;
    peer->stage_ns = px_stage_clock(s);
    if (peer->tool || !s->host.client_finalized || peer->finalizing) {
        px_tool_data_drop(peer);
        peer->finalized = true;
        px_stage_finalized(peer);
        px_answer_status(s, &reply_to, PMIX_SUCCESS);
        return PMIX_SUCCESS;
    }
    up = px_upcall_create(s, &reply_to, &peer->proc, finalize_answered);
    if (!up) {
        return PMIX_ERR_NOMEM;
    }
    peer->finalizing = true;
    px_upcall_returned(up,
                       s->host.client_finalized(&up->proc, peer->rank ? peer->rank->object : NULL,
                                                px_hostcb_op, px_upcall_handle(up)));
    return PMIX_SUCCESS;
}
