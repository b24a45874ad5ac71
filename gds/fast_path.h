/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_FAST_PATH_H
#define PX_GDS_FAST_PATH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "gds/payload.h"
#include "gds/read.h"
#include "gds/state.h"

/* The part of px_store_get_fast that is worth having in its caller: a number of the job, or one in
 * a rank's column that is computed. fast_path.c has the rest, and says what the rules are. */

/* How much of the segment may be touched, in words of 8 bytes, and what of it is published. */
struct px_fast_view {
    const unsigned char *base;
    uint64_t end; /* at least a header */
    uint64_t seq;
};

struct px_scalar {
    uint64_t word;
    pmix_data_type_t type;
};

enum {
    PX_FAST_KEY_WORDS = sizeof(struct px_key) / 8,
    PX_FAST_RECORD_WORDS = sizeof(struct px_record) / 8,
    PX_FAST_COLUMN_WORDS = sizeof(struct px_column) / 8
};

/* The segment, which is at `base`, up to where somebody has seen it: what has come behind that is
 * left to px_store_get, which looks again. pairs with publish_all and px_store_saw_end */
static inline struct px_fast_view px_fast_view_at(const struct px_store *store,
                                                  const unsigned char *base)
{
    const struct px_store_header *header = (const struct px_store_header *) (const void *) base;

    return (struct px_fast_view){
        .base = base,
        .end = px_load_acquire(&store->end),
        .seq = px_load_acquire(&header->sequence),
    };
}

static inline struct px_fast_view px_fast_view_of(const struct px_store *store)
{
    return px_fast_view_at(store, store->seg.base);
}

/* Are n words at a locator inside? n is at most a header's. */
static inline bool px_fast_inside(const struct px_fast_view *g, uint64_t loc, uint64_t n)
{
    return loc - 1 < g->end - n;
}

/* For a locator that is inside. */
static inline const void *px_fast_at(const struct px_fast_view *g, uint64_t loc)
{
    return g->base + (loc << 3);
}

/* The column at a locator, if it answers for the rank by itself; or NULL. pairs with publish_all */
static inline const struct px_column *px_fast_column(const struct px_fast_view *g, uint64_t loc,
                                                     uint32_t rank)
{
    const struct px_column *col;

    if (!px_fast_inside(g, loc, PX_FAST_COLUMN_WORDS)) {
        return NULL;
    }
    col = px_fast_at(g, loc);
    return col->version.seq <= g->seq && rank < col->n &&
                   (px_load_acquire(&col->overlay) | col->present) == 0
               ? col
               : NULL;
}

/* A number of the job, whose record is at `loc`. */
static inline bool px_fast_job(const struct px_fast_view *g, uint64_t loc, struct px_scalar *ret)
{
    const struct px_record *rec;
    const struct px_cell *cell;

    if (!px_fast_inside(g, loc, PX_FAST_RECORD_WORDS + 2)) {
        return false;
    }
    rec = px_fast_at(g, loc);
    cell = px_fast_at(g, loc + PX_FAST_RECORD_WORDS);
    if (rec->version.seq > g->seq || rec->quals != 0 || cell->form != PX_FORM_WORD) {
        return false;
    }
    ret->type = cell->type;
    memcpy(&ret->word, cell->payload, sizeof(ret->word));
    return true;
}

/* The number in a rank's element, of which a word has 2^shift. */
static inline bool px_fast_element(const struct px_fast_view *g, const struct px_column *col,
                                   uint32_t rank, uint64_t *ret)
{
    unsigned shift = col->width == 8 ? 3 : col->width == 16 ? 2 : 1;
    uint64_t loc = col->data + (rank >> shift);
    const void *word;

    if (!px_fast_inside(g, loc, 1)) {
        return false;
    }
    word = px_fast_at(g, loc);
    switch (col->width) {
    case 8:
        *ret = ((const uint8_t *) word)[rank % 8];
        return true;
    case 16:
        *ret = ((const uint16_t *) word)[rank % 4];
        return true;
    case 32:
        *ret = ((const uint32_t *) word)[rank % 2];
        return true;
    default:
        return false;
    }
}

/* A number of a rank, whose column is at `loc`. Ranks that stand for others are beyond every
 * column. */
