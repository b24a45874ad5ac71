/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Building the answer to a get (answer.h). */

#include "answer.h"

#include <string.h>

#include "answer_values.h"
#include "get.h"
#include "nspace.h"
#include "src/base/assert.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/message.h"
#include "src/wire/messages.h"
#include "src/wire/pack.h"

struct px_peer *px_get_peer(const struct px_get *get)
{
    return px_peer_find(get->server, get->reply_to.peer);
}

void px_answer_add_job(struct px_buf *reply, const struct px_get *get, const struct px_answer *p,
                       struct px_nspace *ns)
{
    pmix_proc_t job = {.rank = PMIX_RANK_WILDCARD};
    const struct px_peer *peer = px_get_peer(get);
    size_t mark;

    memcpy(job.nspace, ns->name, sizeof(job.nspace));
    px_pack_bytes_begin(reply, &mark);
    (void) px_pack(reply, p->kind, PMIX_PROC, &job, 1);
    if (p->offers) {
        (void) px_pack_segment(reply, p->kind);
    } else {
        (void) px_buf_fail(reply, px_nspace_append_info(ns, p->kind, peer && peer->ours, reply));
    }
    (void) px_pack_bytes_end(reply, p->kind, mark);
}

int px_answer_begin_process(struct px_answer *p, const struct px_nspace *ns, uint32_t rank)
{
    pmix_proc_t owner = {.rank = rank};

    memcpy(owner.nspace, ns->name, sizeof(owner.nspace));
    px_pack_bytes_begin(&p->buf, &p->mark);
    return px_pack(&p->buf, p->kind, PMIX_PROC, &owner, 1);
}

int px_answer_begin(struct px_answer *p, const struct px_get *get, struct px_nspace *ns,
                    uint32_t rank)
{
    struct px_peer *peer = px_get_peer(get);
    bool foreign = peer && strncmp(get->asker.nspace, ns->name, PMIX_MAX_NSLEN) != 0;

    p->kind = peer ? peer->kind : PX_WIRE_PLAIN;
    p->scoped = get->counts || (peer && peer->ours);
    p->shares = peer && px_peer_reads(peer, ns);
    (void) px_pack_status(&p->buf, p->kind, PMIX_SUCCESS);
    p->mark = p->buf.len;
    if (get->how & PX_GET_KVALS) {
        return p->buf.status;
    }
    p->offers = peer && px_peer_has_news(peer, ns);
    p->shares |= p->offers;
    if (p->offers || (foreign && !p->shares && get->target.rank != PMIX_RANK_WILDCARD)) {
        px_answer_add_job(&p->buf, get, p, ns);
    }
    return px_answer_begin_process(p, ns, rank);
}

bool px_answer_has_bytes(const struct px_get *get)
{
    return !(get->how & PX_GET_KVALS);
}

void px_answer_end(const struct px_get *get, struct px_answer *p)
{
    px_assert(!p->n_large);
    if (px_answer_has_bytes(get)) {
        (void) px_pack_bytes_end(&p->buf, p->kind, p->mark);
    } else if (p->shares) {
        p->buf.len = p->mark;
    }
}

void px_answer_send(const struct px_get *get, struct px_nspace *ns, struct px_answer *p)
{
    struct px_peer *peer = px_get_peer(get);

    px_assert(!p->n_large);
    if (peer && p->offers && px_buf_ok(&p->buf)) {
        px_answer_offer(get->server, &get->reply_to, &p->buf, px_peer_offer(peer, ns));
    } else if (peer) {
        px_answer_take(get->server, &get->reply_to, &p->buf);
    }
    px_answer_fini(p);
}
