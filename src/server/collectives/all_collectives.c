/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "all_collectives.h"

#include "collective.h"
#include "group_leave.h"
#include "group_losses.h"
#include "src/base/assert.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* False if an end of the process changes nothing for the collective: its set stays as it is, and
 * this one is not in it and has not called. Sets of groups may have lost the process already. */
static bool concerns(const pmix_proc_t *ended, const struct px_coll *coll)
{
    return coll->name || px_procs_normal_cover(coll->set->at, coll->set->n, ended) ||
           px_coll_has_proc(coll, ended);
}

/* Looks at each collective once, or at those only that the end of a process concerns. True if one
 * has completed. */
static bool recount_each(struct px_server *s, const pmix_proc_t *ended)
{
    struct px_coll_walk walk;
    struct px_coll *coll;
    bool any = false;

    px_coll_walk_begin(&walk, &s->colls);
    while ((coll = px_coll_walk_next(&walk)) != NULL) {
        any |= (!ended || concerns(ended, coll)) && px_coll_recount(coll);
    }
    px_coll_walk_end(&walk);
    return any;
}

/* A completed collective may complete others, also such as come before it. Groups are told first of
 * members that have ended: those that are no members any more are not lost. */
static void recount(struct px_server *s, const pmix_proc_t *ended)
{
    px_assert(px_loop_inside(s->loop));
    if (!px_groups_recheck(s)) {
        return; /* all are recounted from there */
    }
    px_group_ended_here(s);
    while (recount_each(s, ended)) {
        ended = NULL;
    }
}

void px_colls_recount(struct px_server *s)
{
    recount(s, NULL);
}

/* A process that disconnects after its call stays counted; one that departs before is not waited
 * for any more. */
void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        px_coll_forget_peer(coll, peer->id);
    }
    recount(s, &peer->proc);
}

/* Ending one collective may end others, so the list is read anew each time. */
void px_colls_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->colls.list)) {
        px_coll_finish(px_container_of(s->colls.list.next, struct px_coll, link),
                       PMIX_ERR_LOST_CONNECTION);
    }
}
