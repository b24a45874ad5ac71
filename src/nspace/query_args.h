/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_QUERY_ARGS_H
#define PX_NSPACE_QUERY_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

/* What a query says, for whoever asks and whoever answers. Any thread. */

/* Does it ask for something that can be asked, name a process in one way and as a whole, and have
 * the qualifiers that its keys cannot do without? 0 or PMIX_ERR_BAD_PARAM. */
int px_query_check(const pmix_query_t *query);

bool px_query_asks(const pmix_query_t *query, const char *key);

/* The value of the first qualifier with the key, or NULL. */
const pmix_value_t *px_query_qualifier(const pmix_query_t *query, const char *key);

/* The value of a key in the results of a query, flat or in a PMIX_QUERY_RESULTS; NULL: the results
 * do not have the key. */
const pmix_value_t *px_query_result(const pmix_info_t *info, size_t ninfo, const char *key);

/* Do the results, flat or in a PMIX_QUERY_RESULTS, have a key that none of the queries asks for? */
bool px_query_has_other(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *info,
                        size_t ninfo);

/* The process that a query is about; `otherwise` as far as it names none. */
pmix_proc_t px_query_target(const pmix_query_t *query, const pmix_proc_t *otherwise);

/* Are the qualifiers of the keys wanted, instead of values? PMIX_QUERY_SUPPORTED_QUALIFIERS as a
 * qualifier or in front of the keys; its string is that of PMIX_QUERY_QUALIFIERS, which alone
 * cannot be asked for. */
bool px_query_asks_qualifiers(const pmix_query_t *query);

/* Deep copy; NULL: no memory. Free with PMIx_Query_free. */
pmix_query_t *px_queries_copy(const pmix_query_t *queries, size_t n);

#endif
