/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COMPACT_H
#define PX_GDS_COMPACT_H

/* Compaction of a store: the copy of what is live into the next generation, piece by piece.
 * gds/generation.c decides when. Writer's thread. */

#include <stdbool.h>
#include <stddef.h>

struct px_store;

/* A copy under way. */
struct px_compaction;

/* Begins to copy the newest versions of all values of `from` into `to`, which is empty, has no
 * readers yet and must not move. From now on px_store_publish publishes each batch in both. Both
 * are borrowed until px_compaction_end. NULL: no memory. */
struct px_compaction *px_compaction_begin(const struct px_store *from, struct px_store *to);

/* Copies the next piece: what takes as long as the copy of `piece` bytes into new memory. All small
 * values of a key are copied at once, as are nodes and placement. *ret_done: `to` has everything,
 * also node indices, flags and the sequence, which goes on from that of `from`. 0; PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_UNPACK_FAILURE: `to` is of no use. */
int px_compaction_go_on(struct px_compaction *compaction, size_t piece, bool *ret_done);

/* Frees the copy, whether it is done or not, but neither store. Takes NULL. */
void px_compaction_end(struct px_compaction *compaction);

#endif
