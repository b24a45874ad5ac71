/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries. The host is asked first; the server then answers each key that is missing in the
 * host's answer. Errors of the host that concern the whole request are passed on. A reply with
 * some keys answered has PMIX_ERR_PARTIAL_SUCCESS. The rule:
 * docs/decisions/0018-what-a-host-leaves-open.md */

#include "server_query.h"

#include <stdlib.h>
#include <string.h>

#include "host_upcall.h"
#include "gds/store.h"
#include "src/base/array.h"
#include "src/base/param.h"
#include "src/value/attributes.h"
#include "src/nspace/proc_sets.h"
#include "src/nspace/query_args.h"
#include "src/server/data/nspace.h"
#include "src/server/peers/dispatch.h"
#include "query_local.h"
#include "src/server/peers/peer.h"
#include "src/server/peers/quota.h"

/* --- what an answer takes --- */

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

/* The answer of this server, which is made in turns of the loop if it takes long. */
struct px_query_work {
    size_t cost; /* of all keys, as by cost_of; 0: not known */
    bool begun;
    bool in_turns; /* the reply has a turn of its own, too */
    bool ended;
    size_t n_host; /* infos that the host has given */
    size_t room;   /* of the infos of the reply */
    size_t query;  /* the next one */
    bool reads;    /* it has begun: */
    bool met;      /* its required qualifiers are honoured */
    bool support;  /* it is about attribute support */
    size_t key;    /* the next one */
    struct tally tally;
    struct px_query_turn turn;
};

static struct px_query_work *create_work(size_t cost)
{
    struct px_query_work *work = calloc(1, sizeof(*work));

    if (work) {
        work->cost = cost;
    }
    return work;
}

void px_query_work_free(struct px_query_work *work)
{
    if (work) {
        px_sets_walk_fini(&work->turn.walk);
        free(work);
    }
}

/* Counts the values of some infos as what the peer's request takes. PMIX_ERR_OUT_OF_RESOURCE if
 * that is more than it may take: one request can ask for the same long answer many times. */
static int count_bytes(const struct px_upcall *up, const pmix_info_t *info, size_t ninfo)
{
    struct tally *tally = &up->query->tally;

    for (size_t i = 0; i < ninfo; i++) {
        size_t bytes = 0;

        (void) PMIx_Value_get_size(&info[i].value, &bytes);
        tally->bytes += bytes;
    }
    if (!up->reply_to.peer || tally->bytes <= (size_t) px_param_int(PX_P_PEER_REQUESTS)) {
        return PMIX_SUCCESS;
    }
    px_quota_refused(up->server, up->reply_to.peer, PX_P_PEER_REQUESTS);
    return PMIX_ERR_OUT_OF_RESOURCE;
}

/* Makes room for an info of each key behind those of the host: the array is large, and has not to
 * move in each turn. 0 or PMIX_ERR_NOMEM. */
static int reserve(struct px_upcall *up)
{
    const struct px_query_args *args = up->args;
    struct px_query_work *work = up->query;
    size_t room = up->reply.ninfo + 1;
    pmix_info_t *info;

    for (size_t i = 0; i < args->nqueries; i++) {
        for (char **key = args->queries[i].keys; *key; key++) {
            room++;
        }
    }
    info = realloc(up->reply.info, room * sizeof(*info));
    if (!info) {
        return PMIX_ERR_NOMEM;
    }
    up->reply.info = info;
    work->room = room;
    return PMIX_SUCCESS;
}

/* Moves infos to the reply. 0 or PMIX_ERR_NOMEM: the others are freed. */
static int move_infos(struct px_upcall *up, pmix_info_t *info, size_t ninfo)
{
    struct px_reply *reply = &up->reply;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; i < ninfo; i++) {
        rc = rc ? rc
                : px_array_room(&reply->info, reply->ninfo, &up->query->room, sizeof(*reply->info));
        if (rc) {
            PMIx_Info_destruct(&info[i]);
        } else {
            reply->info[reply->ninfo++] = info[i];
        }
    }
    free(info);
    return rc;
}

/* What a turn looks at: as long as to look at so many sets; what a key is in this measure, and how
 * many infos of the host are looked through in the time of one. */
enum { TURN = 5000, KEY = 8, HOSTS = 8 };

