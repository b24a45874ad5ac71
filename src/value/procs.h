/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROCS_H
#define PX_VALUE_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/map.h"

/* Comparison of processes, lists of them, and sets in a normal form. PMIX_RANK_WILDCARD stands for
 * every process of its namespace, which makes three relations of two processes:
 *
 *     equal     the same namespace and rank, the wildcard being a rank like others
 *     covers    equal, or the first is the wildcard of the second's namespace
 *     overlap   as PMIx_Check_procid: either may be a wildcard or have no namespace
 *
 * Arguments are borrowed; lists belong to the caller. Any thread. */

/* --- comparisons --- */

/* True if namespace and rank are the same; the wildcard is a rank like any other here. */
bool px_proc_equal(const pmix_proc_t *a, const pmix_proc_t *b);
/* True if `by` names the process: it is the same, or the wildcard of its namespace. */
bool px_proc_covers(const pmix_proc_t *by, const pmix_proc_t *proc);

/* What stands for a process in a map: its rank and its name, without padding. Writes it to `ret`,
 * of so many bytes, and returns its length; a byte of zero may follow it where keys are joined. */
enum { PX_PROC_KEY_ROOM = sizeof(pmix_rank_t) + PMIX_MAX_NSLEN };
size_t px_proc_key(const pmix_proc_t *proc, char *ret);
/* The same of a process by its parts. */
size_t px_proc_key_of(const char *nspace, pmix_rank_t rank, char *ret);

/* The index of the first equal process; n if there is none. */
size_t px_procs_find(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc);
/* True if one of the processes covers proc. */
bool px_procs_cover(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc);
/* True if one of the processes is of the namespace. */
bool px_procs_have_nspace(const pmix_proc_t *procs, size_t n, const char *nspace);
/* True if both arrays have equal processes in the same order. */
bool px_procs_equal(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

/* --- lists that are made --- */

/* A growing array of processes, in malloc memory. Zeros are an empty list. Released with
 * px_proc_list_fini. */
struct px_proc_list {
    pmix_proc_t *at;
    size_t n, room;
    size_t n_ordered; /* so many at its beginning are in the order of the normal form, each once */
    struct px_map index; /* of a long list that is not ordered: namespace and rank of each of the
                            first n_indexed */
    size_t n_indexed;
};

/* Returns the number of processes of a namespace; 0 if it is not known. Must not change the
 * list. */
typedef uint32_t (*px_job_size_fn)(void *arg, const char *nspace);

/* Appends a process unless the list has an equal one. Costs as px_proc_list_has; as a comparison if
 * it comes behind all others in the order of the normal form, as members of a job mostly do. 0 or
 * PMIX_ERR_NOMEM; the list is unchanged then. */
int px_proc_list_add(struct px_proc_list *list, const pmix_proc_t *proc);
/* The same for n processes. On failure some have been appended. */
int px_proc_list_add_all(struct px_proc_list *list, const pmix_proc_t *procs, size_t n);
/* Appends processes, each once; a wildcard as the ranks of its namespace, if `size` (may be NULL)
 * knows how many there are. 0 or PMIX_ERR_NOMEM; some have been appended then. */
int px_proc_list_expand(struct px_proc_list *list, const pmix_proc_t *procs, size_t n,
                        px_job_size_fn size, void *arg);
/* True if the list has an equal process. O(1); O(log n) if the list is ordered; linear if memory is
 * out. */
bool px_proc_list_has(struct px_proc_list *list, const pmix_proc_t *proc);
/* Removes the processes that one of `gone` covers; the others keep their order. */
void px_proc_list_remove(struct px_proc_list *list, const pmix_proc_t *gone, size_t n_gone);
/* Hands out the array, which is the caller's to free(), and leaves an empty list. */
pmix_proc_t *px_proc_list_take(struct px_proc_list *list);
/* Frees array and index, and leaves an empty list. */
void px_proc_list_fini(struct px_proc_list *list);

/* --- sets in normal form: sorted, each once, no ranks beside the wildcard of their namespace ---
 */

/* Makes the normal form of an array of processes. All ranks of a namespace become its wildcard if
 * `size` (may be NULL) knows how many there are. *ret is overwritten, and the caller's to release.
 * 0, PMIX_ERR_BAD_PARAM (no processes, or one without a namespace), PMIX_ERR_NOMEM; *ret is
 * unchanged then. */
int px_procs_normalise(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret);
/* The same; but if the processes are in normal form as they are, *ret_lent is set, and *ret has the
 * array itself: it is not to be changed, nor released. */
int px_procs_normalise_or_lend(const pmix_proc_t *procs, size_t n, px_job_size_fn size, void *arg,
                               struct px_proc_list *ret, bool *ret_lent);
/* True if the processes are sorted, each once, and none is covered by the wildcard of its
 * namespace. */
bool px_procs_are_normal(const pmix_proc_t *set, size_t n);
/* px_procs_cover for a set in normal form. O(log n). */
bool px_procs_normal_cover(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc);
/* True if every process of b is covered by one of a. Both have to be in normal form. O(na + nb). */
bool px_procs_include(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);
/* True if a process is covered by both. Both have to be in normal form. O(na + nb). */
bool px_procs_meet(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

#endif
