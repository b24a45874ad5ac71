/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_NORMAL_FORM_H
#define PX_NSPACE_NORMAL_FORM_H

#include <stddef.h>
#include <stdint.h>

#include "src/value/proc_list.h"

/* How sets of processes get their normal form: sorted, each process once, no ranks beside the
 * wildcard of their namespace, and the wildcard in place of all its ranks where the size of the job
 * is known. Two sets with the same processes have the same normal form then. (src/value/procs.h
 * compares sets in normal form.) Any thread; a set belongs to one at a time. */

/* The namespaces of a set in normal form, in which the processes of each are beside each other:
 * work for each namespace needs no walk over the names of all processes. Zeros: of an empty set.
 * Released with px_nspace_runs_fini. */
struct px_nspace_runs {
    size_t *ends;  /* the index behind the last process of each namespace */
    size_t n;      /* of namespaces */
    uint64_t hash; /* of the set, with this process's seed (seed.h): the same for the same set */
};

/* The index of the first process of a namespace. */
static inline size_t px_nspace_run_first(const struct px_nspace_runs *runs, size_t which)
{
    return which ? runs->ends[which - 1] : 0;
}

void px_nspace_runs_fini(struct px_nspace_runs *runs);

/* Makes the normal form of processes. All ranks of a namespace become its wildcard if `size` (may
 * be NULL) knows how many there are. *ret and *ret_runs are overwritten, and the caller's to
 * release; if the processes are in normal form as they are, *ret is one more owner of their array.
 * 0, PMIX_ERR_BAD_PARAM (no processes, or one without a namespace), PMIX_ERR_NOMEM; nothing has
 * changed then. */
int px_procs_normalise(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                       struct px_proc_list *ret, struct px_nspace_runs *ret_runs);

/* The same in steps, for lists that peers send. *ret is to be ended; errors as above. */
struct px_normalising;
int px_procs_normalise_begin(struct px_shared_procs *procs, px_job_size_fn size, void *arg,
                             size_t most_spaces, struct px_normalising **ret);
/* The next step. Of more than `most` processes it reads, folds or writes about so many, or has one
 * look at a number for each of all processes. 0: it was the last one. PMIX_OPERATION_IN_PROGRESS:
 * others follow. PMIX_ERR_OUT_OF_RESOURCE: the processes are of more than most_spaces namespaces.
 * Other errors as above; no step follows an error. */
int px_procs_normalise_go_on(struct px_normalising *making, size_t most);
/* Frees it. *ret and *ret_runs get the normal form, after the last step; ret == NULL: it is given
 * up. Takes NULL. */
void px_procs_normalise_end(struct px_normalising *making, struct px_proc_list *ret,
                            struct px_nspace_runs *ret_runs);

#endif
