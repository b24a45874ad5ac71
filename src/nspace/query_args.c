/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading and checking queries and their results.
 *
 * A process is identified by PMIX_PROCID, or by PMIX_NSPACE and PMIX_RANK; a job by PMIX_NSPACE
 * alone. A query of the values of a process has to give its rank, too; one about another realm
 * (PMIX_JOB_INFO and the like) has not. */

#include "query_args.h"

#include <string.h>

#include "gds/lookup.h"
#include "src/value/infos.h"

/* Qualifiers are few: a linear search. */
const pmix_value_t *px_query_qualifier(const pmix_query_t *query, const char *key)
{
    return px_info_find(query->qualifiers, query->nqual, key);
}

/* Takes a query without keys. */
bool px_query_asks(const pmix_query_t *query, const char *key)
{
    for (size_t i = 0; query->keys != NULL && query->keys[i] != NULL; i++) {
        if (strcmp(query->keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* Flat results have precedence; then each PMIX_QUERY_RESULTS is searched, one level deep. */
const pmix_value_t *px_query_result(const pmix_info_t *info, size_t ninfo, const char *key)
{
    const pmix_value_t *value = px_info_find(info, ninfo, key);
    const pmix_info_t *at = NULL;
    const pmix_info_t *nested;
    size_t n;

    while (value == NULL && (at = px_infos_next(info, ninfo, at, PMIX_QUERY_RESULTS)) != NULL) {
        if (px_info_open(&at->value, &nested, &n) == 0) {
            value = px_info_find(nested, n, key);
        }
    }
    return value;
}

/* True if no query asks for the key of the result. PMIX_QUERY_QUALIFIERS comes with results
 * unasked. */
static bool is_other(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *info)
{
    pmix_key_t key;

    PMIx_Load_key(key, info->key);
    for (size_t q = 0; q < nqueries; q++) {
        if (px_query_asks(&queries[q], key)) {
            return false;
        }
    }
    return strcmp(key, PMIX_QUERY_QUALIFIERS) != 0;
}

/* Nested results that cannot be opened, or are empty, count as other ones. */
bool px_query_has_other(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *info,
                        size_t ninfo)
{
    for (size_t i = 0; i < ninfo; i++) {
        const pmix_info_t *at = &info[i];
        size_t n = 1;

        if (px_infos_next(at, 1, NULL, PMIX_QUERY_RESULTS) != NULL &&
            (px_info_open(&info[i].value, &at, &n) != 0 || n == 0)) {
            return true;
        }
        for (size_t k = 0; k < n; k++) {
            if (is_other(queries, nqueries, &at[k])) {
                return true;
            }
        }
    }
    return false;
}

/* The strings of PMIX_QUERY_SUPPORTED_QUALIFIERS: before series 7 that of PMIX_QUERY_QUALIFIERS,
 * which cannot be asked for alone; so either counts only with a further key behind it. */
static const char *const asks_qualifiers[] = {PMIX_QUERY_QUALIFIERS,
                                              PX_QUERY_SUPPORTED_QUALIFIERS_7};
enum { N_STRINGS = sizeof(asks_qualifiers) / sizeof(asks_qualifiers[0]) };

size_t px_query_first_key(const pmix_query_t *query)
{
    for (size_t i = 0; i < N_STRINGS; i++) {
        if (query->keys != NULL && query->keys[0] != NULL && query->keys[1] != NULL &&
            strcmp(query->keys[0], asks_qualifiers[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

bool px_query_asks_qualifiers(const pmix_query_t *query)
{
    bool on = px_query_first_key(query) > 0;

    for (size_t i = 0; !on && i < N_STRINGS; i++) {
        on = px_infos_flag(query->qualifiers, query->nqual, asks_qualifiers[i]);
    }
    return on;
}

/* True if the query names a key that only occurs in results. */
static bool only_reports(const pmix_query_t *query)
{
    return px_query_asks(query, PMIX_QUERY_RESULTS) ||
           (px_query_asks(query, PMIX_QUERY_QUALIFIERS) && !px_query_asks_qualifiers(query));
}

/* True if the query asks for a key of the process realm and does not choose another realm by a
 * qualifier. */
static bool about_process(const pmix_query_t *query)
{
    static const char *const realms[] = {PMIX_SESSION_INFO, PMIX_JOB_INFO, PMIX_APP_INFO,
                                         PMIX_NODE_INFO};

    for (size_t i = 0; i < sizeof(realms) / sizeof(realms[0]); i++) {
        if (px_query_qualifier(query, realms[i]) != NULL) {
            return false;
        }
    }
    for (size_t i = 0; query->keys[i] != NULL; i++) {
        if (px_key_realm(query->keys[i], strlen(query->keys[i])) == PX_REALM_PROC) {
            return true;
        }
    }
    return false;
}

/* The table has the qualifiers that the Standard requires with a key. */
int px_query_check(const pmix_query_t *query)
{
    static const struct {
        const char *key;
        const char *qualifier;
    } needs[] = {
        {PMIX_QUERY_JOB_STATUS, PMIX_NSPACE},         {PMIX_QUERY_PROC_TABLE, PMIX_NSPACE},
        {PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_NSPACE},   {PMIX_QUERY_GROUP_MEMBERSHIP, PMIX_GROUP_ID},
        {PMIX_QUERY_PSET_MEMBERSHIP, PMIX_PSET_NAME},
    };
    bool nspace = px_query_qualifier(query, PMIX_NSPACE) != NULL;
    bool rank = px_query_qualifier(query, PMIX_RANK) != NULL;

    if (query->keys == NULL || query->keys[0] == NULL || only_reports(query)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_query_qualifier(query, PMIX_PROCID) != NULL && (nspace || rank)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_query_asks_qualifiers(query)) {
        return PMIX_SUCCESS;
    }
    if ((rank && !nspace) || (nspace && !rank && about_process(query))) {
        return PMIX_ERR_BAD_PARAM;
    }
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (px_query_asks(query, needs[i].key) &&
            px_query_qualifier(query, needs[i].qualifier) == NULL) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    return PMIX_SUCCESS;
}

/* PMIX_PROCID has precedence; a qualifier of a wrong type is ignored. */
pmix_proc_t px_query_target(const pmix_query_t *query, const pmix_proc_t *otherwise)
{
    const pmix_value_t *proc = px_query_qualifier(query, PMIX_PROCID);
    const pmix_value_t *nspace = px_query_qualifier(query, PMIX_NSPACE);
    const pmix_value_t *rank = px_query_qualifier(query, PMIX_RANK);
    pmix_proc_t target = *otherwise;

    if (proc != NULL && proc->type == PMIX_PROC && proc->data.proc != NULL) {
        return *proc->data.proc;
    }
    if (nspace != NULL && nspace->type == PMIX_STRING && nspace->data.string != NULL) {
        PMIx_Load_nspace(target.nspace, nspace->data.string);
    }
    if (rank != NULL && rank->type == PMIX_PROC_RANK) {
        target.rank = rank->data.rank;
    }
    return target;
}

/* A failure within frees the whole copy. Queries must have keys, which px_query_check ensures. */
pmix_query_t *px_queries_copy(const pmix_query_t *queries, size_t n)
{
    pmix_query_t *copy = PMIx_Query_create(n);

    for (size_t i = 0; copy != NULL && i < n; i++) {
        const pmix_query_t *from = &queries[i];

        copy[i].keys = PMIx_Argv_copy(from->keys);
        if (copy[i].keys == NULL ||
            px_infos_copy(from->qualifiers, from->nqual, &copy[i].qualifiers)) {
            PMIx_Query_free(copy, n);
            return NULL;
        }
        copy[i].nqual = copy[i].qualifiers != NULL ? from->nqual : 0;
    }
    return copy;
}
