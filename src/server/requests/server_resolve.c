/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Resolve calls as they climb: the host's query entry first. Without one, or when its answer does
 * not have the key, the library's rules over what the host registered. Any other answer of the host
 * stands, also one that differs from what is known here; so does an error that is about more than
 * the key. docs/decisions/0018-what-a-host-leaves-open.md */

#include "server_resolve.h"

#include "src/nspace/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "server_query.h"
#include "src/nspace/query_args.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"
#include "src/wire/messages.h"

int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret)
{
    struct px_list *item;
    struct px_list *next;
    size_t n = 1;

    px_assert(px_loop_inside(s->loop));
    *ret = (struct px_nspace_stores){0};
    px_list_each(item, next, &s->ns_list) {
        n++;
    }
    ret->at = calloc(n, sizeof(*ret->at));
    if (!ret->at) {
        return PMIX_ERR_NOMEM;
    }
    px_list_each(item, next, &s->ns_list) {
        struct px_nspace *ns = px_container_of(item, struct px_nspace, link);

        if ((ns->registered || ns->asked_host) &&
            (!nspace || !nspace[0] || strcmp(nspace, ns->name) == 0)) {
            ret->at[ret->n++] = ns->store;
        }
    }
    return PMIX_SUCCESS;
}

/* --- the end --- */

static void resolve_free(struct px_resolve *r)
{
    free(r->node);
    free(r->nspace);
    free(r);
}

/* Takes over procs and nodes. */
static void resolve_finish(struct px_resolve *r, int status, pmix_proc_t *procs, size_t n,
                           char *nodes)
{
    struct px_peer *peer = px_peer_find(r->server, r->reply_to.peer);
    struct px_buf buf = {0};

    if (r->done) {
        r->done(r->arg, status, procs, n, nodes);
        resolve_free(r);
        return;
    }
    if (peer) {
        (void) px_pack_status(&buf, peer->kind, status);
        if (!status && r->peers) {
            (void) px_pack_procs(&buf, peer->kind, procs, n);
        } else if (!status) {
            (void) px_pack_string(&buf, peer->kind, nodes);
        }
        px_answer_take(r->server, &r->reply_to, &buf);
    }
    free(procs);
    free(nodes);
    resolve_free(r);
}

int px_resolve_known(struct px_server *s, bool peers, const char *node, const char *nspace,
                     pmix_proc_t **procs, size_t *nprocs, char **nodes)
{
    struct px_nspace_stores stores;
    int rc = px_stores_named(s, nspace, &stores);

    px_assert(px_loop_inside(s->loop));
    if (!rc && peers) {
        rc = px_resolve_peers(stores.at, stores.n, node, procs, nprocs);
    } else if (!rc) {
        rc = px_resolve_nodes(stores.at, stores.n, nodes);
    }
    free(stores.at);
    return rc;
}

static void answer_self(struct px_resolve *r)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    char *nodes = NULL;
    int rc = px_resolve_known(r->server, r->peers, r->node, r->nspace, &procs, &n, &nodes);

    resolve_finish(r, rc, procs, n, nodes);
}

/* --- the host's answer --- */

/* Nothing under the key: nobody. */
static void finish_peers(struct px_resolve *r, const pmix_value_t *value)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
    pmix_proc_t *procs;

    if (!array || !array->size) {
        bool good = value->type == PMIX_DATA_ARRAY || value->type == PMIX_UNDEF;

        resolve_finish(r, good ? PMIX_SUCCESS : PMIX_ERR_TYPE_MISMATCH, NULL, 0, NULL);
        return;
    }
    if (array->type != PMIX_PROC || !array->array) {
        resolve_finish(r, PMIX_ERR_TYPE_MISMATCH, NULL, 0, NULL);
        return;
    }
    procs = malloc(array->size * sizeof(*procs));
    if (!procs) {
        resolve_finish(r, PMIX_ERR_NOMEM, NULL, 0, NULL);
        return;
    }
    memcpy(procs, array->array, array->size * sizeof(*procs));
    resolve_finish(r, PMIX_SUCCESS, procs, array->size, NULL);
}

/* Nothing under the key: nowhere. */
static void finish_nodes(struct px_resolve *r, const pmix_value_t *value)
{
    const char *text = value->type == PMIX_STRING ? value->data.string : NULL;
    char *nodes = NULL;

    if (value->type != PMIX_STRING && value->type != PMIX_UNDEF) {
        resolve_finish(r, PMIX_ERR_TYPE_MISMATCH, NULL, 0, NULL);
        return;
    }
    if (text && text[0]) {
        nodes = strdup(text);
        if (!nodes) {
            resolve_finish(r, PMIX_ERR_NOMEM, NULL, 0, NULL);
            return;
        }
    }
    resolve_finish(r, PMIX_SUCCESS, NULL, 0, nodes);
}

