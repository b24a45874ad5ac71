/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The answer comes in pieces of limited size (collected.h). One behind which nothing is left to be
 * asked for says so. A process with many values is gathered in parts, and is a piece by itself. */

#include "collected.h"

#include <string.h>

#include "answer.h"
#include "answer_values.h"
#include "gathering.h"
#include "get.h"
#include "get_answer.h"
#include "large_answer.h"
#include "nspace.h"
#include "gds/level.h"
#include "src/server/peers/access.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

/* An answer ends behind the process that makes it longer than this, so that no answer grows with
 * the job, and a requester that does not read keeps no more than one of them waiting here. Values
 * of one process that are looked at in one turn. */
enum { PIECE_BYTES = 1 << 20, MANY = 2048 };

/* Packs one process as BYTES {PROC; KVAL...}; nothing if it has never committed anything.
 * PX_GET_LARGE, and nothing: it has many values, or large ones. */
static int pack_changed(struct px_answer *all, const struct px_get *get, const struct px_nspace *ns,
                        uint32_t rank)
{
    const size_t before = all->buf.len;
    struct px_each_at at = {0};
    bool more = false;
    int rc;

    all->n = 0;
    all->scope = PMIX_SCOPE_UNDEF;
    all->most = before + PIECE_BYTES;
    rc = px_answer_begin_process(all, ns, rank);
    rc = rc ? rc : px_answer_add_change(all, get, ns, rank);
    rc = rc ? rc
            : px_store_each_part(ns->store, PX_LEVEL_PROC, rank, &at, MANY, px_answer_add_committed,
                                 all, &more);
    more = more || all->n_large;
    if (!rc && !more && (all->n || ns->deletes)) {
        return px_pack_bytes_end(&all->buf, all->kind, all->mark);
    }
    all->buf.len = before;
    all->n_large = 0;
    return !rc && more ? PX_GET_LARGE : rc;
}

/* Packs the processes from get->target.rank on that have changed, until the piece is full or one
 * with many values, or large ones, follows. *ret_next is the rank at which the next piece begins,
 * or PMIX_RANK_INVALID. Ranks without a number have committed nothing, or cannot be collected
 * (px_nspace_note_change). PX_GET_LARGE: the first one, at *ret_next, has them. */
static int pack_piece(struct px_answer *all, const struct px_get *get, const struct px_nspace *ns,
                      pmix_rank_t *ret_next)
{
    uint32_t rank = get->target.rank;
    int rc = PMIX_SUCCESS;

    for (; !rc && rank < ns->n_changes && all->buf.len < PIECE_BYTES; rank++) {
        if (ns->changes[rank] > get->change) {
            rc = pack_changed(all, get, ns, rank);
        }
    }
    rank -= rc == PX_GET_LARGE;
    *ret_next = rank < ns->n_changes ? rank : PMIX_RANK_INVALID;
    return rc == PX_GET_LARGE && all->buf.len ? PMIX_SUCCESS : rc;
}

/* Packs the status, the number that is reached, and the rank at which the next piece begins. */
static int pack_head(struct px_buf *reply, enum px_wire_kind kind, const struct px_get *get,
                     pmix_rank_t next)
{
    pmix_value_t reached = {.type = PMIX_UINT64, .data.uint64 = get->reached};

    (void) px_pack_status(reply, kind, PMIX_SUCCESS);
    (void) px_pack_kval(reply, kind, PX_KEY_COLLECTED, &reached);
    return px_pack_rank(reply, kind, next);
}

static struct px_answer empty_answer(const struct px_get *get)
{
    const struct px_peer *peer = px_get_peer(get);

    return (struct px_answer){.kind = peer ? peer->kind : PX_WIRE_PLAIN, .scoped = true};
}

/* For px_gather: begins the piece that is one process. */
static int begin_alone(struct px_answer *p, const struct px_get *get, struct px_nspace *ns,
                       uint32_t rank)
{
    const struct px_answer empty = empty_answer(get);

    p->kind = empty.kind;
    p->scoped = empty.scoped;
    (void) pack_head(&p->buf, p->kind, get,
                     rank + 1 < ns->n_changes ? rank + 1 : PMIX_RANK_INVALID);
    return px_answer_begin_process(p, ns, rank);
}

/* Answers with the process at get->target.rank, in this turn or a later one. */
static int answer_alone(struct px_get *get, struct px_nspace *ns)
{
    struct px_answer p = {0};
    int rc = px_gather(get, ns, get->target.rank, begin_alone, &p);

    if (rc) {
        px_answer_fini(&p);
        return rc;
    }
    return px_answer_finish(get, ns, &p);
}

/* Answers with the next piece, or with the segment. */
static int answer_piece(struct px_get *get, struct px_nspace *ns, struct px_answer *all)
{
    struct px_peer *peer = px_get_peer(get);
    pmix_rank_t next = PMIX_RANK_INVALID;
    struct px_buf reply = {0};
    int rc = all->offers ? PMIX_SUCCESS : pack_piece(all, get, ns, &next);

    if (rc == PX_GET_LARGE) {
        get->target.rank = next; /* of those before it nothing had changed when `reached` was set */
        return rc;
    }
    rc = rc ? rc : pack_head(&reply, all->kind, get, next);
    px_buf_append(&reply, all->buf.data, all->buf.len);
    rc = rc ? rc : px_buf_fail(&reply, all->buf.status);
    if (rc) {
        px_buf_fini(&reply);
    } else if (all->offers) {
        px_answer_add_job(&reply, get, all, ns);
        px_answer_offer(get->server, &get->reply_to, &reply, px_peer_offer(peer, ns));
    } else {
        px_answer_take(get->server, &get->reply_to, &reply);
    }
    return rc;
}

/* To a requester that may map the segment of the namespace goes the segment in place of the data.
 */
int px_get_collected(struct px_get *get)
{
    struct px_nspace *ns = px_nspace_find(get->server, get->target.nspace);
    struct px_peer *peer = px_get_peer(get);
    struct px_answer all = empty_answer(get);
    int rc;

    if (!ns || !peer) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (!px_access_data(get->server, peer, ns)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    get->reached = get->reached ? get->reached : get->server->changes;
    all.offers = px_peer_has_news(peer, ns);
    rc = get->gathering && !all.offers ? PX_GET_LARGE : answer_piece(get, ns, &all);
    px_answer_fini(&all);
    return rc == PX_GET_LARGE ? answer_alone(get, ns) : rc;
}
