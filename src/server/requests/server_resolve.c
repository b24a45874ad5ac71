/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Resolve calls. The host is asked first, through its query function. If there is none, or its
 * answer lacks the key, the library resolves by its own rules from what the host registered. Any
 * other answer of the host is final, even if it differs from the registered data; so is an error
 * that concerns more than the key. docs/decisions/0018-what-a-host-leaves-open.md */

#include "server_resolve.h"

#include "src/nspace/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "server_query.h"
#include "src/nspace/query_args.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"
#include "src/value/infos.h"

/* Only namespaces that are registered or whose data the host supplied; others are known by name
 * only. */
int px_stores_named(struct px_server *s, const char *nspace, struct px_nspace_stores *ret)
{
    size_t n = 1;

    px_assert(px_loop_inside(s->loop));
    *ret = (struct px_nspace_stores){0};
    px_list_for(struct px_nspace, ns, &s->ns_list, link) {
        n++;
    }
    ret->at = calloc(n, sizeof(*ret->at));
    if (!ret->at) {
        return PMIX_ERR_NOMEM;
    }
    px_list_for(struct px_nspace, ns, &s->ns_list, link) {
        if ((ns->registered || ns->asked_host) &&
            (!nspace || !nspace[0] || strcmp(nspace, ns->name) == 0)) {
            ret->at[ret->n++] = ns->store;
        }
    }
    return PMIX_SUCCESS;
}

/* --- the library's own answer --- */

/* A forked child has no loop thread, but a copy of the lists that nobody changes. */
int px_resolve_here(struct px_server *s, bool peers, const char *node, const char *nspace,
                    struct px_reply *reply)
{
    struct px_nspace_stores stores;
    int rc = px_stores_named(s, nspace, &stores);

    px_assert(px_loop_inside(s->loop) || !px_loop_alive(s->loop));
    if (!rc && peers) {
        rc = px_resolve_peers(stores.at, stores.n, node, &reply->procs, &reply->nprocs);
    } else if (!rc) {
        rc = px_resolve_nodes(stores.at, stores.n, &reply->text);
    }
    free(stores.at);
    return rc;
}

/* --- the host's answer --- */

/* Copies the processes of a host's answer into the reply. An empty value or array: no processes.
 * PMIX_ERR_TYPE_MISMATCH, PMIX_ERR_NOMEM. */
static int take_peers(struct px_reply *reply, const pmix_value_t *value)
{
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;

    if (!array || !array->size) {
        return value->type == PMIX_DATA_ARRAY || value->type == PMIX_UNDEF ? PMIX_SUCCESS
                                                                           : PMIX_ERR_TYPE_MISMATCH;
    }
    if (array->type != PMIX_PROC || !array->array) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    reply->procs = malloc(array->size * sizeof(*reply->procs));
    if (!reply->procs) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(reply->procs, array->array, array->size * sizeof(*reply->procs));
    reply->nprocs = array->size;
    return PMIX_SUCCESS;
}

/* Copies the node list of a host's answer into the reply. An empty value: NULL, no nodes.
 * PMIX_ERR_TYPE_MISMATCH, PMIX_ERR_NOMEM. */
static int take_nodes(struct px_reply *reply, const pmix_value_t *value)
{
    const char *text = value->type == PMIX_STRING ? value->data.string : NULL;

    if (value->type != PMIX_STRING && value->type != PMIX_UNDEF) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    reply->text = text && text[0] ? strdup(text) : NULL;
    return text && text[0] && !reply->text ? PMIX_ERR_NOMEM : PMIX_SUCCESS;
}

/* Remembers that the host declines this kind of query: it is not asked again, and a flag in
 * every segment tells clients to resolve by themselves. */
static void note_declined(struct px_server *s, bool peers)
{
    if (peers) {
        s->peers_declined = true;
    } else {
        s->nodes_declined = true;
    }
    px_list_for(struct px_nspace, ns, &s->ns_list, link) {
        px_store_set_flags(ns->store, (px_store_flags(ns->store) & ~(uint32_t) PX_STORE_HOST_BITS) |
                                          px_nspace_host_flags(s));
    }
}