static inline bool px_fast_rank(const struct px_fast_view *g, uint64_t loc, uint32_t rank,
                                struct px_scalar *ret)
{
    const struct px_column *col = px_fast_column(g, loc, rank);

    if (!col) {
        return false;
    }
    ret->type = col->type;
    if (col->kind == PX_COLUMN_CONST || col->kind == PX_COLUMN_AFFINE) {
        ret->word = col->base + col->step * rank;
        return true;
    }
    return col->kind == PX_COLUMN_ARRAY && px_fast_element(g, col, rank, &ret->word);
}

/* n things of `size` bytes at a locator, neither above 32 bits: are they inside? */
static inline bool px_fast_array_inside(const struct px_fast_view *g, uint64_t loc, uint64_t n,
                                        uint64_t size)
{
    uint64_t words = (n * size + 7) / 8;

    return words <= g->end && px_fast_inside(g, loc, words);
}

/* The visible placement, or NULL. */
static inline const struct px_placement *px_fast_placement(const struct px_fast_view *g)
{
    const struct px_store_header *header = (const struct px_store_header *) (const void *) g->base;
    uint64_t loc = px_load_acquire(&header->place); /* pairs with publish_all */
    const struct px_placement *place;

    if (__builtin_expect(!px_fast_inside(g, loc, sizeof(*place) / 8), 0)) {
        return NULL;
    }
    place = px_fast_at(g, loc);
    return place->version.seq <= g->seq ? place : NULL;
}

/* Where a map puts a rank below the number that it covers. */
static inline uint32_t px_fast_mapped(const struct px_fast_view *g, const struct px_rank_map *map,
                                      uint32_t n_ranks, uint32_t rank)
{
    bool listed = map->kind == PX_MAP_ARRAY && px_fast_array_inside(g, map->data, n_ranks, 4);

    return px_mapped(map, listed ? px_fast_at(g, map->data) : NULL, rank);
}

static inline const struct px_node *px_fast_node(const struct px_fast_view *g,
                                                 const struct px_placement *place, uint32_t i)
{
    uint64_t loc = place->nodes + (uint64_t) i * (sizeof(struct px_node) / 8);

    return i < place->n_nodes && px_fast_inside(g, loc, sizeof(struct px_node) / 8)
               ? px_fast_at(g, loc)
               : NULL;
}

/* As px_store_get_fast, in that part; *ret_key is the key that the string led to last time, whose
 * name is still to be compared. pairs with px_read_note_key and publish_all */
static inline __attribute__((always_inline)) bool px_fast_scalar(const struct px_store *store,
                                                                 pmix_rank_t rank, const char *name,
                                                                 const struct px_key **ret_key,
                                                                 struct px_scalar *ret)
{
    uint64_t loc = px_load_acquire(px_key_hints(store, name));
    const unsigned char *base = store->seg.base;
    const struct px_key *key = (const void *) (base + (loc << 3));
    struct px_fast_view g;
    bool seen;

    if (__builtin_expect(loc == 0, 0)) {
        return false;
    }
    *ret_key = key;
    if (rank == PMIX_RANK_WILDCARD) {
        if (key->realm != PX_REALM_JOB && key->realm != PX_REALM_NONE) {
            return false;
        }
        loc = px_load_acquire(&key->job);
        g = px_fast_view_at(store, base);
        seen = px_fast_job(&g, loc, ret);
    } else {
        if (key->realm == PX_REALM_SESSION) {
            return false;
        }
        loc = px_load_acquire(&key->column);
        g = px_fast_view_at(store, base);
        seen = px_fast_rank(&g, loc, rank, ret);
    }
    return seen && px_word_size(ret->type) != 0;
}

/* A fresh value; false: no memory. */
static inline bool px_scalar_value(uint64_t word, pmix_data_type_t type, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof(*value));

    if (__builtin_expect(!value, 0)) {
        return false;
    }
    px_word_value(type, word, value);
    *ret = value;
    return true;
}

/* The bytes of a key that a lookup has found by this string, in the segment; or NULL. */
const char *px_store_key_name(const struct px_store *store, const char *name);

/* The rest of px_store_get_fast. */
bool px_store_get_fast_rest(const struct px_store *store, pmix_rank_t rank, const char *name,
                            pmix_value_t **ret);

#endif
