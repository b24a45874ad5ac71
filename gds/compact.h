/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COMPACT_H
#define PX_GDS_COMPACT_H

/* Compaction of a store: the copy of what is live into the next generation. gds/generation.c
 * decides when. */

#include "gds/state.h"

/* Publishes in `to`, which is empty and has no readers yet, what a reader of `from` finds: the
 * newest versions and nothing else. Node indices, flags and the sequence, which goes on from the
 * old one's, are kept. Writer's thread. 0; PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_UNPACK_FAILURE: `to` is of no use, the caller destroys it. Cost: what is live, and some
 * memory for each rank of the largest column. */
int px_compact_copy(const struct px_store *from, struct px_store *to);

#endif