/* The two services share their functions: true for PMIx_Resolve_peers, false for
 * PMIx_Resolve_nodes. */
static bool is_peers(const struct px_upcall *up)
{
    return up->request == &px_request_resolve_peers;
}

/* The query key for the host. */
static const char *key_of(const struct px_upcall *up)
{
    return is_peers(up) ? PMIX_QUERY_RESOLVE_PEERS : PMIX_QUERY_RESOLVE_NODE;
}

/* Takes the host's answer into the reply. PMIX_ERR_NOT_FOUND: the host has no answer to the key;
 * another error is the result of the request. */
static int hosts_answer(struct px_upcall *up)
{
    struct px_reply *reply = &up->reply;
    const pmix_value_t *value;

    if (px_query_declined(reply->status)) {
        note_declined(up->server, is_peers(up));
        return PMIX_ERR_NOT_FOUND;
    }
    if (reply->status != PMIX_SUCCESS && !px_query_unanswered(reply->status)) {
        return reply->status;
    }
    value = px_query_result(reply->info, reply->ninfo, key_of(up));
    if (!value) {
        return PMIX_ERR_NOT_FOUND;
    }
    return is_peers(up) ? take_peers(reply, value) : take_nodes(reply, value);
}

/* A status from px_resolve_call other than PMIX_ERR_NOT_FOUND, with no query built, is its own
 * error. */
void px_resolve_answered(struct px_upcall *up)
{
    const struct px_resolve_args *args = up->args;
    bool asked = args->query.keys != NULL;
    int rc = PMIX_ERR_NOT_FOUND;

    if (asked) {
        up->server->self_resolves -= !up->reply_to.peer;
        rc = hosts_answer(up);
    } else if (up->reply.status != PMIX_ERR_NOT_FOUND) {
        rc = up->reply.status;
    }
    if (rc == PMIX_ERR_NOT_FOUND) {
        rc = px_resolve_here(up->server, is_peers(up), args->node, args->nspace, &up->reply);
    }
    up->reply.status = rc;
    px_upcall_answer(up);
}

/* --- asking --- */

/* Fills args->query: the key, with namespace, node (this one by default) and requester as
 * qualifiers. 0 or PMIX_ERR_NOMEM; the query is freed with the arguments. */
static int build_query(struct px_upcall *up)
{
    struct px_resolve_args *args = up->args;
    const struct px_server *s = up->server;
    pmix_query_t *query = &args->query;
    int rc = PMIx_Argv_append_nosize(&query->keys, key_of(up));

    if (!rc && args->nspace && args->nspace[0]) {
        rc = px_infos_append(&query->qualifiers, &query->nqual, PMIX_NSPACE, args->nspace,
                             PMIX_STRING);
    }
    if (!rc && is_peers(up)) {
        rc = px_infos_append(&query->qualifiers, &query->nqual, PMIX_HOSTNAME,
                             args->node && args->node[0] ? args->node : s->hostname, PMIX_STRING);
    }
    return rc ? rc
              : px_requester_identify(s, px_peer_find(up->server, up->reply_to.peer),
                                      &query->qualifiers, &query->nqual);
}

/* A host may call resolve while it answers a resolve call of its own process. The inner call is
 * answered from the stores; otherwise the recursion would not end. */
pmix_status_t px_resolve_call(struct px_upcall *up)
{
    struct px_resolve_args *args = up->args;
    struct px_server *s = up->server;
    bool own = !up->reply_to.peer;

    if (!s->host.query || (is_peers(up) ? s->peers_declined : s->nodes_declined) ||
        (own && s->self_resolves)) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (build_query(up)) {
        PMIx_Argv_free(args->query.keys);
        args->query.keys = NULL;
        return PMIX_ERR_NOMEM;
    }
    s->self_resolves += own;
    return s->host.query(&up->proc, &args->query, 1, px_hostcb_infos, px_upcall_handle(up));
}