/* A host that declines one kind is not asked for it again, and clients need not ask us. */
static void note_declined(struct px_server *s, bool peers)
{
    struct px_list *item;
    struct px_list *next;

    if (peers) {
        s->peers_declined = true;
    } else {
        s->nodes_declined = true;
    }
    px_list_each(item, next, &s->ns_list) {
        struct px_nspace *ns = px_container_of(item, struct px_nspace, link);

        px_store_set_flags(ns->store, (px_store_flags(ns->store) & ~(uint32_t) PX_STORE_HOST_BITS) |
                                          px_nspace_host_flags(s));
    }
}

static void resolve_answered(struct px_upcall *up)
{
    struct px_resolve *r = up->arg;
    const char *key = r->peers ? PMIX_QUERY_RESOLVE_PEERS : PMIX_QUERY_RESOLVE_NODE;
    const pmix_value_t *value = NULL;

    r->server->own_resolves -= r->done != NULL;
    if (px_query_declined(up->reply.status)) {
        note_declined(up->server, r->peers);
    } else if (up->reply.status == PMIX_SUCCESS || px_query_unanswered(up->reply.status)) {
        value = px_query_result(up->reply.info, up->reply.ninfo, key);
    } else {
        resolve_finish(r, up->reply.status, NULL, 0, NULL);
        return;
    }
    if (!value) {
        answer_self(r);
    } else if (r->peers) {
        finish_peers(r, value);
    } else {
        finish_nodes(r, value);
    }
}

static int build_query(struct px_query_args *args, const struct px_resolve *r, uid_t uid, gid_t gid)
{
    pmix_query_t *query = PMIx_Query_create(1);
    int rc;

    if (!query) {
        return PMIX_ERR_NOMEM;
    }
    args->queries = query;
    args->nqueries = 1;
    rc = PMIx_Argv_append_nosize(&query->keys,
                                 r->peers ? PMIX_QUERY_RESOLVE_PEERS : PMIX_QUERY_RESOLVE_NODE);
    if (!rc && r->nspace && r->nspace[0]) {
        rc =
            px_infos_append(&query->qualifiers, &query->nqual, PMIX_NSPACE, r->nspace, PMIX_STRING);
    }
    if (!rc && r->peers) {
        rc = px_infos_append(&query->qualifiers, &query->nqual, PMIX_HOSTNAME,
                             r->node && r->node[0] ? r->node : r->server->hostname, PMIX_STRING);
    }
    return rc ? rc : px_infos_identify(&query->qualifiers, &query->nqual, uid, gid);
}

void px_resolve_start(struct px_resolve *r, uid_t uid, gid_t gid)
{
    struct px_server *s = r->server;
    bool skip = !s->host.query || (r->peers ? s->peers_declined : s->nodes_declined);
    const struct px_query_args *args;
    struct px_upcall *up;

    /* A host that resolves while it answers a resolve of its own gets what is known here, or it
     * would go on for ever. */
    if (skip || (r->done && s->own_resolves)) {
        answer_self(r);
        return;
    }
    up = px_upcall_create_for(s, &px_request_query, &r->reply_to, &r->proc, resolve_answered);
    if (!up || build_query(up->args, r, uid, gid)) {
        px_upcall_destroy(up);
        resolve_finish(r, PMIX_ERR_NOMEM, NULL, 0, NULL);
        return;
    }
    up->arg = r;
    args = up->args;
    s->own_resolves += r->done != NULL;
    px_upcall_returned(
        up, s->host.query(&up->proc, args->queries, args->nqueries, px_hostcb_infos, up));
}

/* --- requests --- */

static int start(struct px_server *s, struct px_peer *peer, uint32_t tag, char *node, char *nspace,
                 bool peers)
{
    struct px_resolve *r = calloc(1, sizeof(*r));

    if (!r) {
        free(node);
        free(nspace);
        return PMIX_ERR_NOMEM;
    }
    r->server = s;
    r->reply_to = px_reply_to_peer(peer, tag);
    r->proc = peer->proc;
    r->peers = peers;
    r->node = node;
    r->nspace = nspace;
    px_resolve_start(r, peer->uid, peer->gid);
    return PMIX_SUCCESS;
}

int px_handle_resolve_peers(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in)
{
    char *node = NULL;
    char *nspace = NULL;
    int rc = px_unpack_string(in, &node);

    px_assert(px_loop_inside(s->loop));
    rc = rc ? rc : px_unpack_string(in, &nspace);
    if (rc) {
        free(node);
        return rc;
    }
    return start(s, peer, tag, node, nspace, true);
}

int px_handle_resolve_nodes(struct px_server *s, struct px_peer *peer, uint32_t tag,
                            struct px_in *in)
{
    char *nspace = NULL;
    int rc = px_unpack_string(in, &nspace);

    px_assert(px_loop_inside(s->loop));
    return rc ? rc : start(s, peer, tag, NULL, nspace, false);
}
