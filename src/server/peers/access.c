/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The rule of access.h. */

#include "access.h"

#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "src/base/assert.h"
#include "src/base/map.h"
#include "src/base/status.h"
#include "src/nspace/proc_sets.h"
#include "src/server/data/nspace.h"
#include "src/server/state.h"
#include "src/value/procs.h"

/* So many namespaces have their companions noted at a time. */
enum { MAX_NOTED = 64 };

/* The namespaces that share with one a set of connected processes, or a group that the host knows.
 * All are found by one walk over the sets, which may be long: a request may ask about each job of a
 * server. */
struct companions {
    struct px_map names; /* the value is this */
};

static int companions_free(void *arg, const void *key, size_t len, void *value)
{
    struct companions *companions = value;

    (void) arg, (void) key, (void) len;
    px_map_fini(&companions->names);
    free(companions);
    return 0;
}

void px_access_forget(struct px_server *s)
{
    (void) px_map_each(&s->companions, companions_free, NULL);
    px_map_fini(&s->companions);
}

/* Adds the namespaces of a set. Its members of one job are mostly neighbours. 0 or PX_ERR_NOMEM. */
static int add_set(struct companions *companions, const struct px_proc_set *set)
{
    int rc = PX_OK;

    for (size_t i = 0; i < set->n && !rc; i++) {
        const char *name = set->members[i].nspace;

        if (i == 0 || !px_same_nspace(name, set->members[i - 1].nspace)) {
            rc = px_map_set(&companions->names, name, strnlen(name, PMIX_MAX_NSLEN), companions);
        }
    }
    return rc;
}

/* True if sets of this kind make companions. */
static bool connects(const struct px_proc_set *set)
{
    return set->kind == PX_SET_CONNECTED || (set->kind == PX_SET_GROUP && set->hosted);
}

/* Walks over the sets. NULL: memory is out. */
static struct companions *find_companions(const struct px_server *s, const char *nspace)
{
    struct companions *companions = calloc(1, sizeof(*companions));
    int rc = companions ? PX_OK : PX_ERR_NOMEM;

    px_list_for(const struct px_proc_set, set, &s->proc_sets->list, link) {
        if (!rc && connects(set) && px_procs_have_nspace(set->members, set->n, nspace)) {
            rc = add_set(companions, set);
        }
    }
    if (companions && rc) {
        (void) companions_free(NULL, NULL, 0, companions);
    }
    return rc ? NULL : companions;
}

/* The companions of a namespace, as of now; NULL: memory is out. */
static const struct companions *companions_of(struct px_server *s, const char *nspace)
{
    size_t len = strnlen(nspace, PMIX_MAX_NSLEN);
    struct companions *companions;

    if (s->companions_at != px_proc_sets_changes() || s->companions.used >= MAX_NOTED) {
        px_access_forget(s);
        s->companions_at = px_proc_sets_changes();
    }
    companions = px_map_find(&s->companions, nspace, len);
    if (companions) {
        return companions;
    }
    companions = find_companions(s, nspace);
    if (companions && px_map_set(&s->companions, nspace, len, companions)) {
        (void) companions_free(NULL, NULL, 0, companions);
        companions = NULL;
    }
    return companions;
}

/* Without memory they are not. */
static bool are_connected(struct px_server *s, const char *one, const char *other)
{
    const struct companions *companions = companions_of(s, one);

    return companions && px_map_find(&companions->names, other, strnlen(other, PMIX_MAX_NSLEN));
}

/* True if the peer is a process of the namespace, or of one that is connected with it. A tool has
 * the name that it gave itself, or that a host gave it without being asked whether it may have the
 * data.
 */
static bool is_of(struct px_server *s, const struct px_peer *peer, const char *nspace)
{
    return !peer->tool && (px_same_nspace(peer->proc.nspace, nspace) ||
                           are_connected(s, peer->proc.nspace, nspace));
}

static bool sees_all(const struct px_server *s, const struct px_peer *peer)
{
    return peer->uid == 0 || peer->uid == s->uid;
}

bool px_access_data(struct px_server *s, const struct px_peer *peer, const struct px_nspace *ns)
{
    px_assert(px_loop_inside(s->loop));
    return !ns->owned || sees_all(s, peer) || (!ns->mixed && ns->uid == peer->uid) ||
           is_of(s, peer, ns->name);
}

bool px_access_event(struct px_server *s, const struct px_peer *peer, uid_t user,
                     const char *nspace)
{
    px_assert(px_loop_inside(s->loop));
    return user == 0 || user == peer->uid || sees_all(s, peer) || is_of(s, peer, nspace);
}

bool px_access_output(struct px_server *s, const struct px_peer *peer, const pmix_proc_t *source)
{
    const struct px_nspace *ns = px_nspace_find(s, source->nspace);

    px_assert(px_loop_inside(s->loop));
    return peer && (sees_all(s, peer) || (ns && ns->owned && px_access_data(s, peer, ns)));
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
