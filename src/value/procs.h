/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROCS_H
#define PX_VALUE_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* Processes compared, and lists of them. PMIX_RANK_WILDCARD names every process of its namespace.
 * Any thread. */

/* --- comparisons --- */

/* The same namespace and the same rank, the wildcard being a rank like others. */
bool px_proc_equal(const pmix_proc_t *a, const pmix_proc_t *b);
/* Does `by` name the process: the same one, or the wildcard of its namespace? */
bool px_proc_covers(const pmix_proc_t *by, const pmix_proc_t *proc);

/* Index of the first equal one, n if there is none. */
size_t px_procs_find(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc);
bool px_procs_cover(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc);
bool px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace);
/* Equal ones in the same order. */
bool px_procs_equal(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);
/* Is a process in both, as PMIx_Check_procid compares? In whatever form and order. */
bool px_procs_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

/* --- lists that are made --- */

/* Zeros: an empty one. */
struct px_proc_list {
    pmix_proc_t *at;
    size_t n;
    size_t room;
};

/* Answers how many processes a namespace has; 0: unknown. */
typedef uint32_t (*px_job_size_fn)(void *arg, const char *nspace);

/* Appends a process unless an equal one is there. 0 or PMIX_ERR_NOMEM. */
int px_proc_list_add(struct px_proc_list *list, const pmix_proc_t *proc);
/* The same with processes that differ from each other. */
int px_proc_list_add_all(struct px_proc_list *list, const pmix_proc_t *procs, size_t n);
/* Appends processes, each once, a wildcard as the ranks of its namespace if `size` knows how many
 * there are. 0 or PMIX_ERR_NOMEM; then some have been appended. */
int px_proc_list_expand(struct px_proc_list *list, const pmix_proc_t *procs, size_t n,
                        px_job_size_fn size, void *arg);
void px_proc_list_fini(struct px_proc_list *list);

/* --- sets in normal form: sorted, each once, no ranks beside the wildcard of their namespace ---
 */

/* Orders processes; a wildcard comes before the ranks of its namespace. */
/* The normal form. All the ranks of a namespace are its wildcard, if `size` (may be NULL) knows how
 * many there are. *ret is overwritten. 0, PMIX_ERR_BAD_PARAM (no processes, or one without a
 * namespace), PMIX_ERR_NOMEM. */
int px_procs_normalise(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret);
bool px_procs_are_normal(const pmix_proc_t *set, size_t n);
/* Is every process of b one of a's? Both in normal form. */
bool px_procs_include(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

#endif
