/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries: the host first; the server answers the keys that the host's answer does not have. Other
 * errors of the host are passed on. docs/decisions/0018-what-a-host-leaves-open.md */

#include "server_query.h"

#include <stdlib.h>
#include <string.h>

#include "host_upcall.h"
#include "src/value/attributes.h"
#include "src/nspace/query_args.h"
#include "src/server/peers/dispatch.h"
#include "query_local.h"
#include "src/server/peers/peer.h"
#include "src/wire/codec.h"
#include "src/base/assert.h"

/* --- what came back --- */

bool px_query_declined(pmix_status_t status)
{
    return status == PMIX_ERR_NOT_SUPPORTED || status == PMIX_ERR_NOT_IMPLEMENTED;
}

bool px_query_unanswered(pmix_status_t status)
{
    return px_query_declined(status) || status == PMIX_ERR_NOT_FOUND ||
           status == PMIX_ERR_INVALID_VAL || status == PMIX_ERR_PARTIAL_SUCCESS ||
           status == PMIX_QUERY_PARTIAL_SUCCESS;
}

/* How many keys were asked for, and how many have an answer; for how many something is required
 * that is not done here. */
struct tally {
    size_t asked;
    size_t answered;
    size_t unmet;
};

static int add_support(struct px_upcall *up, const pmix_query_t *query, struct tally *tally)
{
    int rc = px_query_local(up->server, &up->proc, query, PMIX_QUERY_ATTRIBUTE_SUPPORT,
                            &up->ret_info, &up->ret_ninfo);

    tally->asked += rc == PMIX_ERR_PARTIAL_SUCCESS ? 2 : 1;
    tally->answered += rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS;
    return rc == PMIX_ERR_NOMEM ? rc : PMIX_SUCCESS;
}

/* Adds what this server knows to one query, and the host, whose answers are the first n_host, did
 * not say. */
static int add_query(struct px_upcall *up, const pmix_query_t *query, size_t n_host,
                     struct tally *tally)
{
    bool met =
        px_directives_met(&px_call_query, px_upcall_levels(up), query->qualifiers, query->nqual);
    unsigned levels;
    size_t k = 0;

    if (met && px_attrs_asked(query, &levels)) {
        return add_support(up, query, tally);
    }
    if (strcmp(query->keys[0], PMIX_QUERY_SUPPORTED_QUALIFIERS) == 0) {
        k++;
    }
    for (; query->keys[k]; k++) {
        int rc = PMIX_ERR_NOT_SUPPORTED;

        tally->asked++;
        if (px_query_result(up->ret_info, n_host, query->keys[k])) {
            tally->answered++;
            continue;
        }
        if (met) {
            rc = px_query_local(up->server, &up->proc, query, query->keys[k], &up->ret_info,
                                &up->ret_ninfo);
        }
        if (rc == PMIX_ERR_NOMEM) {
            return rc;
        }
        tally->answered += rc == PMIX_SUCCESS;
        tally->unmet += !met;
    }
    return PMIX_SUCCESS;
}

static int add_own(struct px_upcall *up)
{
    struct tally tally = {0};
    size_t n_host = up->ret_ninfo;
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; !rc && i < up->nqueries; i++) {
        rc = add_query(up, &up->queries[i], n_host, &tally);
    }
    if (rc || tally.answered == tally.asked) {
        return rc;
    }
    /* A host that answers under keys of its own has answered more than can be counted. */
    if (up->status == PMIX_SUCCESS &&
        px_query_has_other(up->queries, up->nqueries, up->ret_info, n_host)) {
        return PMIX_SUCCESS;
    }
    return tally.answered                                      ? PMIX_ERR_PARTIAL_SUCCESS
           : px_query_declined(up->status) || tally.unmet != 0 ? PMIX_ERR_NOT_SUPPORTED
                                                               : PMIX_ERR_NOT_FOUND;
}

static void query_answered(struct px_upcall *up)
{
    int rc = up->status;

    if (rc == PMIX_SUCCESS || px_query_unanswered(rc)) {
        rc = add_own(up);
    }
    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS) {
        px_answer_infos(up->server, &up->reply_to, rc, up->ret_info, up->ret_ninfo);
    } else {
        px_answer_status(up->server, &up->reply_to, rc);
    }
}

/* --- asking --- */

/* Which attributes are supported, the host's included, is this library's to say. */
static bool hosts_business(const struct px_upcall *up)
{
    unsigned levels;

    for (size_t i = 0; i < up->nqueries; i++) {
        if (!px_attrs_asked(&up->queries[i], &levels)) {
            return true;
        }
    }
    return false;
}

void px_upcall_query(struct px_upcall *up)
{
    pmix_server_query_fn_t fn = up->server->host.query;
    int rc = PMIX_SUCCESS;

    up->done = query_answered;
    for (size_t i = 0; !rc && i < up->nqueries; i++) {
        rc = px_query_check(&up->queries[i]);
    }
    if (!rc && !hosts_business(up)) {
        rc = PMIX_ERR_NOT_FOUND; /* goes on as if the host had said so */
    }
    if (rc) {
        px_upcall_returned(up, rc);
        return;
    }
    px_upcall_returned(up, fn ? fn(&up->proc, up->queries, up->nqueries, px_hostcb_infos, up)
                              : PMIX_ERR_NOT_SUPPORTED);
}

int px_handle_query(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    size_t n = 0;
    int rc = up ? px_unpack_size(in, &n) : PMIX_ERR_NOMEM;

    px_assert(px_loop_inside(s->loop));
    if (!rc && (!n || n > px_in_left(in))) {
        rc = n ? PMIX_ERR_UNPACK_FAILURE : PMIX_ERR_BAD_PARAM;
    }
    if (!rc) {
        up->queries = PMIx_Query_create(n);
        up->nqueries = up->queries ? n : 0;
        rc = up->queries ? px_unpack(in, PMIX_QUERY, up->queries, &n) : PMIX_ERR_NOMEM;
    }
    if (!rc && n != up->nqueries) {
        rc = PMIX_ERR_UNPACK_FAILURE;
    }
    for (size_t i = 0; !rc && i < up->nqueries; i++) {
        rc = px_infos_identify(&up->queries[i].qualifiers, &up->queries[i].nqual, peer->uid,
                               peer->gid);
    }
    return px_request_go_plain(up, rc, px_upcall_query);
}
