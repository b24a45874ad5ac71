/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "all_collectives.h"

#include "collective.h"
#include "group_leave.h"
#include "group_losses.h"
#include "src/base/assert.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"

/* Looks at each collective once. True if one has completed. */
static bool recount_each(struct px_server *s)
{
    struct px_coll_walk walk;
    struct px_coll *coll;
    bool any = false;

    px_coll_walk_begin(&walk, &s->colls);
    while ((coll = px_coll_walk_next(&walk)) != NULL) {
        any |= px_coll_recount(coll);
    }
    px_coll_walk_end(&walk);
    return any;
}

/* A completed collective may complete others, also such as come before it. Groups are told first of
 * members that have ended: those that are no members any more are not lost. */
void px_colls_recount(struct px_server *s)
{
    bool again = true;

    px_assert(px_loop_inside(s->loop));
    if (!px_groups_recheck(s)) {
        return; /* to be called again from there */
    }
    px_group_ended_here(s);
    while (again) {
        again = recount_each(s);
    }
}

/* A process that disconnects after its call stays counted; one that departs before is not waited
 * for any more. */
void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_coll, coll, &s->colls.list, link) {
        px_coll_forget_peer(coll, peer->id);
    }
    px_colls_recount(s);
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
