/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_LACKING_H
#define PX_CLIENT_LACKING_H

/* Copies of what a process has put that a stream with all of its values lacks: they were deleted,
 * and go with the publication of the stream. */

#include <stdbool.h>

#include <pmix_common.h>

#include "src/base/list.h"
#include "src/base/map.h"

struct px_kval_reader;
struct px_store;

/* On the stack of the function that publishes, which sets the first four, initializes the list and
 * zeroes the rest. */
struct px_lacking {
    struct px_kval_reader *reader; /* has read the stream */
    const struct px_store *held;   /* the copies */
    pmix_rank_t rank;              /* the process */
    bool us;                       /* it is this process */
    struct px_map qualified;       /* names of the qualified values in the stream */
    bool listed;                   /* they are in the map */
    struct px_list quals;          /* of deletions in the reader's batch, which borrows them */
};

/* Adds a deletion to the reader's batch for each copy that is not in it. None for a copy that did
 * not come with such a stream: without a scope (of this process itself: with one), or of
 * PMIX_INTERNAL. 0, PMIX_ERR_NOMEM or another status of px_kval_reader_add; px_lacking_fini after
 * the publication in any case. */
int px_lacking_add(struct px_lacking *lacking);
void px_lacking_fini(struct px_lacking *lacking);

#endif
