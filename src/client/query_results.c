/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which pair belongs to which query is found by order: answers come query by query, and within a
 * query a key is answered as often as it was asked for. What the server adds to the host's answers
 * comes after them; so the search, which goes on from the query of the pair before, wraps around to
 * the first. */

#include "query_results.h"

#include <stdlib.h>
#include <string.h>

#include "src/value/infos.h"
#include "src/value/nested.h"

/* How often the query asks for a key. */
static size_t count_key(const pmix_query_t *query, const char *key)
{
    size_t n = 0;

    for (size_t k = 0; query->keys[k] != NULL; k++) {
        n += strcmp(query->keys[k], key) == 0 ? 1 : 0;
    }
    return n;
}

/* True if any query asks about attribute support, whose answers have a shape of their own. */
static bool about_attributes(const pmix_query_t *queries, size_t nqueries)
{
    for (size_t q = 0; q < nqueries; q++) {
        if (count_key(&queries[q], PMIX_QUERY_ATTRIBUTE_SUPPORT) > 0) {
            return true;
        }
    }
    return false;
}

/* True if pair i may belong to query q: the query asks for its key more often than pairs before
 * have been assigned to it. */
static bool has_room(const pmix_query_t *query, size_t q, const pmix_info_t *flat, size_t i,
                     const size_t *owner)
{
    const pmix_info_t *at = NULL;
    size_t used = 0;

    while ((at = px_infos_next(flat, i, at, flat[i].key)) != NULL) {
        used += owner[at - flat] == q ? 1 : 0;
    }
    return used < count_key(query, flat[i].key);
}

/* Finds the query of each pair: owner[i] is its index, or nqueries if it belongs to none. */
static void assign(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *flat, size_t n,
                   size_t *owner)
{
    size_t current = 0;

    for (size_t i = 0; i < n; i++) {
        owner[i] = nqueries;
        for (size_t k = 0; k < nqueries && owner[i] == nqueries; k++) {
            size_t q = (current + k) % nqueries;

            owner[i] = has_room(&queries[q], q, flat, i, owner) ? q : nqueries;
        }
        current = owner[i] < nqueries ? owner[i] : current;
    }
}

/* Makes the info PMIX_QUERY_QUALIFIERS of a query, by copying. 0 or PMIX_ERR_NOMEM. */
static int load_qualifiers(pmix_info_t *to, const pmix_query_t *query)
{
    pmix_data_array_t array = {.type = PMIX_INFO, .size = query->nqual, .array = query->qualifiers};

    return PMIx_Info_load(to, PMIX_QUERY_QUALIFIERS, &array, PMIX_DATA_ARRAY);
}

/* Makes one PMIX_QUERY_RESULTS: the qualifiers of the query, if any, then copies of its pairs. 0 or
 * PMIX_ERR_NOMEM; then *to is unchanged. */
static int nest(pmix_info_t *to, const pmix_query_t *query, size_t q, const pmix_info_t *flat,
                size_t n, const size_t *owner)
{
    size_t total = query->nqual > 0 ? 1 : 0;
    pmix_data_array_t *array;
    pmix_info_t *info;
    size_t at = 0;
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        total += owner[i] == q ? 1 : 0;
    }
    array = PMIx_Data_array_create(total, PMIX_INFO);
    if (array == NULL) {
        return PMIX_ERR_NOMEM;
    }
    info = array->array;
    if (query->nqual > 0) {
        rc = load_qualifiers(&info[at], query);
        at++;
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (owner[i] == q) {
            rc = px_info_keep(&info[at], &flat[i]);
            at++;
        }
    }
    if (rc != 0) {
        PMIx_Data_array_free(array);
        return rc;
    }
    PMIx_Load_key(to->key, PMIX_QUERY_RESULTS);
    to->value.type = PMIX_DATA_ARRAY;
    to->value.data.darray = array;
    return 0;
}

/* Nothing is nested when the answers have a shape of their own, when the host has nested them
 * already, or when there are none. */
int px_results_shape(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *flat,
                     size_t n_flat, const char *shape, pmix_info_t **ret, size_t *ret_n)
{
    bool as_is = about_attributes(queries, nqueries) ||
                 px_info_find(flat, n_flat, PMIX_QUERY_RESULTS) != NULL ||
                 strcmp(shape, "flat") == 0;
    size_t n_pairs = as_is || strcmp(shape, "nested") != 0 ? n_flat : 0;
    size_t n_nested = as_is || n_flat == 0 ? 0 : nqueries;
    size_t total = n_pairs + n_nested;
    pmix_info_t *info = total > 0 ? PMIx_Info_create(total) : NULL;
    size_t *owner = calloc(n_flat + 1, sizeof(*owner));
    int rc = owner == NULL || (total > 0 && info == NULL) ? PMIX_ERR_NOMEM : 0;

    for (size_t i = 0; i < n_pairs && rc == 0; i++) {
        rc = px_info_keep(&info[i], &flat[i]);
    }
    if (rc == 0 && n_nested > 0) {
        assign(queries, nqueries, flat, n_flat, owner);
    }
    for (size_t q = 0; q < n_nested && rc == 0; q++) {
        rc = nest(&info[n_pairs + q], &queries[q], q, flat, n_flat, owner);
    }
    free(owner);
    if (rc != 0) {
        PMIx_Info_free(info, total);
        return rc;
    }
    *ret = info;
    *ret_n = total;
    return 0;
}
