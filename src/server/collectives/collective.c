/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gathering. How many local members a collective waits for is counted anew whenever something that
 * matters has happened (a member came, one died, a namespace or client was registered), never
 * remembered: members may come before their namespace is known here, or before the others have
 * started. A caller that the processes do not name is refused, so whoever has come is one of those
 * that are waited for. */

#include "collective.h"

#include <stdlib.h>
#include <string.h>

#include "server_group.h"
#include "src/value/directives.h"
#include "connect.h"
#include "fence.h"
#include "group_data.h"
#include "group_registry.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

void px_coll_call_fini(struct px_coll_call *call)
{
    free(call->name);
    PMIx_Proc_free(call->procs, call->nprocs);
    PMIx_Info_free(call->info, call->ninfo);
}

/* --- the end --- */

static void reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                  int status)
{
    switch (coll->kind) {
    case PX_COLL_CONNECT:
        px_connect_reply(s, coll, reply_to, status);
        break;
    case PX_COLL_GROUP_CONSTRUCT:
    case PX_COLL_GROUP_SOLO:
        px_group_reply(s, coll, reply_to, status);
        break;
    default:
        px_answer_status(s, reply_to, status);
        break;
    }
}

void px_coll_finish(struct px_server *s, struct px_coll *coll, int status)
{
    struct px_upcall *up = coll->upcall;

    px_assert(px_loop_inside(s->loop));
    if (up) {
        up->arg = NULL;
    }
    px_list_remove(&coll->link);
    if (coll->kind == PX_COLL_FENCE) {
        px_fence_finished(s, coll, status);
    } else if (coll->kind == PX_COLL_CONNECT || coll->kind == PX_COLL_DISCONNECT) {
        px_connect_finished(s, coll, status);
    } else {
        px_group_finished(s, coll, status);
    }
    for (size_t i = 0; i < coll->n_members; i++) {
        struct px_reply_to reply_to = {.peer = coll->members[i].peer, .tag = coll->members[i].tag};

        if (reply_to.peer) {
            reply(s, coll, &reply_to, status);
        }
    }
    px_coll_destroy(coll);
}

/* The host has the limit, too, and counts from now: what it does about it comes first, so that it
 * does not hold a share of what is over for us when the same processes try again. */
enum { HOSTS_GRACE_MS = 500 };

static void on_timer(struct px_timer *timer)
{
    struct px_coll *coll = px_container_of(timer, struct px_coll, timer);

    px_coll_finish(coll->owner, coll, PMIX_ERR_TIMEOUT);
}

static int limit(struct px_coll *coll, uint64_t grace_ms)
{
    struct px_server *s = coll->owner;
    uint64_t ms = (uint64_t) coll->timeout_s * 1000 + grace_ms;

    px_timer_stop_loop(&coll->timer);
    return coll->timeout_s ? px_timer_start_loop(s->loop, &coll->timer, ms, on_timer)
                           : PMIX_SUCCESS;
}

int px_coll_hand_over(struct px_coll *coll, struct px_upcall *up)
{
    int rc;

    up->arg = coll;
    coll->upcall = up;
    coll->closed = true;
    up->nprocs = coll->group.mixed ? coll->nset : coll->nprocs;
    up->procs = malloc((up->nprocs ? up->nprocs : 1) * sizeof(*up->procs));
    if (!up->procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(up->procs, coll->group.mixed ? coll->set : coll->procs, up->nprocs * sizeof(*up->procs));
    rc = px_infos_copy(coll->info, coll->ninfo, &up->info);
    up->ninfo = up->info ? coll->ninfo : 0;
    if (!rc && coll->local_status) {
        rc = px_infos_append(&up->info, &up->ninfo, PMIX_LOCAL_COLLECTIVE_STATUS,
                             &coll->local_status, PMIX_STATUS);
    }
    return rc ? rc : limit(coll, HOSTS_GRACE_MS);
}

/* --- gathering --- */

static void complete(struct px_server *s, struct px_coll *coll, bool remote)
{
    coll->closed = true;
    switch (coll->kind) {
    case PX_COLL_FENCE:
        px_fence_complete(s, coll, remote);
        break;
    case PX_COLL_CONNECT:
    case PX_COLL_DISCONNECT:
        px_connect_complete(s, coll, remote);
        break;
    default:
        px_group_complete(s, coll, remote);
        break;
    }
}

/* Is there a connection of one of the processes that has not come? A clone that came and is gone
 * does not stand for another. */
static bool clones_missing(struct px_server *s, const struct px_coll *coll)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->peer_list) {
        const struct px_peer *peer = px_container_of(item, struct px_peer, link);

        if (peer->rank && peer->conn && px_coll_concerns(coll, &peer->proc) &&
            !px_coll_has_peer(coll, peer->id)) {
            return true;
        }
    }
    return false;
}