static void take(size_t *left, size_t cost)
{
    *left -= cost < *left ? cost : *left;
}

/* Takes the cost of a key off the turn; sets are counted by their walk. A qualifier costs as much
 * as a set. */
static void spend(const struct px_upcall *up, const pmix_query_t *query, const char *key)
{
    enum px_query_looks_at looks_at = px_query_looks_at(key);
    bool of_sets = looks_at == PX_LOOKS_AT_SETS || looks_at == PX_LOOKS_AT_MEMBERS;
    size_t cost = KEY * (of_sets ? 1 : cost_of(up->server, query, key)) + query->nqual;

    take(&up->query->turn.left, cost);
}

/* Adds this server's answer to one key. The status of px_query_local, or
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int add_key(struct px_upcall *up, const pmix_query_t *query, const char *key)
{
    struct px_query_work *work = up->query;
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    int added;
    int rc;

    if (!work->turn.walk.open) {
        spend(up, query, key);
    }
    rc = px_query_local(up, query, key, &work->turn, &info, &ninfo);
    added = count_bytes(up, info, ninfo);
    rc = added ? added : rc;
    added = move_infos(up, info, ninfo);
    return added ? added : rc;
}

/* True if a status of add_key ends the whole request, or this turn. */
static bool is_final(int rc)
{
    return rc == PMIX_ERR_NOMEM || rc == PMIX_ERR_OUT_OF_RESOURCE || rc == PX_QUERY_MORE;
}

/* Adds the answer to a query for attribute support. It counts as one key, or, if only a part was
 * found, as two of which one is answered. 0, PMIX_ERR_NOMEM or PMIX_ERR_OUT_OF_RESOURCE. */
static int add_support(struct px_upcall *up, const pmix_query_t *query)
{
    struct tally *tally = &up->query->tally;
    int rc = add_key(up, query, PMIX_QUERY_ATTRIBUTE_SUPPORT);

    tally->asked += rc == PMIX_ERR_PARTIAL_SUCCESS ? 2 : 1;
    tally->answered += rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS;
    return is_final(rc) ? rc : PMIX_SUCCESS;
}

/* Adds this server's answer to the next key of a query, unless it is among the infos that the host
 * gave. As add_query. */
static int add_next(struct px_upcall *up, const pmix_query_t *query)
{
    struct px_query_work *work = up->query;
    const char *key = query->keys[work->key];
    bool hosts = px_query_result(up->reply.info, work->n_host, key);
    int rc = hosts ? PMIX_SUCCESS : PMIX_ERR_NOT_SUPPORTED;

    take(&work->turn.left, work->n_host / HOSTS);
    if (!hosts && work->met) {
        rc = add_key(up, query, key);
    }
    if (is_final(rc)) {
        return rc;
    }
    work->key++;
    work->tally.asked++;
    work->tally.answered += rc == PMIX_SUCCESS;
    work->tally.unmet += !hosts && !work->met;
    return PMIX_SUCCESS;
}

/* Looks at all keys and qualifiers of a query, once. */
static void begin_query(struct px_upcall *up, const pmix_query_t *query)
{
    struct px_query_work *work = up->query;
    unsigned levels;

    work->met =
        px_directives_met(&px_call_query, px_upcall_levels(up), query->qualifiers, query->nqual);
    work->support = work->met && px_attrs_asked(query, &levels);
    work->key = px_query_first_key(query);
    work->reads = true;
}

/* Adds this server's answers to the keys of the next query that are left. 0, PX_QUERY_MORE,
 * PMIX_ERR_NOMEM or PMIX_ERR_OUT_OF_RESOURCE. */
static int add_query(struct px_upcall *up, const pmix_query_t *query)
{
    struct px_query_work *work = up->query;
    int rc = PMIX_SUCCESS;

    if (!work->reads) {
        begin_query(up, query);
    }
    if (work->support) {
        return add_support(up, query);
    }
    while (!rc && query->keys[work->key]) {
        rc = work->turn.left ? add_next(up, query) : PX_QUERY_MORE;
    }
    return rc;
}

