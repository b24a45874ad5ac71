/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The rule of access.h. */

#include "access.h"

#include <string.h>

#include "peer.h"
#include "src/base/assert.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* True if a set of that kind which the host knows has processes of both namespaces. */
static bool has_both(const struct px_server *s, enum px_proc_set_kind kind, const char *one,
                     const char *other)
{
    const struct px_proc_set *set = px_proc_set_find(&s->proc_sets, kind, NULL, NULL);

    while (set && !((kind == PX_SET_CONNECTED || set->hosted) &&
                    px_procs_have_nspace(set->members, set->n, one) &&
                    px_procs_have_nspace(set->members, set->n, other))) {
        set = px_proc_set_next(&s->proc_sets, set, kind, NULL, NULL);
    }
    return set;
}

static bool are_connected(const struct px_server *s, const char *one, const char *other)
{
    return has_both(s, PX_SET_CONNECTED, one, other) || has_both(s, PX_SET_GROUP, one, other);
}

/* True if the peer is a process of the namespace, or of one that is connected with it. A tool has
 * the name that it gave itself, or that a host gave it without being asked whether it may have the
 * data.
 */
static bool is_of(const struct px_server *s, const struct px_peer *peer, const char *nspace)
{
    return !peer->tool && (strncmp(peer->proc.nspace, nspace, PMIX_MAX_NSLEN) == 0 ||
                           are_connected(s, peer->proc.nspace, nspace));
}

static bool sees_all(const struct px_server *s, const struct px_peer *peer)
{
    return peer->uid == 0 || peer->uid == s->uid;
}

bool px_access_data(const struct px_server *s, const struct px_peer *peer,
                    const struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    return !ns->owned || sees_all(s, peer) || (!ns->mixed && ns->uid == peer->uid) ||
           is_of(s, peer, ns->name);
}

bool px_access_event(const struct px_server *s, const struct px_peer *peer, uid_t user,
                     const char *nspace)
{
    px_assert(px_loop_inside(s->loop));
    return user == 0 || user == peer->uid || sees_all(s, peer) || is_of(s, peer, nspace);
}

bool px_access_command(const struct px_server *s, const pmix_proc_t *proc)
{
    bool may = px_proc_equal(proc, &s->self);

    px_assert(px_loop_inside(s->loop));
    px_list_for(struct px_peer, peer, &s->peer_list, link) {
        if (px_proc_equal(&peer->proc, proc)) {
            if (!sees_all(s, peer)) {
                return false;
            }
            may = true;
        }
    }
    return may;
}
