/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connect and disconnect are gathered like a fence and decided by the host. Connected processes
 * may read the job information of the others' namespaces; the reply carries it. The server
 * remembers the connected sets (PX_SET_CONNECTED), so that only these can be disconnected. */

#include "connect.h"

#include <string.h>

#include "collective.h"
#include "gds/store.h"
#include "src/nspace/proc_sets.h"
#include "src/server/requests/host_upcall.h"
#include "src/server/state.h"
#include "src/value/directives.h"
#include "src/value/procs.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/wire/messages.h"
#include "gds/level.h"
#include "gds/slice.h"

/* The record that exactly this set is connected, or NULL. The sets are compared in normal form. */
static struct px_proc_set *find_connected(const struct px_coll *coll)
{
    const struct px_proc_sets *sets = coll->server->proc_sets;
    struct px_proc_set *set = px_proc_set_find(sets, PX_SET_CONNECTED, NULL, NULL);

    while (set && !px_coll_set_is(coll, set->members, set->n, set->hash)) {
        set = px_proc_set_next(sets, set, PX_SET_CONNECTED, NULL, NULL);
    }
    return set;
}

/* True if a namespace of the set is a spawned job, which has its parent's name among its data
 * (PMIX_PARENT_ID). Such a job and its parent are connected from the start, without a record. */
static bool is_family(const struct px_coll *coll)
{
    static const char key[] = PMIX_PARENT_ID;
    struct px_slice slice;

    for (size_t i = 0; i < coll->runs.n; i++) {
        const pmix_proc_t *first = &coll->set->at[px_nspace_run_first(&coll->runs, i)];
        struct px_nspace *ns = px_nspace_find(coll->server, first->nspace);

        if (ns && (!px_store_find(ns->store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice) ||
                   !px_store_find(ns->store, PX_LEVEL_PROC, 0, key, sizeof(key) - 1, &slice))) {
            return true;
        }
    }
    return false;
}

/* A process may be in several of these operations at once, but not in two with the same processes:
 * PMIX_ERR_EXISTS. Another connection of the process, a clone, may. PMIX_ERR_OUT_OF_RESOURCE: its
 * user has too many connected sets. */
static int connect_admit(struct px_server *s, const struct px_coll_call *call,
                         const struct px_coll_member *who)
{
    const struct px_coll *first =
        px_colls_first(&s->colls, px_coll_key(call->ops, NULL, call->runs.hash));

    for (const struct px_coll *coll = first; coll;) {
        if (coll->ops == call->ops && px_coll_has_peer(coll, who->peer) &&
            px_coll_set_is(coll, call->set.at, call->set.n, call->runs.hash)) {
            return PMIX_ERR_EXISTS;
        }
        coll = px_list_item(coll->alike.next, const struct px_coll, alike);
        coll = coll != first ? coll : NULL;
    }
    return call->ops == &px_disconnect_ops || px_quota_allows_set(s, &who->proc, call->set.n)
               ? PMIX_SUCCESS
               : PMIX_ERR_OUT_OF_RESOURCE;
}

/* Refuses, for all members, to disconnect processes that are not connected. */
static int disconnect_absorb(struct px_coll *coll, const struct px_coll_call *call,
                             const struct px_coll_member *who)
{
    (void) who;
    return find_connected(coll) || is_family(coll)
               ? px_coll_merge(coll, call->args.head.info, call->args.head.ninfo)
               : PMIX_ERR_INVALID_OPERATION;
}

/* The host is asked even if all members are local: it keeps track of connected processes. */
static void connect_complete(struct px_coll *coll, bool remote)
{
    (void) remote;
    px_coll_ask_host(coll);
}

