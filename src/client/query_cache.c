/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A map from the packed query to a copy of its answer. Copies are made while the lock is held, so
 * that an entry may be replaced at any time; freeing is done without it. */

#include "query_cache.h"

#include <stdlib.h>
#include <string.h>

#include "src/value/infos.h"

/* One answer, which owns its infos. */
struct px_query_cache_entry {
    pmix_info_t *info;
    size_t n;
};

/* Keys whose answers are not cached, since they change while a job runs. */
static const char *const lively[] = {
    PMIX_QUERY_NAMESPACES,  PMIX_QUERY_NAMESPACE_INFO,    PMIX_QUERY_NUM_GROUPS,
    PMIX_QUERY_GROUP_NAMES, PMIX_QUERY_NUM_PSETS,         PMIX_QUERY_GROUP_MEMBERSHIP,
    PMIX_QUERY_PSET_NAMES,  PMIX_QUERY_PSET_MEMBERSHIP,   PMIX_PSET_NAMES,
    PMIX_GROUP_NAMES,       PMIX_TIME_REMAINING,          PMIX_QUERY_AVAIL_SERVERS,
    PMIX_LOCAL_PROCS,       PMIX_QUERY_ATTRIBUTE_SUPPORT,
};

bool px_query_cache_allowed(const pmix_query_t *queries, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        for (size_t k = 0; queries[q].keys != NULL && queries[q].keys[k] != NULL; k++) {
            for (size_t i = 0; i < sizeof(lively) / sizeof(lively[0]); i++) {
                if (strcmp(queries[q].keys[k], lively[i]) == 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool px_query_cache_bypassed(const pmix_query_t *queries, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        if (px_infos_flag(queries[q].qualifiers, queries[q].nqual, PMIX_QUERY_REFRESH_CACHE)) {
            return true;
        }
    }
    return false;
}

/* Frees an entry. Takes NULL. */
static void cached_free(struct px_query_cache_entry *cached)
{
    if (cached != NULL) {
        PMIx_Info_free(cached->info, cached->n);
        free(cached);
    }
}

/* Without memory for the copy the query is sent again. */
int px_query_cache_find(struct px_session *session, const void *key, size_t len, pmix_info_t **ret,
                        size_t *ret_n)
{
    const struct px_query_cache_entry *cached;
    pmix_info_t *copy = NULL;

    px_lock_take(&session->lock);
    cached = px_map_find(&session->queries, key, len);
    if (cached != NULL) {
        (void) px_infos_copy(cached->info, cached->n, &copy); /* else it is asked for again */
    }
    if (copy != NULL) {
        *ret_n = cached->n;
    }
    px_lock_give(&session->lock);
    if (copy == NULL) {
        return PMIX_ERR_NOT_FOUND;
    }
    *ret = copy;
    return 0;
}

/* An empty answer is not kept. */
void px_query_cache_keep(struct px_session *session, const void *key, size_t len,
                         const pmix_info_t *info, size_t n)
{
    struct px_query_cache_entry *made = calloc(1, sizeof(*made));
    struct px_query_cache_entry *old = NULL;

    if (made == NULL || n == 0) {
        free(made);
        return;
    }
    (void) px_infos_copy(info, n, &made->info); /* else it is not kept */
    made->n = n;
    if (made->info == NULL) {
        free(made);
        return;
    }
    px_lock_take(&session->lock);
    old = px_map_find(&session->queries, key, len);
    if (px_map_set(&session->queries, key, len, made) != 0) {
        old = made;
    }
    px_lock_give(&session->lock);
    cached_free(old);
}

/* Frees an entry, for px_map_each. */
static int free_one(void *arg, const void *key, size_t len, void *value)
{
    (void) arg;
    (void) key;
    (void) len;
    cached_free(value);
    return 0;
}

void px_query_cache_fini(struct px_map *queries)
{
    (void) px_map_each(queries, free_one, NULL);
    px_map_fini(queries);
}
