/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROCS_H
#define PX_VALUE_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/value/proc_list.h"

/* Comparison of processes, and sets of them in a normal form. PMIX_RANK_WILDCARD stands for
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

/* --- sets in normal form: sorted, each once, no ranks beside the wildcard of their namespace ---
 */

/* Makes the normal form of processes. All ranks of a namespace become its wildcard if `size` (may
 * be NULL) knows how many there are. *ret is overwritten, and the caller's to release; if the
 * processes are in normal form as they are, it is one more owner of their array. 0,
 * PMIX_ERR_BAD_PARAM (no processes, or one without a namespace), PMIX_ERR_NOMEM; *ret is unchanged
 * then. */
int px_procs_normalise(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret);

/* The same in steps, for lists that peers send. *ret is to be ended; errors as above. */
struct px_normalising;
int px_procs_normalise_begin(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                             size_t most_spaces, struct px_normalising **ret);
/* The next step, of so many processes at most. 0: it was the last one.
 * PMIX_OPERATION_IN_PROGRESS: others follow. PMIX_ERR_OUT_OF_RESOURCE: the processes are of more
 * than most_spaces namespaces. Other errors as above; no step follows an error. */
int px_procs_normalise_go_on(struct px_normalising *making, size_t most);
/* Frees it. *ret gets the normal form, after the last step; NULL: it is given up. Takes NULL. */
void px_procs_normalise_end(struct px_normalising *making, struct px_proc_list *ret);

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
