/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_CACHE_H
#define PX_CLIENT_QUERY_CACHE_H

/* The cache of queries: answers to earlier queries, by the bytes of the query (its keys and
 * qualifiers). It is px_session.queries, under the session lock; entries stay until they are
 * replaced or the session ends. */

#include "session.h"

/* True if the answer may be kept: none of the keys stands for something that changes while a job
 * runs. */
bool px_query_cache_allowed(const pmix_query_t *queries, size_t n);
/* True if the caller insists on a new answer (PMIX_QUERY_REFRESH_CACHE). */
bool px_query_cache_bypassed(const pmix_query_t *queries, size_t n);

/* A copy of the answer, the caller's (PMIx_Info_free). 0, or PMIX_ERR_NOT_FOUND, also without
 * memory for the copy. Any thread. */
int px_query_cache_find(struct px_session *session, const void *key, size_t len, pmix_info_t **ret,
                        size_t *ret_n);
/* Keeps a copy of the answer; an older one is freed. Without memory nothing is kept. Any thread. */
void px_query_cache_keep(struct px_session *session, const void *key, size_t len,
                         const pmix_info_t *info, size_t n);
/* Frees the cache at the end of the session. */
void px_query_cache_fini(struct px_map *queries);

#endif
