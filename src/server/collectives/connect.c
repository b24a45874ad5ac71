/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connect and disconnect: gathered like a fence and decided by the host. Who is connected may read
 * the other namespaces' job information: it rides on the answer. */

#include "connect.h"

#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "gds/store.h"
#include "src/value/directives.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/segment_offer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

struct connected {
    struct px_list link;
    pmix_proc_t *set;
    size_t n;
};

static void connected_destroy(struct connected *connected)
{
    px_list_remove(&connected->link);
    free(connected->set);
    free(connected);
}

void px_connected_drop_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->connected)) {
        connected_destroy(px_container_of(s->connected.next, struct connected, link));
    }
}

/* A set that nobody disconnects goes with the last namespace of its members. */
void px_connected_nspace_removed(struct px_server *s)
{
    struct px_list *item;
    struct px_list *next;

    px_assert(px_loop_inside(s->loop));
    px_list_each(item, next, &s->connected) {
        struct connected *one = px_container_of(item, struct connected, link);

        if (!px_nspace_any(s, one->set, one->n)) {
            connected_destroy(one);
        }
    }
}

static struct connected *find_connected(struct px_server *s, const struct px_coll *coll)
{
    struct px_list *item;
    struct px_list *next;

    px_list_each(item, next, &s->connected) {
        struct connected *one = px_container_of(item, struct connected, link);

        if (px_coll_same_set(one->set, one->n, coll->set, coll->nset)) {
            return one;
        }
    }
    return NULL;
}

static int remember(struct px_server *s, const struct px_coll *coll)
{
    struct connected *one;

    if (find_connected(s, coll)) {
        return PMIX_SUCCESS;
    }
    one = calloc(1, sizeof(*one));
    if (!one) {
        return PMIX_ERR_NOMEM;
    }
    px_list_init(&one->link);
    one->set = malloc(coll->nset * sizeof(*one->set));
    if (!one->set) {
        free(one);
        return PMIX_ERR_NOMEM;
    }
    memcpy(one->set, coll->set, coll->nset * sizeof(*one->set));
    one->n = coll->nset;
    px_list_append(&s->connected, &one->link);
    return PMIX_SUCCESS;
}

/* A job and those that spawned it are connected from the start. */
static bool is_family(struct px_server *s, const struct px_coll *coll)
{
    static const char key[] = PMIX_PARENT_ID;
    struct px_slice slice;

    for (size_t i = 0; i < coll->nset; i++) {
        struct px_nspace *ns = px_nspace_find(s, coll->set[i].nspace);

        if (ns && (!px_store_find(ns->store, PX_LEVEL_JOB, 0, key, sizeof(key) - 1, &slice) ||
                   !px_store_find(ns->store, PX_LEVEL_PROC, 0, key, sizeof(key) - 1, &slice))) {
            return true;
        }
    }
    return false;
}

bool px_connected(struct px_server *s, const struct px_coll *coll)
{
    px_assert(px_loop_inside(s->loop));
    return find_connected(s, coll) || is_family(s, coll);
}

static void connect_answered(struct px_upcall *up)
{
    struct px_coll *coll = up->arg;

    if (!coll) {
        return;
    }
    coll->upcall = NULL;
    px_coll_finish(up->server, coll, up->status);
}

void px_connect_complete(struct px_server *s, struct px_coll *coll, bool remote)
{
    bool connect = coll->kind == PX_COLL_CONNECT;
    pmix_server_connect_fn_t fn = connect ? s->host.connect : s->host.disconnect;
    struct px_upcall *up;

    px_assert(px_loop_inside(s->loop));
    (void) remote;
    if (!fn) {
        px_coll_finish(s, coll, PMIX_ERR_NOT_SUPPORTED);
        return;
    }
    up = px_upcall_create(s, NULL, NULL, connect_answered);
    if (!up || px_coll_hand_over(coll, up)) {
        coll->upcall = NULL;
        px_upcall_destroy(up);
        px_coll_finish(s, coll, PMIX_ERR_NOMEM);
        return;
    }
    px_directives_mark(connect ? &px_call_connect : &px_call_disconnect, PX_ATTR_SERVER, up->info,
                       up->ninfo);
    px_upcall_returned(up, fn(up->procs, up->nprocs, up->info, up->ninfo, px_hostcb_op, up));
}

