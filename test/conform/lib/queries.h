/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries and their answers, in few words. Answers may come as pairs, or nested in one
 * PMIX_QUERY_RESULTS for each query: what looks for a value finds it either way. */

#ifndef PX_CONFORM_LIB_QUERIES_H
#define PX_CONFORM_LIB_QUERIES_H

#include "conform.h"

struct queries {
    pmix_query_t *at;
    size_t n;
};

/* keys are joined by commas; quals (may be NULL) is taken. */
void add_query(struct queries *list, const char *keys, struct infos *quals);
void free_queries(struct queries *list);

struct asked {
    pmix_status_t rc;
    pmix_info_t *info;
    size_t n;
};

/* PMIx_Query_info; the list is released. A failure must come without results, and is checked to. */
struct asked ask_all(struct queries *list);
struct asked ask_one(const char *keys, struct infos *quals);
void free_asked(struct asked *asked);

/* The nth PMIX_QUERY_RESULTS: its infos, and how many; NULL: there are no more. */
const pmix_info_t *results(const struct asked *asked, int nth, size_t *ret_n);
/* The value under key in the answer to query number q, or NULL. The next: after one that was
 * found. */
const pmix_value_t *answer_to(const struct asked *asked, int q, const char *key);
/* The same as text: "(none)" when there is none. */
const char *said(const struct asked *asked, int q, const char *key);
/* One key is asked for, and what is said about it, or its status, as text. */
const char *query_text(const char *key, struct infos *quals);

#endif
