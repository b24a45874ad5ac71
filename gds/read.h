/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_READ_H
#define PX_GDS_READ_H

/* Reading a segment: a pass and its steps. These functions are for the files of this folder; others
 * use gds/level.h and gds/lookup.h. The order of loads and the checks are those of
 * docs/memory-model.md. Any thread; no lock, no allocation; every step is bounded, whatever the
 * segment's bytes are. */

#include "gds/lookup.h"
#include "gds/payload.h"
#include "gds/state.h"
#include "gds/key_table.h"
#include "src/base/bytes.h"
#include "gds/slice.h"

/* One reader's pass over a segment. Everything up to publication `seq` is visible to it; newer
 * versions are stepped over. On the reader's stack; `store` is borrowed. view.damaged collects
 * damage on the way. */
struct px_read {
    const struct px_store *store;
    struct px_view view;
    uint64_t seq;
};

/* The header of the segment that is read. */
static inline const struct px_store_header *px_read_header(const struct px_read *read)
{
    return (const struct px_store_header *) (const void *) read->view.base;
}

/* Starts a pass at the publication that is newest now. pairs with publish_all */
static inline void px_read_begin(const struct px_store *store, struct px_read *ret)
{
    ret->store = store;
    px_view_init(&ret->view, store->seg.base, store->seg.size);
    ret->seq = px_load_acquire(&px_read_header(ret)->sequence);
}

/* The version of an object of `need` bytes that the pass may see: the one at `loc`, the version
 * before it, or NULL. One step back is always enough in a sound segment (docs/memory-model.md,
 * section 4). */
static inline const void *px_visible(struct px_read *read, uint64_t loc, uint64_t need)
{
    const struct px_version *at = (const struct px_version *) px_at(&read->view, loc, need);
    const struct px_version *old;

    if (!at || __builtin_expect(at->seq <= read->seq, 1)) {
        return at;
    }
    /* pairs with publish_all */
    read->seq = px_load_acquire(&px_read_header(read)->sequence);
    if (at->seq <= read->seq || at->prev == 0) {
        return at->seq <= read->seq ? at : NULL;
    }
    old = (const struct px_version *) px_at(&read->view, at->prev, need);
    if (old && old->seq > read->seq) {
        read->view.damaged = true;
        return NULL;
    }
    return old;
}

/* A set of qualifiers, reduced to what identifies it. NULL in place of a pointer: a value without
 * qualifiers. */
struct px_qual_digest {
    uint64_t a;
    uint64_t b;
    uint32_t n;
};

/* The digest that a stored set of qualifiers carries. */
static inline struct px_qual_digest px_quals_sum(const struct px_quals *quals)
{
    return (struct px_qual_digest){.a = quals->sum_a, .b = quals->sum_b, .n = quals->n};
}

/* The hash under which the record table files a value; part of the format (section 6). */
static inline uint64_t px_record_hash(uint32_t level, uint32_t index, uint64_t key,
                                      const struct px_qual_digest *quals)
{
    uint64_t h = px_hash_mix((uint64_t) level << 32 | index, key);

    return quals ? px_hash_mix(h, quals->a) : h;
}

/* The qualifiers at a locator, checked to be inside. NULL: damaged, view.damaged is set. */
const struct px_quals *px_quals_at(struct px_read *read, uint64_t loc);

/* The hash of a record, for px_table_edit_init; `arg` is the segment's base. The record is the
 * writer's own and trusted. */
uint64_t px_record_hash_of(const void *arg, uint64_t loc);

/* The locator of the newest record at (level, index, key, qualifiers), visible or not; 0: none. Key
 * 0 finds the index list. */
uint64_t px_record_find(struct px_read *read, uint32_t level, uint32_t index, uint64_t key,
                        const struct px_qual_digest *quals);

/* The key with this name and hash, or NULL: not there, or damaged. */
static inline const struct px_key *px_read_key(struct px_read *read, const char *key, size_t len,
                                               uint64_t hash)
{
    /* pairs with publish_table and grow_table */
    return px_key_find(&read->view, px_load_acquire(&px_read_header(read)->keys), key, len, hash);
}

/* The key at a hint if it has that name, else NULL. The hint may be any number that
 * px_read_note_key stored for another string. */
static inline const struct px_key *px_read_hinted_key(struct px_read *read, uint64_t loc,
                                                      const char *name, size_t len)
{
    const struct px_key *key =
        loc ? (const struct px_key *) px_at(&read->view, loc, sizeof(*key)) : NULL;

    return key && key->len == len && px_seen(&read->view, loc, sizeof(*key) + len + 1) &&
                   px_same_bytes(key->name, name, len)
               ? key
               : NULL;
}

/* Stores the hint that this string leads to this key. A new string takes an empty place, or one
 * that depends on its hash, so that two strings that meet do not replace each other for ever. A
 * key near the end of the mapping is not noted: the fast path compares names without checking
 * bounds. */
static inline void px_read_note_key(struct px_read *read, const char *name,
                                    const struct px_key *key)
{
    uint64_t *hints = px_key_hints(read->store, name);
    uint64_t loc = px_locator(&read->view, key);
    uint64_t way = px_load_relaxed(&hints[0]) == 0   ? 0
                   : px_load_relaxed(&hints[1]) == 0 ? 1
                                                     : key->hash % PX_KEY_WAYS;

    if ((loc << 3) + sizeof(*key) + PMIX_MAX_KEYLEN < read->view.size) {
        px_store_release(&hints[way], loc); /* pairs with px_read_find_key */
    }
}

