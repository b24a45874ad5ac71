/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_CACHE_H
#define PX_CLIENT_QUERY_CACHE_H

#include "session.h"

/* Answers to earlier queries, by the bytes of the query: its keys and its qualifiers. */

/* May the answer be kept? Not when it tells of what the server itself changes while a job runs. */
bool px_query_cache_allowed(const pmix_query_t *queries, size_t n);
/* Does the caller insist on a new answer? */
bool px_query_cache_bypassed(const pmix_query_t *queries, size_t n);

/* A copy of the answer, malloc'd. 0 or PMIX_ERR_NOT_FOUND. Any thread. */
int px_query_cache_find(struct px_session *session, const void *key, size_t len, pmix_info_t **ret,
                        size_t *ret_n);
/* Keeps a copy; an older one goes. No memory: nothing is kept. */
void px_query_cache_keep(struct px_session *session, const void *key, size_t len,
                         const pmix_info_t *info, size_t n);
void px_query_cache_fini(struct px_map *queries);

#endif
