/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_FAST_PATH_H
#define PX_GDS_FAST_PATH_H

#include "gds/read.h"

/* The one case of px_store_get that is worth having in its caller: a scalar of the job, or one in a
 * column of a rank. Its rules are those of gds/read.h; whatever it does not recognise it leaves to
 * px_store_get, so there is nothing to report and no rare case. */

struct px_scalar {
    uint64_t word;
    pmix_data_type_t type;
};

/* The scalar under the key that the string led to before; *ret_name is that key's name, still to be
 * compared. False says nothing. It looks at what is below the limit, and at no version before the
 * newest. pairs with px_read_note_key and publish_all */
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
