/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "query_args.h"

#include <string.h>

#include "gds/lookup.h"
#include "src/value/infos.h"

const pmix_value_t *px_query_qualifier(const pmix_query_t *query, const char *key)
{
    for (size_t i = 0; i < query->nqual; i++) {
        if (strncmp(query->qualifiers[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &query->qualifiers[i].value;
        }
    }
    return NULL;
}

bool px_query_asks(const pmix_query_t *query, const char *key)
{
    for (size_t i = 0; query->keys != NULL && query->keys[i] != NULL; i++) {
        if (strcmp(query->keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* The infos of a PMIX_QUERY_RESULTS; false: it is another info. */
static bool nested_results(const pmix_info_t *info, const pmix_info_t **ret, size_t *ret_n)
{
    const pmix_data_array_t *array =
        info->value.type == PMIX_DATA_ARRAY ? info->value.data.darray : NULL;

    if (strncmp(info->key, PMIX_QUERY_RESULTS, PMIX_MAX_KEYLEN) != 0 || array == NULL ||
        array->type != PMIX_INFO || array->array == NULL) {
        return false;
    }
    *ret = array->array;
    *ret_n = array->size;
    return true;
}

static const pmix_value_t *find_value(const pmix_info_t *info, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &info[i].value;
        }
    }
    return NULL;
}

const pmix_value_t *px_query_result(const pmix_info_t *info, size_t ninfo, const char *key)
{
    const pmix_value_t *value = find_value(info, ninfo, key);
    const pmix_info_t *nested;
    size_t n;

    for (size_t i = 0; value == NULL && i < ninfo; i++) {
        if (nested_results(&info[i], &nested, &n)) {
            value = find_value(nested, n, key);
        }
    }
    return value;
}

/* Does none of the queries ask for the key of the result? Qualifiers come with results unasked. */
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

bool px_query_has_other(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *info,
                        size_t ninfo)
{
    for (size_t i = 0; i < ninfo; i++) {
        const pmix_info_t *at = &info[i];
        size_t n = 1;

        (void) nested_results(&info[i], &at, &n);
        for (size_t k = 0; k < n; k++) {
            if (is_other(queries, nqueries, &at[k])) {
                return true;
            }
        }
    }
    return false;
}

bool px_query_asks_qualifiers(const pmix_query_t *query)
{
    for (size_t i = 0; i < query->nqual; i++) {
        if (strcmp(query->qualifiers[i].key, PMIX_QUERY_SUPPORTED_QUALIFIERS) == 0 &&
            px_value_true(&query->qualifiers[i].value)) {
            return true;
        }
    }
    return query->keys != NULL && query->keys[0] != NULL && query->keys[1] != NULL &&
           strcmp(query->keys[0], PMIX_QUERY_SUPPORTED_QUALIFIERS) == 0;
}

/* What only reports results is no question. */
static bool only_reports(const pmix_query_t *query)
{
    return px_query_asks(query, PMIX_QUERY_RESULTS) ||
           (px_query_asks(query, PMIX_QUERY_QUALIFIERS) && !px_query_asks_qualifiers(query));
}

/* Is a key that only processes have asked for, in the realm that is its own? */
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

pmix_query_t *px_queries_copy(const pmix_query_t *queries, size_t n)
{
    pmix_query_t *copy = PMIx_Query_create(n);

    for (size_t i = 0; copy != NULL && i < n; i++) {
        bool good = true;

        copy[i].keys = PMIx_Argv_copy(queries[i].keys);
        good = copy[i].keys != NULL;
        if (good && queries[i].nqual > 0) {
            PMIx_Query_qualifiers_create(&copy[i], queries[i].nqual);
            good = copy[i].qualifiers != NULL;
        }
        for (size_t q = 0; good && q < queries[i].nqual; q++) {
            good = px_info_keep(&copy[i].qualifiers[q], &queries[i].qualifiers[q]) == PMIX_SUCCESS;
        }
        if (!good) {
            PMIx_Query_free(copy, n);
            return NULL;
        }
    }
    return copy;
}