void px_connect_finished(struct px_server *s, struct px_coll *coll, int status)
{
    struct connected *one = find_connected(s, coll);

    px_assert(px_loop_inside(s->loop));
    if (status) {
        return;
    }
    if (coll->kind == PX_COLL_CONNECT) {
        (void) remember(s, coll);
    } else if (one) {
        connected_destroy(one);
    }
}

/* STRING nspace; KVAL... of one namespace, as a byte object. `shared`: it is in the segment that
 * rides along. */
static void pack_namespace(struct px_buf *reply, struct px_nspace *ns, enum px_wire_kind kind,
                           bool shared)
{
    const struct px_buf *packed;
    struct px_buf inner = {0};
    int rc = px_pack_string(&inner, kind, ns->name);

    if (!rc && shared) {
        rc = px_pack_segment(&inner, kind);
    } else if (!rc) {
        rc = px_nspace_packed(ns, kind, &packed);
        if (!rc) {
            px_buf_append(&inner, packed->data, packed->len);
        }
    }
    if (!rc) {
        (void) px_pack_bytes(reply, kind, inner.data, inner.len);
    }
    px_buf_fini(&inner);
}

static bool is_among(const pmix_proc_t *procs, size_t n, const char *nspace)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(procs[i].nspace, nspace) == 0) {
            return true;
        }
    }
    return false;
}

/* What the member is to know of the other namespaces: the job information of those that it reads by
 * messages. The first segment that is new to it rides along; others wait until it needs them. */
static struct px_nspace *pack_namespaces(struct px_server *s, struct px_buf *reply,
                                         struct px_peer *peer, const struct px_coll *coll)
{
    struct px_nspace *rides = NULL;

    for (size_t i = 0; i < coll->nset; i++) {
        const char *name = coll->set[i].nspace;
        struct px_nspace *ns = px_nspace_find(s, name);

        if (!ns || strcmp(name, peer->proc.nspace) == 0 || is_among(coll->set, i, name)) {
            continue;
        }
        if (!px_peer_may_read(peer, ns)) {
            pack_namespace(reply, ns, peer->kind, false);
        } else if (!rides && px_peer_has_news(peer, ns)) {
            pack_namespace(reply, ns, peer->kind, true);
            rides = ns;
        }
    }
    return rides;
}

void px_connect_reply(struct px_server *s, struct px_coll *coll, const struct px_reply_to *reply_to,
                      int status)
{
    struct px_peer *peer = px_peer_find(s, reply_to->peer);
    struct px_nspace *rides;
    struct px_buf buf = {0};

    px_assert(px_loop_inside(s->loop));
    if (!peer || status) {
        px_answer_status(s, reply_to, status);
        return;
    }
    (void) px_pack_status(&buf, peer->kind, PMIX_SUCCESS);
    rides = pack_namespaces(s, &buf, peer, coll);
    if (rides && px_buf_ok(&buf)) {
        px_answer_offer(s, reply_to, &buf, px_peer_offer(peer, rides));
    } else {
        px_answer_take(s, reply_to, &buf);
    }
}

static int on_request(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in,
                      enum px_coll_kind kind)
{
    struct px_coll_call call = {.kind = kind};
    int rc = px_unpack_procs(in, &call.procs, &call.nprocs);

    rc = rc ? rc : px_unpack_infos(in, &call.info, &call.ninfo);
    rc = rc ? rc : px_coll_enter(s, peer, tag, &call);
    px_coll_call_fini(&call);
    return rc;
}

int px_handle_connect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, PX_COLL_CONNECT);
}

int px_handle_disconnect(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    px_assert(px_loop_inside(s->loop));
    return on_request(s, peer, tag, in, PX_COLL_DISCONNECT);
}