/* The status of a reply with the answers of host and server. */
static int reply_status(const struct px_upcall *up)
{
    const struct px_query_args *args = up->args;
    const struct px_query_work *work = up->query;
    const struct tally *tally = &work->tally;

    if (tally->answered == tally->asked) {
        return PMIX_SUCCESS;
    }
    /* The host answered under keys that nobody asked for: take its success as it is. */
    if (up->reply.status == PMIX_SUCCESS &&
        px_query_has_other(args->queries, args->nqueries, up->reply.info, work->n_host)) {
        return PMIX_SUCCESS;
    }
    return tally->answered                                            ? PMIX_ERR_PARTIAL_SUCCESS
           : px_query_declined(up->reply.status) || tally->unmet != 0 ? PMIX_ERR_NOT_SUPPORTED
                                                                      : PMIX_ERR_NOT_FOUND;
}

/* Adds this server's answers to the queries, as many as a turn is good for. Returns PX_QUERY_MORE
 * or the status of the reply: success, partial success, PMIX_ERR_NOT_SUPPORTED (no key was answered
 * and the host declines, or a required qualifier is not honoured), PMIX_ERR_NOT_FOUND,
 * PMIX_ERR_OUT_OF_RESOURCE, or PMIX_ERR_NOMEM. */
static int add_own(struct px_upcall *up)
{
    const struct px_query_args *args = up->args;
    struct px_query_work *work = up->query;
    size_t bytes = work->tally.bytes;
    int rc = work->room ? PMIX_SUCCESS : reserve(up);

    work->turn.left = TURN;
    while (!rc && work->query < args->nqueries) {
        rc = work->turn.left ? add_query(up, &args->queries[work->query]) : PX_QUERY_MORE;
        if (!rc) {
            work->query++;
            work->reads = false;
        }
    }
    px_request_grow(up->server, up->reply_to.request, work->tally.bytes - bytes);
    return rc ? rc : reply_status(up);
}

/* True if the peer that waited for the answer has gone. */
static bool is_for_nobody(const struct px_upcall *up)
{
    return up->reply_to.peer && !px_peer_find(up->server, up->reply_to.peer);
}

/* The first call of long work puts it off: the turn in which the request was read was long, too. */
bool px_query_go_on(struct px_upcall *up)
{
    struct px_query_work *work = up->query;
    int rc = up->reply.status;

    if ((work && work->ended) || (rc != PMIX_SUCCESS && !px_query_unanswered(rc))) {
        return false;
    }
    work = work ? work : create_work(0);
    up->query = work;
    if (!work || is_for_nobody(up)) {
        up->reply.status = work ? PMIX_ERR_LOST_CONNECTION : PMIX_ERR_NOMEM;
        return false;
    }
    if (!work->begun) {
        work->begun = true;
        work->n_host = up->reply.ninfo;
        work->in_turns = work->cost > TURN / KEY;
        if (work->in_turns) {
            return true;
        }
    }
    rc = add_own(up);
    if (rc == PX_QUERY_MORE) {
        work->in_turns = true;
        return true;
    }
    up->reply.status = rc;
    work->ended = true;
    return work->in_turns;
}

/* The reply carries infos with a success or a partial success only. */
void px_query_answered(struct px_upcall *up)
{
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

/* What all queries and keys count, up to a little more than one request may have
 * (shmix_max_query_keys). A key counts as what its answer looks at, and once more for each
 * qualifier of its query, as each answer looks at all of them. */
static size_t cost_of_all(const struct px_server *s, const struct px_query_args *args, size_t most)
{
    size_t n = args->nqueries;

    for (size_t i = 0; i < args->nqueries && n <= most; i++) {
        const pmix_query_t *query = &args->queries[i];

        for (char **key = query->keys; key && *key && n <= most; key++) {
            n += cost_of(s, query, *key) + query->nqual;
        }
    }
    return n;
}

/* A query has no directives of its own; the requester is a qualifier of each query. */
int px_query_prepare(struct px_upcall *up, struct px_peer *peer)
{
    const struct px_query_args *args = up->args;
    size_t most = (size_t) px_param_int(PX_P_MAX_QUERY_KEYS);
    size_t cost = peer ? cost_of_all(up->server, args, most) : 0;
    int rc = PMIX_SUCCESS;

    if (cost > most) {
        px_quota_refused(up->server, peer->id, PX_P_MAX_QUERY_KEYS);
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (cost) {
        up->query = create_work(cost);
        rc = up->query ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
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