/* The host's connect, or PMIX_ERR_NOT_SUPPORTED. */
static pmix_status_t connect_ask(struct px_coll *coll, struct px_upcall *up)
{
    pmix_server_connect_fn_t fn = coll->server->host.connect;

    return fn ? fn(up->procs->at, up->procs->n, up->info, up->ninfo, px_hostcb_op,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* The host's disconnect, or PMIX_ERR_NOT_SUPPORTED. */
static pmix_status_t disconnect_ask(struct px_coll *coll, struct px_upcall *up)
{
    pmix_server_disconnect_fn_t fn = coll->server->host.disconnect;

    return fn ? fn(up->procs->at, up->procs->n, up->info, up->ninfo, px_hostcb_op,
                   px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}

/* Records the connected set, once. */
static void connect_finished(struct px_coll *coll, pmix_status_t status)
{
    struct px_proc_set *set;

    px_assert(coll->set->n > 0);
    if (!status && !find_connected(coll)) {
        /* If memory is out, they are connected but cannot disconnect. */
        set = px_proc_set_share(coll->server->proc_sets, PX_SET_CONNECTED, NULL, coll->set);
        if (set) {
            set->hash = coll->runs.hash;
        }
        px_quota_add_set(coll->server, set, &coll->members[0].proc);
    }
}

/* Removes the record, if there is one. */
static void disconnect_finished(struct px_coll *coll, pmix_status_t status)
{
    if (!status) {
        px_proc_set_remove(find_connected(coll));
    }
}

/* Packs one namespace as a byte object: STRING nspace; KVAL... `shared`: instead of the values a
 * mark that they are in the segment sent with this message. Errors leave it out of the reply. */
static void pack_namespace(struct px_buf *reply, struct px_nspace *ns, const struct px_peer *peer,
                           bool shared)
{
    struct px_buf inner = {0};

    (void) px_pack_string(&inner, peer->kind, ns->name);
    if (shared) {
        (void) px_pack_segment(&inner, peer->kind);
    } else {
        (void) px_buf_fail(&inner, px_nspace_append_info(ns, peer->kind, peer->ours, &inner));
    }
    if (px_buf_ok(&inner)) {
        (void) px_pack_bytes(reply, peer->kind, inner.data, inner.len);
    }
    px_buf_fini(&inner);
}

/* Packs the namespaces of the set except the member's own, each once. Values are sent only if
 * the member cannot map the segment. Returns the first namespace whose segment is new to the
 * member, to be sent with the reply, since a message carries one descriptor; the member requests
 * others when it needs them. NULL: none. */
static struct px_nspace *pack_namespaces(struct px_buf *reply, struct px_peer *peer,
                                         const struct px_coll *coll)
{
    struct px_nspace *rides = NULL;

    for (size_t i = 0; i < coll->runs.n; i++) {
        const char *name = coll->set->at[px_nspace_run_first(&coll->runs, i)].nspace;
        struct px_nspace *ns = px_nspace_find(coll->server, name);

        if (!ns || strcmp(name, peer->proc.nspace) == 0) {
            continue;
        }
        if (!px_peer_may_read(peer, ns)) {
            pack_namespace(reply, ns, peer, false);
        } else if (!rides && px_peer_has_news(peer, ns)) {
            pack_namespace(reply, ns, peer, true);
            rides = ns;
        }
    }
    return rides;
}

/* Replies to one member: the status, and after a success the other namespaces. */
static void connect_reply(struct px_coll *coll, const struct px_reply_to *reply_to,
                          pmix_status_t status)
{
    struct px_server *s = coll->server;
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_nspace *rides;
    struct px_buf buf = {0};

    if (!peer || status) {
        px_answer_status(s, reply_to, status);
        return;
    }
    (void) px_pack_status(&buf, peer->kind, PMIX_SUCCESS);
    rides = pack_namespaces(&buf, peer, coll);
    if (rides && px_buf_ok(&buf)) {
        px_answer_offer(s, reply_to, &buf, px_peer_offer(peer, rides));
    } else {
        px_answer_take(s, reply_to, &buf);
    }
}

/* The two operations. A disconnect replies with the status only, a connect with data. */
const struct px_coll_ops px_connect_ops = {
    .request = &px_request_connect,
    .admit = connect_admit,
    .complete = connect_complete,
    .ask = connect_ask,
    .finished = connect_finished,
    .reply = connect_reply,
};

const struct px_coll_ops px_disconnect_ops = {
    .request = &px_request_disconnect,
    .admit = connect_admit,
    .absorb = disconnect_absorb,
    .complete = connect_complete,
    .ask = disconnect_ask,
    .finished = disconnect_finished,
};
