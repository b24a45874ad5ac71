/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROCS_H
#define PX_VALUE_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/value/proc_list.h"

/* Comparison of processes, and of sets of them in normal form. PMIX_RANK_WILDCARD stands for
 * every process of its namespace, which makes three relations of two processes:
 *
 *     equal     the same namespace and rank, the wildcard being a rank like others
 *     covers    equal, or the first is the wildcard of the second's namespace
 *     overlap   as PMIx_Check_procid: either may be a wildcard or have no namespace
 *
 * Arguments are borrowed; lists belong to the caller. Any thread. */

/* --- comparisons --- */

/* True if two namespaces have the same name. An empty name equals only an empty one, unlike in
 * PMIx_Check_nspace. */
bool px_same_nspace(const char *a, const char *b);
/* True if namespace and rank are the same; the wildcard is a rank like any other here. */
bool px_proc_equal(const pmix_proc_t *a, const pmix_proc_t *b);
/* True if `by` names the process: it is the same, or the wildcard of its namespace. */
bool px_proc_covers(const pmix_proc_t *by, const pmix_proc_t *proc);

/* The order of the normal form, below, as strcmp(): by namespace, then by rank; the wildcard comes
 * before the ranks of its namespace. */
int px_proc_order(const pmix_proc_t *a, const pmix_proc_t *b);

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
/* True if one of the processes stands for all ranks of its namespace. */
bool px_procs_have_wildcard(const pmix_proc_t *procs, size_t n);
/* True if both arrays have equal processes in the same order. */
bool px_procs_equal(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

/* --- sets in normal form (src/nspace/normal_form.h) --- */

/* True if the processes are sorted, each once, and none is covered by the wildcard of its
 * namespace. */
bool px_procs_are_normal(const pmix_proc_t *set, size_t n);
/* True if an equal process is among those that are in the order of the normal form. O(log n). */
bool px_procs_ordered_has(const pmix_proc_t *procs, size_t n, const pmix_proc_t *proc);
/* px_procs_cover for a set in normal form. O(log n). */
bool px_procs_normal_cover(const pmix_proc_t *set, size_t n, const pmix_proc_t *proc);
/* True if every process of b is covered by one of a. Both have to be in normal form. O(na + nb). */
bool px_procs_include(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);
/* True if a process is covered by both. Both have to be in normal form. O(na + nb). */
bool px_procs_meet(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

#endif
