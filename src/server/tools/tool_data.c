/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What tools have committed. Few tools do, so they are found by a walk over the peers. */

#include "tool_data.h"

#include "src/base/assert.h"
#include "src/server/data/nspace.h"
#include "src/server/data/server_get.h"
#include "src/server/peers/peer.h"
#include "src/server/state.h"
#include "src/value/procs.h"

struct px_local_proc *px_tool_data_make(struct px_peer *peer)
{
    px_assert(px_loop_inside(peer->server->loop) && peer->tool && !peer->rank);
    if (!peer->posted) {
        peer->posted = px_nspace_make_apart(peer->server, &peer->proc, peer->uid, peer->gid);
        peer->server->n_posting_tools += peer->posted != NULL;
    }
    return peer->posted;
}

static struct px_nspace *find(const struct px_server *s, const pmix_proc_t *proc)
{
    if (!s->n_posting_tools) {
        return NULL;
    }
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (peer->posted && px_proc_equal(&peer->proc, proc)) {
            return peer->posted->ns;
        }
    }
    return NULL;
}

struct px_nspace *px_tool_data_or_job(struct px_server *s, const pmix_proc_t *proc)
{
    struct px_nspace *ns = px_nspace_find(s, proc->nspace);

    return ns ? ns : find(s, proc);
}

/* The gets end when the data cannot be found any more: they are not decided anew. */
void px_tool_data_drop(struct px_peer *peer)
{
    struct px_local_proc *posted = peer->posted;

    px_assert(px_loop_inside(peer->server->loop));
    if (posted) {
        peer->posted = NULL;
        peer->server->n_posting_tools--;
        px_gets_proc_departed(peer->server, posted);
        px_nspace_drop_apart(peer->server, posted->ns);
    }
}
