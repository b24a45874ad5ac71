/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_FAST_PATH_H
#define PX_GDS_FAST_PATH_H

/* The fast path: the one case of px_store_get that is worth inlining in its caller, a scalar of the
 * job or of a rank in a column. The rules are those of gds/read.h. Whatever it does not recognise
 * it leaves to px_store_get, so it reports no errors and handles no rare case. */

#include "gds/read.h"

/* A scalar that the fast path found: its word, zero-extended, and its type. */
struct px_scalar {
    uint64_t word;
    pmix_data_type_t type;
};

/* Gets the scalar under the key to which this string led before. True with *ret, and *ret_name: the
 * name of that key, which the caller still has to compare. False says nothing about the value. It
 * follows locators below the limit only, and takes no version but the newest. Any thread, inside a
 * read-side critical section. pairs with px_read_note_key and publish_all */
static inline __attribute__((always_inline)) bool px_store_get_scalar(const struct px_store *store,
                                                                      pmix_rank_t rank,
                                                                      const char *name,
                                                                      const char **ret_name,
                                                                      struct px_scalar *ret)
{
    uint64_t loc = px_load_acquire(px_key_hints(store, name));
    const struct px_key *key = (const void *) (store->seg.base + (loc << 3));
    const struct px_full_record *full;
    const struct px_column *col;
    struct px_read read;

    if (__builtin_expect(loc == 0, 0) || !px_key_ends_at(key, rank)) {
        return false;
    }
    *ret_name = key->name;
    px_read_begin(store, &read);
    if (rank == PMIX_RANK_WILDCARD) {
        full = px_seen(&read.view, px_load_acquire(&key->job), sizeof(*full) + 8);
        if (!full || full->rec.version.seq > read.seq || !px_cell_word(&full->cell, &ret->word)) {
            return false;
        }
        ret->type = full->cell.type;
        return true;
    }
    col = px_seen(&read.view, px_load_acquire(&key->column), sizeof(*col));
    if (!col || col->version.seq > read.seq || rank >= col->n ||
        (px_load_acquire(&col->overlay) | col->present) != 0 ||
        !px_column_word(&read.view, col, rank, &ret->word)) {
        return false;
    }
    ret->type = col->type;
    return px_word_size(col->type) != 0;
}

#endif
