/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Gathering. How many local members a collective waits for is counted anew whenever something that
 * matters has happened (a member came, one died, a namespace or client was registered), never
 * remembered: members may come before their namespace is known here, or before the others have
 * started. */

#include "collective.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "src/ops/attributes.h"
#include "src/value/infos.h"

void px_coll_call_fini(struct px_coll_call *call)
{
    free(call->name);
    PMIx_Proc_free(call->procs, call->nprocs);
    PMIx_Info_free(call->info, call->ninfo);
}

/* --- the end --- */

static void reply(struct px_server *s, struct px_coll *coll, const struct px_from *from, int status)
{
    switch (coll->kind) {
    case PX_COLL_CONNECT:
        px_connect_reply(s, coll, from, status);
        break;
    case PX_COLL_GROUP_CONSTRUCT:
    case PX_COLL_GROUP_SOLO:
        px_group_reply(s, coll, from, status);
        break;
    default:
        px_answer_status(s, from, status);
        break;
    }
}

void px_coll_finish(struct px_server *s, struct px_coll *coll, int status)
{
    struct px_upcall *up = coll->upcall;

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
        struct px_from from = {.peer = coll->members[i].peer, .tag = coll->members[i].tag};

        if (from.peer) {
            reply(s, coll, &from, status);
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
    memcpy(up->procs, coll->group.mixed ? coll->set : coll->procs,
           up->nprocs * sizeof(*up->procs));
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

/* True when it was complete, and so may be gone. */
static bool check(struct px_server *s, struct px_coll *coll)
{
    bool remote = false;
    bool lost = false;
    uint32_t expected = 0;

    if (coll->closed) {
        return false;
    }
    for (size_t i = 0; i < coll->nset; i++) {
        expected += px_ns_locals(s, &coll->set[i], coll->all_clones, &remote, &lost);
    }
    /* The dead that had come are not among the expected. */
    for (size_t i = 0; lost && i < coll->n_members; i++) {
        struct px_rankrec *rank = px_rank_of(s, &coll->members[i].proc);

        expected += rank && rank->dead;
    }
    if (lost) {
        coll->local_status = PMIX_ERR_LOST_CONNECTION;
    }
    if (coll->n_members < expected || px_coll_arrived(coll) < expected) {
        return false;
    }
    complete(s, coll, remote);
    return true;
}

/* All collectives have the same. */
PX_READS(PMIx_Connect, PMIX_TIMEOUT);
PX_READS(PMIx_Connect, PMIX_ALL_CLONES_PARTICIPATE);
PX_READS(PMIx_Disconnect, PMIX_TIMEOUT);
PX_READS(PMIx_Disconnect, PMIX_ALL_CLONES_PARTICIPATE);
PX_READS(PMIx_Group_construct, PMIX_TIMEOUT);
PX_READS(PMIx_Group_construct, PMIX_ALL_CLONES_PARTICIPATE);
PX_READS(PMIx_Group_destruct, PMIX_TIMEOUT);
PX_READS(PMIx_Group_destruct, PMIX_ALL_CLONES_PARTICIPATE);

static int read_directives(struct px_coll *coll, const pmix_info_t *info, size_t ninfo)
{
    uint32_t seconds = 0;

    for (size_t i = 0; i < ninfo; i++) {
        if (strcmp(info[i].key, PX_KEY(PMIx_Fence, PMIX_TIMEOUT)) == 0) {
            (void) px_value_u32(&info[i].value, &seconds);
        }
    }
    coll->all_clones |=
        px_infos_flag(info, ninfo, PX_KEY(PMIx_Fence, PMIX_ALL_CLONES_PARTICIPATE));
    if (!seconds || coll->timeout_s) {
        return PMIX_SUCCESS;
    }
    coll->timeout_s = seconds;
    return limit(coll, 0);
}

int px_coll_enter(struct px_server *s, struct px_peer *peer, uint32_t tag,
                  const struct px_coll_call *call)
{
    struct px_coll_member who = {.peer = peer->id, .tag = tag, .proc = peer->proc};
    struct px_coll *coll;
    bool makes_group = call->name && call->kind != PX_COLL_GROUP_DESTRUCT;
    int rc = makes_group ? px_group_check_name(s, call, &who) : PMIX_SUCCESS;

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
    coll->collect |= call->collect;
    rc = call->kind == PX_COLL_GROUP_CONSTRUCT || call->kind == PX_COLL_GROUP_SOLO
             ? px_group_absorb(coll, &peer->proc, call)
             : px_coll_merge(coll, call->info, call->ninfo);
    rc = rc ? rc : read_directives(coll, call->info, call->ninfo);
    if (rc) {
        px_coll_finish(s, coll, rc);
        return PMIX_SUCCESS;
    }
    (void) check(s, coll);
    return PMIX_SUCCESS;
}

/* --- what changes who is waited for --- */

void px_fences_recount(struct px_server *s)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &s->colls.list) {
        if (check(s, px_container_of(item, struct px_coll, link))) {
            next = s->colls.list.next;
        }
    }
}

void px_fences_peer_gone(struct px_server *s, const struct px_peer *peer)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each (item, next, &s->colls.list) {
        px_coll_forget_peer(px_container_of(item, struct px_coll, link), peer->id);
    }
    px_fences_recount(s);
}

void px_fences_drop_all(struct px_server *s)
{
    while (!px_list_empty(&s->colls.list)) {
        px_coll_finish(s, px_container_of(s->colls.list.next, struct px_coll, link),
                       PMIX_ERR_LOST_CONNECTION);
    }
}
