/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_RESULTS_H
#define PX_CLIENT_QUERY_RESULTS_H

/* The shape of query results. Servers answer with key-value pairs, as programs of today expect
 * them; the Standard wants one PMIX_QUERY_RESULTS for each query, with the query's qualifiers in
 * front. The parameter shmix_query_results says which is delivered: "both" (pairs first, then one
 * element a query), "nested", "flat". */

#include <pmix.h>

/* Makes the array that the caller gets from `flat`, which stays as it is; *ret is the caller's
 * (PMIx_Info_free), NULL with *ret_n 0 if there are no results. Queries for attribute
 * support keep their own shape, and results that a host has nested already are left as they are. 0
 * or PMIX_ERR_NOMEM. */
int px_results_shape(const pmix_query_t *queries, size_t nqueries, const pmix_info_t *flat,
                     size_t n_flat, const char *shape, pmix_info_t **ret, size_t *ret_n);

#endif
