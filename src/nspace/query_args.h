/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_QUERY_ARGS_H
#define PX_NSPACE_QUERY_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

/* The parts of a query (pmix_query_t): shared by the process that asks and the server that answers.
 * Any thread.
 *
 * Results have two shapes. Flat: the keys asked for, with their values. Nested: for each query one
 * PMIX_QUERY_RESULTS, an array of its PMIX_QUERY_QUALIFIERS and of the keys with their values.
 * The functions on results read both. */

/* Checks a query: it has a key that may be asked for, identifies a process in one way only and
 * completely, and has the qualifiers that its keys need. 0 or PMIX_ERR_BAD_PARAM. */
int px_query_check(const pmix_query_t *query);

/* True if the key is one of the query's keys. */
bool px_query_asks(const pmix_query_t *query, const char *key);

/* The value of the first qualifier with the key, borrowed; NULL: there is none. */
const pmix_value_t *px_query_qualifier(const pmix_query_t *query, const char *key);

/* The value of a key in the results of a query, flat or inside of a PMIX_QUERY_RESULTS, borrowed;
 * NULL: the results do not have the key. */
const pmix_value_t *px_query_result(const pmix_info_t *info, size_t ninfo, const char *key);

/* True if the results, flat or inside of a PMIX_QUERY_RESULTS, have a key that no query asks
 * for. */
bool px_query_has_other(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *info,
                        size_t ninfo);

/* The process that a query is about. The parts that its qualifiers do not give are those of
 * `otherwise`. */
pmix_proc_t px_query_target(const pmix_query_t *query, const pmix_proc_t *otherwise);

/* The string of PMIX_QUERY_SUPPORTED_QUALIFIERS in programs of series 7. Both are understood,
 * whichever the headers declare. */
#define PX_QUERY_SUPPORTED_QUALIFIERS_7 "pmix.qry.supqual"

/* True if the query asks for the supported qualifiers of its keys instead of their values:
 * PMIX_QUERY_SUPPORTED_QUALIFIERS is a qualifier, or stands in front of the keys. */
bool px_query_asks_qualifiers(const pmix_query_t *query);

/* The index of the first key that is asked for: 1 behind PMIX_QUERY_SUPPORTED_QUALIFIERS, else
 * 0. */
size_t px_query_first_key(const pmix_query_t *query);

/* Deep copy, freed by PMIx_Query_free; NULL: memory is out. */
pmix_query_t *px_queries_copy(const pmix_query_t *queries, size_t n);

#endif
