/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COPY_H
#define PX_GDS_COPY_H

/* Copying values from one generation of a store into the next: what is read in the old one is
 * collected in a batch and published in the new one. Part of a compaction (gds/compact.c). Writer's
 * thread. */

#include "gds/batch.h"
#include "gds/read.h"

/* Values that a batch borrows, in blocks that do not move. */
struct px_copy_block;

/* In place of a status: the piece is used up; the caller comes again with the same value. */
enum { PX_COPY_LATER = 1 };

/* A copy under way: a batch after the other, several in a piece. A zeroed one with `from` and `to`
 * set is ready for px_copy_begin; between two batches it holds nothing. Part of a px_compaction. */
struct px_copy {
    const struct px_store *from;
    struct px_store *to;
    size_t left; /* what the piece may still cost; the owner sets it */
    /* The batch under way. */
    struct px_read read;          /* of `from`: the newest publication when the batch began */
    struct px_batch *batch;       /* NULL: nothing is to be published */
    struct px_copy_block *blocks; /* owned; strings and bytes lie in `from` */
    const void *huge; /* payload in `from` of the value that is copied in parts; or NULL */
    /* Column in `from` whose values px_copy_shared has added; or NULL. The owner resets it at the
     * end of the key. */
    const struct px_column *shared;
    const char ***aliases; /* owned, n_aliases arrays, each NULL-terminated */
    uint32_t n_aliases;
};

/* Begins a batch, which ends with px_copy_publish or px_copy_drop. 0, PMIX_ERR_NOMEM. */
int px_copy_begin(struct px_copy *copy);

/* Adds the value that a reader of `from` finds, if there is one; a deleted value counts as none,
 * but for a rank's where `from` does not move, and one of the column `shared` is there already.
 * quals: the digest of its qualifiers, or NULL. 0; PX_COPY_LATER: it is a large one, for which the
 * piece has no time left, and nothing was added; PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_UNPACK_FAILURE. */
int px_copy_value(struct px_copy *copy, enum px_level level, uint32_t index,
                  const struct px_key *key, const struct px_qual_digest *quals);

/* If the column has large cells and many ranks share them: adds its values for all ranks that have
 * no newer one to one batch, so that they are shared in `to`, and sets `shared`. Else it adds
 * nothing. Takes O(n) in any case where a cell is large. Statuses of px_copy_value; PX_COPY_LATER:
 * the memory is not prepared yet. */
int px_copy_shared(struct px_copy *copy, const struct px_key *key, const struct px_column *col);

/* Adds all nodes, under the indices that they have, and the placement of all ranks. To be published
 * by itself, in a `to` without nodes. Statuses of px_copy_value. */
int px_copy_nodes(struct px_copy *copy);

/* Counts what the piece has done besides. */
static inline void px_copy_cost(struct px_copy *copy, size_t cost)
{
    copy->left -= cost < copy->left ? cost : copy->left;
}

/* Publishes what was added, and ends the batch in any case. 0 or the status of px_store_publish;
 * PMIX_ERR_UNPACK_FAILURE: `from` is damaged. */
int px_copy_publish(struct px_copy *copy);

/* Publishes the batch, and begins the next one. Statuses of both. */
int px_copy_begin_again(struct px_copy *copy);

/* Ends a batch without publishing; does nothing between batches. */
void px_copy_drop(struct px_copy *copy);

#endif
