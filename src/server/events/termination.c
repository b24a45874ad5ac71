/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes whose end the host reports by an event. The server itself notices the end of a process
 * only by its connection. A process that never connected, or has finalized, has none; only the
 * host's event ends the wait for it. A process that is still connected is left to its connection:
 * messages that it sent before its end may not have been read yet. */

#include "termination.h"

#include "src/server/state.h"
#include "src/event/process_end.h"
#include "src/event/registry.h"
#include "src/net/conn.h"
#include "src/server/collectives/all_collectives.h"
#include "src/server/collectives/group_losses.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/data/modex_giving.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/peers/peer.h"
#include "src/base/assert.h"
#include "src/value/procs.h"

/* How often a connection is read before its end is told, if its user's messages do not take too
 * long: a process that has ended sends nothing more, and one that goes on must not keep the server.
 */
enum { DRAIN_ROUNDS = 64 };

/* Marks a local process as ended. If it has no connection, gets and direct modex requests for its
 * data end here; otherwise they end with its connection. A NULL rank (no memory for its record) and
 * a process that has ended before are ignored. */
static void rank_ended(struct px_server *s, struct px_local_proc *rank)
{
    if (!rank || rank->terminated) {
        return;
    }
    rank->terminated = true;
    rank->departed |= !rank->n_peers;
    px_open_waits_proc(s, rank);
    if (!rank->n_peers) {
        px_gets_proc_departed(s, rank);
        px_dmodex_requests_proc_departed(s, rank);
    }
}

/* The same for a process, or for all local processes of a namespace (PMIX_RANK_WILDCARD). A process
 * without a record gets one, so that later collectives do not wait for it. */
static void proc_ended(void *arg, const pmix_proc_t *proc)
{
    struct px_nspace *ns = px_nspace_find(arg, proc->nspace);

    if (!ns) {
        return;
    }
    if (proc->rank == PMIX_RANK_WILDCARD) {
        px_list_for(struct px_local_proc, rank, &ns->rank_list, link) {
            rank_ended(arg, rank);
        }
    } else if (px_nspace_is_local(ns, proc->rank)) {
        rank_ended(arg, px_local_proc_make(ns, proc->rank));
    }
}

/* Collectives count their local members anew at the end, since they do not wait for departed ones.
 */
void px_termination_event(struct px_server *s, const struct px_event *event)
{
    px_assert(px_loop_inside(s->loop));
    if (px_event_is_end(event->code)) {
        px_event_each_ended(event, proc_ended, s);
        px_group_ended(s, event);
        px_colls_recount(s);
    }
}

/* The connected peer of the process with the lowest id above `after`, or NULL. */
static struct px_peer *next_peer(struct px_server *s, const pmix_proc_t *proc, uint64_t after)
{
    struct px_peer *found = NULL;

    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer->conn && peer->id > after && (!found || peer->id < found->id) &&
            px_proc_covers(proc, &peer->proc)) {
            found = peer;
        }
    }
    return found;
}

/* Reads what the process has sent before its end; what takes too long is read in the connection's
 * turns. A peer may close meanwhile, so it is looked up by its id each time. */
static void drain_proc(void *arg, const pmix_proc_t *proc)
{
    struct px_peer *peer = next_peer(arg, proc, 0);

    while (peer) {
        uint64_t id = peer->id;

        for (int i = 0; i < DRAIN_ROUNDS && peer && peer->conn; i++) {
            if (!px_conn_read_now_loop(peer->conn)) {
                break;
            }
            peer = px_peer_find(arg, id);
        }
        peer = next_peer(arg, proc, id);
    }
}

void px_termination_drain(struct px_server *s, const struct px_event *event)
{
    px_assert(px_loop_inside(s->loop));
    if (px_event_is_end(event->code)) {
        px_event_each_ended(event, drain_proc, s);
    }
}
