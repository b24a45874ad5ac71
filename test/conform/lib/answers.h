/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Answers of the library as text, so that a case can compare them in one line. What the library
 * gave is released. */

#ifndef PX_CONFORM_LIB_ANSWERS_H
#define PX_CONFORM_LIB_ANSWERS_H

#include "conform.h"

/* "A:0,A:1"; "" when there is nobody; "-44" when the status is not PMIX_SUCCESS, which must come
 * without a result. The text is the thread's, until its next call. node and nspace may be NULL. */
const char *peers(const char *node, const char *nspace);
/* The same, sorted by namespace and rank. */
const char *peers_sorted(const char *node, const char *nspace);
/* "node0,node1", "(null)" for success without a list, "-44" for another status. */
const char *hosts(const char *nspace);
/* What PMIx_Get says: text as it is, numbers in decimals, an array of processes as above, "-46" for
 * a status. */
const char *got(const char *nspace, pmix_rank_t rank, const char *key, const pmix_info_t *infos,
                size_t n);
/* The same of a process of the caller's namespace, with one directive that is true, or NULL for
 * none. */
const char *got_of(pmix_rank_t rank, const char *key, const char *directive);
/* A get by callback. The caller keeps it until `step` has been told. */
struct late_get {
    const char *step; /* is told when the answer has come */
    pmix_status_t status;
    uint32_t number; /* the value, if it is a PMIX_UINT32; else 0 */
};
/* Begins the get. PMIx_Get_nb must succeed. list: the directives, or NULL for none. */
void get_later(struct late_get *get, const char *nspace, pmix_rank_t rank, const char *key,
               const struct infos *list);
/* Any value, in the same way; "(none)" for NULL. */
const char *text_of(const pmix_value_t *v);

#define same(want, got_, ...) conform_same((want), (got_), __FILE__, __LINE__, __VA_ARGS__)
#define same_for(ids, want, got_, ...)                                                             \
    (conform_enter(ids),                                                                           \
     conform_left(conform_same((want), (got_), __FILE__, __LINE__, __VA_ARGS__)))
bool conform_same(const char *want, const char *is, const char *file, int line, const char *what,
                  ...) __attribute__((format(printf, 5, 6)));

#endif