/* As px_read_key, and notes where the string leads. */
const struct px_key *px_read_search_key(struct px_read *read, const char *name, size_t len);

/* As px_read_search_key, but it tries first where the same string (by address) led before. */
static inline const struct px_key *px_read_find_key(struct px_read *read, const char *name,
                                                    size_t len)
{
    const uint64_t *hints = px_key_hints(read->store, name);
    const struct px_key *key = NULL;
    unsigned i;

    for (i = 0; !key && i < PX_KEY_WAYS; i++) {
        uint64_t loc = px_load_acquire(&hints[i]); /* pairs with px_read_note_key */

        key = px_read_hinted_key(read, loc, name, len);
    }
    return key ? key : px_read_search_key(read, name, len);
}

/* True if a plain request for this key and rank ends at the rank itself (for the wildcard: at the
 * job level) whenever there is a value. Then the lookup order has nothing to add. */
static inline bool px_key_ends_at(const struct px_key *key, pmix_rank_t rank)
{
    return rank <= PMIX_RANK_VALID ? key->realm != PX_REALM_SESSION
                                   : rank == PMIX_RANK_WILDCARD && (key->realm == PX_REALM_JOB ||
                                                                    key->realm == PX_REALM_NONE);
}

/* A record and the head of its cell, as they lie behind each other. */
struct px_full_record {
    struct px_record rec;
    struct px_cell cell;
};

/* Reads one key at one level and index, with these qualifiers or (NULL) without any. A hidden value
 * counts as found, with ret->hidden; a deleted one does not, but *ret is then its cell. Otherwise
 * *ret is set only with 0. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_UNPACK_FAILURE. */
int px_read_level(struct px_read *read, enum px_level level, uint32_t index,
                  const struct px_key *key, const struct px_qual_digest *quals,
                  struct px_slice *ret);

/* px_read_level for a value without qualifiers of a rank, and of the job. */
int px_read_proc(struct px_read *read, const struct px_key *key, uint32_t rank,
                 struct px_slice *ret);
int px_read_job(struct px_read *read, const struct px_key *key, struct px_slice *ret);

/* The value in the cell at a locator of which nothing is known. Statuses of px_read_level. */
int px_read_cell(struct px_read *read, uint64_t loc, struct px_slice *ret);

/* The column of a key that the pass may see, or NULL. */
static inline const struct px_column *px_read_column(struct px_read *read, const struct px_key *key)
{
    uint64_t loc = px_load_acquire(&key->column); /* pairs with publish_all */

    return loc ? (const struct px_column *) px_visible(read, loc, sizeof(struct px_column)) : NULL;
}

/* The value of a rank below n in a column of cells (CELL, DICT, LOC), visible in this pass. An
 * unknown kind is damage, as the format demands of older readers. 0, PMIX_ERR_NOT_FOUND,
 * PMIX_ERR_UNPACK_FAILURE. */
int px_read_column_cell(struct px_read *read, const struct px_column *col, uint32_t rank,
                        struct px_slice *ret);

/* The answer to a plain request for a key and a rank, as far as it is the value of the rank itself
 * or, for the wildcard, of the job. PMIX_ERR_NOT_FOUND: ask in the full order. */
static inline int px_read_plain(struct px_read *read, const struct px_key *key, pmix_rank_t rank,
                                struct px_slice *ret)
{
    if (!px_key_ends_at(key, rank)) {
        return PMIX_ERR_NOT_FOUND;
    }
    return rank <= PMIX_RANK_VALID ? px_read_proc(read, key, rank, ret)
                                   : px_read_job(read, key, ret);
}

/* True, with *ret: the element of a rank below n. False: the elements are not all inside, or the
 * width is unknown. */
static inline bool px_column_element(const struct px_view *view, const struct px_column *col,
                                     uint32_t rank, uint64_t *ret)
{
    const void *data = px_seen(view, col->data, (uint64_t) col->n * (col->width / 8));

    px_assert(rank < col->n);
    if (!data) {
        return false;
    }
    if (col->width == 8) {
        *ret = ((const uint8_t *) data)[rank];
    } else if (col->width == 16) {
        *ret = ((const uint16_t *) data)[rank];
    } else if (col->width == 32) {
        *ret = ((const uint32_t *) data)[rank];
    } else if (col->width == 64) {
        *ret = ((const uint64_t *) data)[rank];
    } else {
        return false;
    }
    return true;
}

/* True, with *ret: the word of a rank below n in a column of words. False: the column is of cells,
 * or its elements are not all inside. Does not look at the presence bitmap. */
static inline bool px_column_word(const struct px_view *view, const struct px_column *col,
                                  uint32_t rank, uint64_t *ret)
{
    if (col->kind == PX_COLUMN_CONST || col->kind == PX_COLUMN_AFFINE) {
        *ret = col->base + col->step * rank;
        return true;
    }
    return col->kind == PX_COLUMN_ARRAY && px_column_element(view, col, rank, ret);
}

/* The status when nothing was found: damage met on the way explains it first. */
static inline int px_read_miss(const struct px_read *read)
{
    return read->view.damaged ? PMIX_ERR_UNPACK_FAILURE : PMIX_ERR_NOT_FOUND;
}

#endif
