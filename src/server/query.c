/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries: the host first, and where it does not know or has no say, what this server knows. A host's success is
 * passed on as it is. */

#include "query.h"

#include <stdlib.h>
#include <string.h>

#include "host.h"


const pmix_value_t *px_qualifier(const pmix_query_t *query, const char *key)
{
    for (size_t i = 0; i < query->nqual; i++) {
        if (strncmp(query->qualifiers[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &query->qualifiers[i].value;
        }
    }
    return NULL;
}

static bool asks_for(const pmix_query_t *query, const char *key)
{
    for (size_t i = 0; query->keys && query->keys[i]; i++) {
        if (strcmp(query->keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* One way to name a process at a time, and what some keys cannot do without. */
static int check(const pmix_query_t *query)
{
    static const struct {
        const char *key;
        const char *qualifier;
    } needs[] = {
        {PMIX_QUERY_JOB_STATUS, PMIX_NSPACE},
        {PMIX_QUERY_PROC_TABLE, PMIX_NSPACE},
        {PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_NSPACE},
        {PMIX_QUERY_GROUP_MEMBERSHIP, PMIX_GROUP_ID},
        {PMIX_QUERY_PSET_MEMBERSHIP, PMIX_PSET_NAME},
    };

    if (px_qualifier(query, PMIX_PROCID) && (px_qualifier(query, PMIX_NSPACE) || px_qualifier(query, PMIX_RANK))) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (asks_for(query, needs[i].key) && !px_qualifier(query, needs[i].qualifier)) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    return PMIX_SUCCESS;
}

/* --- what came back --- */

static bool in_infos(const pmix_info_t *info, size_t ninfo, const char *key, unsigned depth)
{
    for (size_t i = 0; i < ninfo; i++) {
        const pmix_data_array_t *array = info[i].value.type == PMIX_DATA_ARRAY ? info[i].value.data.darray : NULL;

        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return true;
        }
        if (depth && array && array->type == PMIX_INFO && strcmp(info[i].key, PMIX_QUERY_RESULTS) == 0 &&
            in_infos(array->array, array->size, key, depth - 1)) {
            return true;
        }
    }
    return false;
}

/* Adds what the host did not answer and this server knows. Counts keys. */
static int add_own(struct px_upcall *up, size_t *ret_asked, size_t *ret_answered)
{
    size_t n_host = up->ret_ninfo;
    int rc = PMIX_SUCCESS;

    *ret_asked = 0;
    *ret_answered = 0;
    for (size_t i = 0; i < up->nqueries; i++) {
        const pmix_query_t *query = &up->queries[i];

        for (size_t k = 0; query->keys && query->keys[k]; k++) {
            (*ret_asked)++;
            if (in_infos(up->ret_info, n_host, query->keys[k], 1)) {
                (*ret_answered)++;
                continue;
            }
            rc = px_query_own(up->server, &up->proc, query, query->keys[k], &up->ret_info, &up->ret_ninfo);
            if (rc == PMIX_ERR_NOMEM) {
                return rc;
            }
            *ret_answered += rc == PMIX_SUCCESS;
        }
    }
    return PMIX_SUCCESS;
}

static void query_answered(struct px_upcall *up)
{
    size_t asked;
    size_t answered;
    int rc = up->status;

    if (rc == PMIX_ERR_NOT_SUPPORTED || rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_PARTIAL_SUCCESS ||
        rc == PMIX_QUERY_PARTIAL_SUCCESS) {
        rc = add_own(up, &asked, &answered);
        if (!rc && answered < asked) {
            rc = answered ? PMIX_ERR_PARTIAL_SUCCESS
                          : up->status == PMIX_ERR_NOT_SUPPORTED ? PMIX_ERR_NOT_SUPPORTED : PMIX_ERR_NOT_FOUND;
        }
    }
    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_PARTIAL_SUCCESS) {
        px_answer_infos(up->server, &up->from, rc, up->ret_info, up->ret_ninfo);
    } else {
        px_answer_status(up->server, &up->from, rc);
    }
}

/* --- asking --- */

static int set_id(pmix_query_t *query, const char *key, uint32_t id)
{
    for (size_t i = 0; i < query->nqual; i++) {
        if (strncmp(query->qualifiers[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            PMIx_Value_destruct(&query->qualifiers[i].value);
            query->qualifiers[i].value.type = PMIX_UINT32;
            query->qualifiers[i].value.data.uint32 = id;
            return PMIX_SUCCESS;
        }
    }
    return px_infos_append(&query->qualifiers, &query->nqual, key, &id, PMIX_UINT32);
}

int px_query_identify(pmix_query_t *query, uid_t uid, gid_t gid)
{
    int rc = set_id(query, PMIX_USERID, uid);

    return rc ? rc : set_id(query, PMIX_GRPID, gid);
}

void px_go_query(struct px_upcall *up)
{
    pmix_server_query_fn_t fn = up->server->host.query;
    int rc = PMIX_SUCCESS;

    up->done = query_answered;
    for (size_t i = 0; !rc && i < up->nqueries; i++) {
        rc = check(&up->queries[i]);
    }
    if (rc) {
        up->status = rc;
        px_upcall_returned(up, rc);
        return;
    }
    px_upcall_returned(up, fn ? fn(&up->proc, up->queries, up->nqueries, px_up_infos, up) : PMIX_ERR_NOT_SUPPORTED);
}

int px_on_query(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in)
{
    struct px_upcall *up = px_request_create(s, peer, tag);
    size_t n = 0;
    int rc = up ? px_unpack_size(in, &n) : PMIX_ERR_NOMEM;

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
        rc = px_query_identify(&up->queries[i], peer->uid, peer->gid);
    }
    return px_request_go_plain(up, rc, px_go_query);
}
