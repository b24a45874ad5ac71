/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PROC_MATCH_H
#define PX_VALUE_PROC_MATCH_H

/* Processes that match as by PMIx_Check_procid: either may be a wildcard, or have no namespace. Any
 * thread; an index belongs to one at a time. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

#include "src/base/map.h"

/* Processes in groups, with something that belongs to each, of which one that matches is found at
 * once. Zeros: empty. Released with px_proc_index_fini. */
struct px_proc_index {
    struct px_map map;
};

/* Adds a process to a group. `value` is borrowed, and not NULL. 0 or PMIX_ERR_NOMEM: then it may be
 * found or not. */
int px_proc_index_add(struct px_proc_index *index, unsigned char group, const pmix_proc_t *proc,
                      void *value);
/* What belongs to some process of the group that matches; NULL: none does. O(1). */
void *px_proc_index_find(const struct px_proc_index *index, unsigned char group,
                         const pmix_proc_t *proc);
/* Leaves an empty index. */
void px_proc_index_fini(struct px_proc_index *index);

/* True if some process of a matches one of b; any form and order. O(na + nb); O(na * nb) if memory
 * is out. */
bool px_procs_overlap(const pmix_proc_t *a, size_t na, const pmix_proc_t *b, size_t nb);

#endif
