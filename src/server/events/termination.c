/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes whose end the host reports by an event. The server itself notices the end of a process
 * only by its connection. A process that never connected, or has finalized, has none; only the
 * host's event ends the wait for it. A process that is still connected is left to its connection:
 * messages that it sent before its end may not have been read yet. */

#include "termination.h"

#include "src/server/state.h"
#include "src/event/registry.h"

#include "src/value/infos.h"
#include "src/server/collectives/collective.h"
#include "src/server/data/modex.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/base/assert.h"

/* True if the code reports that a process has ended. */
static bool is_end(pmix_status_t code)
{
    switch (code) {
    case PMIX_EVENT_PROC_TERMINATED:
    case PMIX_ERR_PROC_ABORTED:
    case PMIX_ERR_PROC_ABORTED_BY_SIG:
    case PMIX_ERR_PROC_FAILED_TO_START:
    case PMIX_ERR_PROC_KILLED_BY_CMD:
    case PMIX_ERR_PROC_REQUESTED_ABORT:
    case PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED:
    case PMIX_ERR_PROC_TERM_WO_SYNC:
    case PMIX_ERR_EXIT_NONZERO_TERM:
        return true;
    default:
        return false;
    }
}

/* Marks a local process as ended. If it has no connection, gets and direct modex requests for its
 * data end here; otherwise they end with its connection. A NULL rank (no memory for its record) and
 * a process that has ended before are ignored. */
static void rank_ended(struct px_server *s, struct px_local_proc *rank)
{
    if (!rank || rank->terminated) {
        return;
    }
    rank->terminated = true;
    if (!rank->n_peers) {
        rank->departed = true;
        px_gets_proc_departed(s, rank);
        px_dmodex_requests_proc_departed(s, rank);
    }
}

/* The same for a process, or for all local processes of a namespace (PMIX_RANK_WILDCARD). A process
 * without a record gets one, so that later collectives do not wait for it. */
static void proc_ended(struct px_server *s, const pmix_proc_t *proc)
{
    struct px_nspace *ns = px_nspace_find(s, proc->nspace);

    if (!ns) {
        return;
    }
    if (proc->rank == PMIX_RANK_WILDCARD) {
        px_list_for(struct px_local_proc, rank, &ns->rank_list, link) {
            rank_ended(s, rank);
        }
    } else if (px_nspace_is_local(ns, proc->rank)) {
        rank_ended(s, px_local_proc_make(ns, proc->rank));
    }
}

/* The ended processes are those of PMIX_EVENT_AFFECTED_PROC and PMIX_EVENT_AFFECTED_PROCS; without
 * any, the source of the event. Collectives count their local members anew at the end, since they
 * do not wait for departed ones. */
void px_termination_event(struct px_server *s, const struct px_event *event)
{
    static const char *const keys[] = {PMIX_EVENT_AFFECTED_PROC, PMIX_EVENT_AFFECTED_PROCS};
    bool named = false;

    px_assert(px_loop_inside(s->loop));
    if (!is_end(event->code)) {
        return;
    }
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        const pmix_info_t *at = NULL;
        struct px_procs procs;

        while ((at = px_infos_next(event->info, event->ninfo, at, keys[k])) != NULL) {
            if (!px_value_procs(&at->value, &procs)) {
                continue;
            }
            for (size_t i = 0; i < procs.n; i++) {
                proc_ended(s, &procs.at[i]);
            }
            named |= procs.at != NULL;
        }
    }
    if (!named) {
        proc_ended(s, &event->source);
    }
    px_colls_recount(s);
}
