/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROC_LIST_H
#define PX_VALUE_PROC_LIST_H

/* Lists of processes that are made, and arrays of them that have several owners: a process takes
 * 260 bytes, and there may be 125,000 of them in a message. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

#include "src/base/map.h"

/* --- arrays that have several owners --- */

/* One array of processes that has several owners. It must not be changed. Any thread. */
struct px_shared_procs {
    uint64_t n_owners; /* atomic */
    pmix_proc_t *at;   /* of malloc; NULL: none */
    size_t n;
};

/* Takes over an array of malloc (NULL: none). The caller is the first owner. NULL: memory is out;
 * the array stays the caller's. */
struct px_shared_procs *px_shared_procs_take(pmix_proc_t *at, size_t n);
/* The same with a copy. */
struct px_shared_procs *px_shared_procs_copy(const pmix_proc_t *at, size_t n);
/* One more owner. Returns its argument. */
struct px_shared_procs *px_shared_procs_hold(struct px_shared_procs *shared);
/* One owner less: the last one frees the array. Takes NULL. */
void px_shared_procs_drop(struct px_shared_procs *shared);
/* True if there is one owner, which may change the array then. */
bool px_shared_procs_is_sole(const struct px_shared_procs *shared);

/* --- lists that are made --- */

/* A growing array of processes. Zeros are an empty list. Released with px_proc_list_fini. Belongs
 * to the caller; one thread at a time. */
struct px_proc_list {
    pmix_proc_t *at;
    size_t n, room;
    size_t n_ordered; /* so many at its beginning are in the order of the normal form, each once */
    struct px_shared_procs *shared; /* whose array it is; NULL: that of the list, of malloc */
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
/* Removes the processes that one of `gone` covers; the others keep their order. 0 or
 * PMIX_ERR_NOMEM (the array has other owners); the list is unchanged then. */
int px_proc_list_remove(struct px_proc_list *list, const pmix_proc_t *gone, size_t n_gone);
/* Fills an empty list with an array in which each process is there once, without a copy: the list
 * is one more owner, and makes a copy before it changes. `ordered`: they are in the order of the
 * normal form. */
void px_proc_list_share(struct px_proc_list *list, struct px_shared_procs *shared, bool ordered);
/* The processes as an array that has several owners, of which the list is one and the caller
 * another. NULL: memory is out. */
struct px_shared_procs *px_proc_list_hold(struct px_proc_list *list);
/* Hands out the array, which is the caller's to free(), and leaves an empty list. The array has no
 * other owners. */
pmix_proc_t *px_proc_list_take(struct px_proc_list *list);
/* Frees array and index, and leaves an empty list. */
void px_proc_list_fini(struct px_proc_list *list);

#endif
