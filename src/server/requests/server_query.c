/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries. The host is asked first; the server then answers each key that is missing in the
 * host's answer. Errors of the host that concern the whole request are passed on. A reply with
 * some keys answered has PMIX_ERR_PARTIAL_SUCCESS. The rule:
 * docs/decisions/0018-what-a-host-leaves-open.md */

#include "server_query.h"

#include <string.h>

#include "host_upcall.h"
#include "gds/store.h"
#include "src/base/param.h"
#include "src/value/attributes.h"
#include "src/nspace/proc_sets.h"
#include "src/nspace/query_args.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "query_local.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"

/* --- the answer --- */

/* For resolve calls the server remembers such an answer (server_resolve.c). */
bool px_query_declined(pmix_status_t status)
{
    return status == PMIX_ERR_NOT_SUPPORTED || status == PMIX_ERR_NOT_IMPLEMENTED;
}

/* PMIX_ERR_INVALID_VAL: OpenPMIx's servers refuse a query with it that they cannot read. */
bool px_query_unanswered(pmix_status_t status)
{
    return px_query_declined(status) || status == PMIX_ERR_NOT_FOUND ||
           status == PMIX_ERR_INVALID_VAL || status == PMIX_ERR_PARTIAL_SUCCESS ||
           status == PMIX_QUERY_PARTIAL_SUCCESS;
}

/* Counts over all queries of a request, from which the status of the reply follows. */
struct tally {
    size_t asked;    /* keys */
    size_t answered; /* keys with a value in the reply */
    size_t unmet;    /* keys of a query with a required qualifier that is not honoured */
    size_t bytes;    /* of the values that this server has added */
};

/* Counts the values from the nth of the reply on, as what the peer's request takes.
 * PMIX_ERR_OUT_OF_RESOURCE if that is more than it may take: one request can ask for the same long
 * answer many times. */
static int count_bytes(const struct px_upcall *up, size_t nth, struct tally *tally)
{
    size_t sum = 0;

    for (; nth < up->reply.ninfo; nth++) {
        size_t bytes = 0;

        (void) PMIx_Value_get_size(&up->reply.info[nth].value, &bytes);
        sum += bytes;
    }
    tally->bytes += sum;
    px_request_grow(up->server, up->reply_to.request, sum);
    if (!up->reply_to.peer || tally->bytes <= (size_t) px_param_int(PX_P_PEER_REQUESTS)) {
        return PMIX_SUCCESS;
    }
    px_quota_refused(up->server, up->reply_to.peer, PX_P_PEER_REQUESTS);
    return PMIX_ERR_OUT_OF_RESOURCE;
}

/* Adds this server's answer to one key. The status of px_query_local, or
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int add_key(struct px_upcall *up, const pmix_query_t *query, const char *key,
                   struct tally *tally)
{
    size_t before = up->reply.ninfo;
    int rc = px_query_local(up, query, key);
    int counted = count_bytes(up, before, tally);

    return counted ? counted : rc;
}

/* True if a status of add_key ends the whole request. */
static bool is_fatal(int rc)
{
    return rc == PMIX_ERR_NOMEM || rc == PMIX_ERR_OUT_OF_RESOURCE;
}

/* Adds the answer to a query for attribute support. It counts as one key, or, if only a part was
 * found, as two of which one is answered. 0, PMIX_ERR_NOMEM or PMIX_ERR_OUT_OF_RESOURCE. */
static int add_support(struct px_upcall *up, const pmix_query_t *query, struct tally *tally)
{
    int rc = add_key(up, query, PMIX_QUERY_ATTRIBUTE_SUPPORT, tally);

    tally->asked += rc == PMIX_ERR_PARTIAL_SUCCESS ? 2 : 1;
    tally->answered += rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS;
    return is_fatal(rc) ? rc : PMIX_SUCCESS;
}

/* Adds this server's answers to the keys of one query that are not among the first n_host infos,
 * which the host gave. 0, PMIX_ERR_NOMEM or PMIX_ERR_OUT_OF_RESOURCE. */
static int add_query(struct px_upcall *up, const pmix_query_t *query, size_t n_host,
                     struct tally *tally)
{
    bool met =
        px_directives_met(&px_call_query, px_upcall_levels(up), query->qualifiers, query->nqual);
    unsigned levels;

    if (met && px_attrs_asked(query, &levels)) {
        return add_support(up, query, tally);
    }
    for (size_t k = px_query_first_key(query); query->keys[k]; k++) {
        int rc = PMIX_ERR_NOT_SUPPORTED;

        tally->asked++;
        if (px_query_result(up->reply.info, n_host, query->keys[k])) {
            tally->answered++;
            continue;
        }
        if (met) {
            rc = add_key(up, query, query->keys[k], tally);
        }
        if (is_fatal(rc)) {
            return rc;
        }
        tally->answered += rc == PMIX_SUCCESS;
        tally->unmet += !met;
    }
    return PMIX_SUCCESS;
}

/* Adds this server's answers to all queries. Returns the status of the reply: success, partial
 * success, PMIX_ERR_NOT_SUPPORTED (no key was answered and the host declines, or a required
 * qualifier is not honoured), PMIX_ERR_NOT_FOUND, PMIX_ERR_OUT_OF_RESOURCE, or PMIX_ERR_NOMEM. */