/* How many processes had come and are dead. */
static uint32_t dead_come(struct px_server *s, const struct px_coll *coll)
{
    uint32_t n = 0;

    for (size_t i = 0; i < coll->n_members; i++) {
        const struct px_local_proc *rank = px_local_proc_of(s, &coll->members[i].proc);
        bool again = false;

        for (size_t j = 0; j < i && !again; j++) {
            again = px_local_proc_of(s, &coll->members[j].proc) == rank;
        }
        n += rank && rank->departed && !again;
    }
    return n;
}

/* True when it was complete, and so may be gone. */
static bool complete_if_all_local(struct px_server *s, struct px_coll *coll)
{
    bool remote = false;
    bool lost = false;
    uint32_t expected = 0;

    if (coll->closed) {
        return false;
    }
    for (size_t i = 0; i < coll->nset; i++) {
        expected += px_nspace_count_locals(s, &coll->set[i], &remote, &lost);
    }
    if (lost) {
        expected += dead_come(s, coll); /* who are not among them yet */
        coll->local_status = PMIX_ERR_LOST_CONNECTION;
    }
    if (coll->n_members < expected || px_coll_arrived(coll) < expected ||
        (coll->all_clones && clones_missing(s, coll))) {
        return false;
    }
    complete(s, coll, remote);
    return true;
}

/* The first one to set a time limit sets it for all. */
static int apply_directives(struct px_coll *coll, const struct px_fence_directives *directives)
{
    coll->collect |= coll->kind == PX_COLL_FENCE && directives->collect_data;
    coll->all_clones |= directives->all_clones;
    if (directives->timeout == PX_NOT_GIVEN || !directives->timeout || coll->timeout_s) {
        return PMIX_SUCCESS;
    }
    coll->timeout_s = directives->timeout;
    return limit(coll, 0);
}

/* Do the processes of the call, or the groups among them, name the caller? Nobody is named when
 * others are to add it. */
static bool is_named(struct px_server *s, const struct px_coll_call *call, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < call->nprocs; i++) {
        const pmix_proc_t *named = &call->procs[i];
        bool any = named->rank == PMIX_RANK_WILDCARD || named->rank == PMIX_RANK_LOCAL_NODE ||
                   named->rank == PMIX_RANK_LOCAL_PEERS;
        bool same_job = strncmp(named->nspace, proc->nspace, PMIX_MAX_NSLEN) == 0;

        if ((same_job && (any || named->rank == proc->rank)) || px_group_names(s, named, proc)) {
            return true;
        }
    }
    return !call->nprocs;
}

int px_coll_enter(struct px_server *s, struct px_peer *peer, uint32_t tag,
                  const struct px_coll_call *call)
{
    struct px_coll_member who = {.peer = peer->id, .tag = tag, .proc = peer->proc};
    struct px_coll *coll;
    struct px_fence_directives directives; /* all collectives have some of a fence's */
    bool makes_group = call->name && call->kind != PX_COLL_GROUP_DESTRUCT;
    int rc = is_named(s, call, &peer->proc) ? PMIX_SUCCESS : PMIX_ERR_NOT_A_MEMBER;

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_fence_read(call->info, call->ninfo, &directives);
    rc = rc || !makes_group ? rc : px_group_check_name(s, call, &who);
    rc = rc ? rc
            : px_coll_join(&s->colls, call->kind, call->name, call->procs, call->nprocs, &who,
                           &coll);
    if (rc) {
        return rc;
    }
    coll->owner = s;
    if (call->kind == PX_COLL_DISCONNECT && !px_connected(s, coll)) {
        px_coll_finish(s, coll, PMIX_ERR_INVALID_OPERATION);
        return PMIX_SUCCESS;
    }
    rc = call->kind == PX_COLL_GROUP_CONSTRUCT || call->kind == PX_COLL_GROUP_SOLO
             ? px_group_absorb(coll, &peer->proc, call)
             : px_coll_merge(coll, call->info, call->ninfo);
    rc = rc ? rc : apply_directives(coll, &directives);
    if (rc) {
        px_coll_finish(s, coll, rc);
        return PMIX_SUCCESS;
    }
    (void) complete_if_all_local(s, coll);
    return PMIX_SUCCESS;
}

/* --- what changes who is waited for --- */

void px_colls_recount(struct px_server *s)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->colls.list) {
        if (complete_if_all_local(s, px_container_of(item, struct px_coll, link))) {
            next = s->colls.list.next;
        }
    }
}

void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->colls.list) {
        px_coll_forget_peer(px_container_of(item, struct px_coll, link), peer->id);
    }
    px_colls_recount(s);
}

void px_colls_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->colls.list)) {
        px_coll_finish(s, px_container_of(s->colls.list.next, struct px_coll, link),
                       PMIX_ERR_LOST_CONNECTION);
    }
}
