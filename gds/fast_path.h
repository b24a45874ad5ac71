/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_FAST_PATH_H
#define PX_GDS_FAST_PATH_H

/* The fast path: the one case of px_store_get that is worth inlining in its caller, a scalar of the
 * job or of a rank in a column. The rules are those of gds/read.h. Whatever it does not recognise
 * it leaves to px_store_get, so it reports no errors and handles no rare case. */

#include "gds/read.h"

/* A scalar that the fast path found: its word, zero-extended, and its type. With PX_SCALAR_CELL
 * only the column, which is visible, has the rank, and has no newer records. */
struct px_scalar {
    uint64_t word;
    const struct px_column *col;
    pmix_data_type_t type;
};

/* True, with *ret: the key to which this string led before; its name is still to be compared
 * (px_key_is_named). Any thread, inside a read-side critical section. pairs with px_read_note_key
 */
static inline bool px_store_hinted_key(const struct px_store *store, const char *name,
                                       const struct px_key **ret)
{
    uint64_t loc = px_load_acquire(px_key_hints(store, name));

    if (loc == 0) {
        return false;
    }
    *ret = (const void *) (store->seg.base + (loc << 3));
    return true;
}

/* True if a key of px_store_hinted_key has this name. */
static inline bool px_key_is_named(const struct px_key *key, const char *name)
{
    return strcmp(key->name, name) == 0;
}

/* What px_store_get_scalar found. */
enum px_scalar_result {
    PX_SCALAR,         /* a scalar */
    PX_SCALAR_CELL,    /* a column of cells, for px_read_column_cell */
    PX_SCALAR_OTHER,   /* most likely a value of another type, or none */
    PX_SCALAR_UNKNOWN, /* the value lies elsewhere, if there is one */
};

/* Finds the scalar of a rank in its column, or for the wildcard that of the job. *ret is set only
 * with PX_SCALAR and PX_SCALAR_CELL; the other results say nothing for certain. It follows locators
 * below the limit only, and takes no version but the newest. Any thread, inside a read-side
 * critical section. pairs with publish_all */
static inline __attribute__((always_inline)) enum px_scalar_result px_store_get_scalar(
    const struct px_store *store, const struct px_key *key, pmix_rank_t rank, struct px_scalar *ret)
{
    const struct px_full_record *full;
    const struct px_column *col;
    struct px_read read;

    if (!px_key_ends_at(key, rank)) {
        return PX_SCALAR_UNKNOWN;
    }
    px_read_begin(store, &read);
    if (rank == PMIX_RANK_WILDCARD) {
        full = px_seen(&read.view, px_load_acquire(&key->job), sizeof(*full) + 8);
        if (!full || full->rec.version.seq > read.seq || !px_cell_word(&full->cell, &ret->word)) {
            return PX_SCALAR_OTHER;
        }
        ret->type = full->cell.type;
        return PX_SCALAR;
    }
    col = px_seen(&read.view, px_load_acquire(&key->column), sizeof(*col));
    if (!col || col->version.seq > read.seq || rank >= col->n ||
        (px_load_acquire(&col->overlay) | col->present) != 0) {
        return PX_SCALAR_UNKNOWN;
    }
    if (!px_column_word(&read.view, col, rank, &ret->word)) {
        ret->col = col;
        return PX_SCALAR_CELL;
    }
    if (px_word_size(col->type) == 0) {
        return PX_SCALAR_OTHER;
    }
    ret->type = col->type;
    return PX_SCALAR;
}

#endif