static int add_own(struct px_upcall *up)
{
    const struct px_query_args *args = up->args;
    struct tally tally = {0};
    size_t n_host = up->reply.ninfo;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < args->nqueries; i++) {
        rc = add_query(up, &args->queries[i], n_host, &tally);
    }
    if (rc || tally.answered == tally.asked) {
        return rc;
    }
    /* The host answered under keys that nobody asked for: take its success as it is. */
    if (up->reply.status == PMIX_SUCCESS &&
        px_query_has_other(args->queries, args->nqueries, up->reply.info, n_host)) {
        return PMIX_SUCCESS;
    }
    return tally.answered                                            ? PMIX_ERR_PARTIAL_SUCCESS
           : px_query_declined(up->reply.status) || tally.unmet != 0 ? PMIX_ERR_NOT_SUPPORTED
                                                                     : PMIX_ERR_NOT_FOUND;
}

/* The reply carries infos with a success or a partial success only. */
void px_query_answered(struct px_upcall *up)
{
    int rc = up->reply.status;

    if (rc == PMIX_SUCCESS || px_query_unanswered(rc)) {
        up->reply.status = add_own(up);
    }
    if (up->reply.status != PMIX_SUCCESS && up->reply.status != PMIX_ERR_PARTIAL_SUCCESS) {
        px_answer_status(up->server, &up->reply_to, up->reply.status);
        return;
    }
    px_upcall_answer(up);
}

/* --- the request --- */

/* True if the host has to be asked: some query is not about attribute support. The library
 * answers that one itself, the host's attributes included, since the host registers them here
 * (PMIx_Register_attributes). */
static bool hosts_business(const struct px_query_args *args)
{
    unsigned levels;

    for (size_t i = 0; i < args->nqueries; i++) {
        if (!px_attrs_asked(&args->queries[i], &levels)) {
            return true;
        }
    }
    return false;
}

/* How many sets, members or nodes are looked at in the time of a key that looks at little; and what
 * a key, or the name of a node, counts at most, so that a few of them may always be asked for. */
enum { SETS_A_KEY = 64, NODES_A_KEY = 64, SETS_COST = 256, COST = 1024 };

static size_t count_nodes(const struct px_server *s)
{
    struct px_store_info info;
    size_t n = 0;

    px_list_for(const struct px_nspace, ns, &s->ns_list, link) {
        px_store_info(ns->store, &info);
        n += info.n_nodes;
    }
    return n;
}

/* What the names of nodes in a query count: a name that a namespace does not have as it stands is
 * compared with all of its nodes. */
static size_t cost_of_nodes(const struct px_server *s, const pmix_query_t *query)
{
    size_t names = 0;
    size_t cost;

    for (size_t i = 0; i < query->nqual; i++) {
        names += px_info_find(&query->qualifiers[i], 1, PMIX_HOSTNAME) != NULL;
    }
    cost = names ? count_nodes(s) / NODES_A_KEY : 0;
    return names * (cost < COST ? cost : COST);
}

/* What a key counts: how many keys that look at little would take as long. */
static size_t cost_of(const struct px_server *s, const pmix_query_t *query, const char *key)
{
    enum px_query_looks_at looks_at = px_query_looks_at(key);
    const struct px_proc_sets *sets = s->proc_sets;
    size_t cost;

    if (looks_at == PX_LOOKS_AT_LITTLE || looks_at == PX_LOOKS_AT_FILES) {
        return looks_at == PX_LOOKS_AT_LITTLE ? 1 : COST;
    }
    if (looks_at == PX_LOOKS_AT_NODES) {
        return 1 + cost_of_nodes(s, query);
    }
    if (looks_at == PX_LOOKS_AT_SETS && !px_query_qualifier(query, PMIX_RANGE)) {
        cost = 1 + sets->n / SETS_A_KEY;
        return cost < SETS_COST ? cost : SETS_COST;
    }
    cost = 1 + (sets->n + sets->n_members) / SETS_A_KEY;
    return cost < COST ? cost : COST;
}

/* True if there are more queries and keys than one request may have (shmix_max_query_keys). A key
 * counts as what its answer looks at, and once more for each qualifier of its query, as each answer
 * looks at all of them. */
static bool asks_too_much(const struct px_server *s, const struct px_query_args *args)
{
    size_t most = (size_t) px_param_int(PX_P_MAX_QUERY_KEYS);
    size_t n = args->nqueries;

    for (size_t i = 0; i < args->nqueries && n <= most; i++) {
        const pmix_query_t *query = &args->queries[i];

        for (char **key = query->keys; key && *key && n <= most; key++) {
            n += cost_of(s, query, *key) + query->nqual;
        }
    }
    return n > most;
}

/* A query has no directives of its own; the requester is a qualifier of each query. */
int px_query_prepare(struct px_upcall *up, struct px_peer *peer)
{
    const struct px_query_args *args = up->args;
    int rc = PMIX_SUCCESS;

    if (peer && asks_too_much(up->server, args)) {
        px_quota_refused(up->server, peer->id, PX_P_MAX_QUERY_KEYS);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    for (size_t i = 0; !rc && i < args->nqueries; i++) {
        rc = px_requester_identify(up->server, peer, &args->queries[i].qualifiers,
                                   &args->queries[i].nqual);
    }
    return rc;
}

/* All queries are checked before the host sees the first: a malformed one refuses the request. */
pmix_status_t px_query_call(struct px_upcall *up)
{
    const struct px_query_args *args = up->args;
    pmix_server_query_fn_t fn = up->server->host.query;

    for (size_t i = 0; i < args->nqueries; i++) {
        int rc = px_query_check(&args->queries[i]);

        if (rc) {
            return rc;
        }
    }
    if (!hosts_business(args)) {
        return PMIX_ERR_NOT_FOUND; /* as if the host had no answer: px_query_answered adds ours */
    }
    return fn ? fn(&up->proc, args->queries, args->nqueries, px_hostcb_infos, px_upcall_handle(up))
              : PMIX_ERR_NOT_SUPPORTED;
}
