/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GLANCE_H
#define PX_GDS_GLANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "gds/payload.h"
#include "gds/state.h"

/* The part of px_store_glance that is worth having in its caller: a number of the job, or one in a
 * rank's column that is computed. glance.c has the rest, and says what the rules are. */

/* How much of the segment may be touched, in words of 8 bytes, and what of it is published. */
struct px_glance {
    const unsigned char *base;
    uint64_t end; /* at least a header */
    uint64_t seq;
};

struct px_scalar {
    uint64_t word;
    pmix_data_type_t type;
};

enum {
    PX_GLANCE_KEY = sizeof(struct px_key) / 8,
    PX_GLANCE_RECORD = sizeof(struct px_record) / 8,
    PX_GLANCE_COLUMN = sizeof(struct px_column) / 8
};

/* The segment up to where somebody has seen it: what has come behind that is left to px_store_ask,
 * which looks again. pairs with publish_all and px_store_saw_end */
static inline struct px_glance px_glance_of(const struct px_store *store)
{
    const unsigned char *base = store->seg.base;
    const struct px_header *header = (const struct px_header *) (const void *) base;

    return (struct px_glance){
        .base = base,
        .end = px_load_acquire(&store->end),
        .seq = px_load_acquire(&header->sequence),
    };
}

/* Are n words at a locator inside? n is at most a header's. */
static inline bool px_glance_inside(const struct px_glance *g, uint64_t loc, uint64_t n)
{
    return loc - 1 < g->end - n;
}

/* For a locator that is inside. */
static inline const void *px_glance_at(const struct px_glance *g, uint64_t loc)
{
    return g->base + (loc << 3);
}

/* The column, if it answers for the rank by itself; or NULL. pairs with publish_all */
static inline const struct px_column *px_glance_column(const struct px_glance *g, uint64_t loc,
                                                       uint32_t rank)
{
    const struct px_column *col;

    if (!px_glance_inside(g, loc, PX_GLANCE_COLUMN)) {
        return NULL;
    }
    col = px_glance_at(g, loc);
    return col->version.seq <= g->seq && rank < col->n
                   && (px_load_acquire(&col->overlay) | col->present) == 0
               ? col
               : NULL;
}

/* A number of the job. */
static inline bool px_glance_job(const struct px_glance *g, const struct px_key *key,
                                 struct px_scalar *ret)
{
    uint64_t loc = px_load_acquire(&key->job); /* pairs with publish_all */
    const struct px_record *rec;
    const struct px_cell *cell;

    if ((key->realm != PX_REALM_JOB && key->realm != PX_REALM_NONE)
        || !px_glance_inside(g, loc, PX_GLANCE_RECORD + 2)) {
        return false;
    }
    rec = px_glance_at(g, loc);
    cell = px_glance_at(g, loc + PX_GLANCE_RECORD);
    if (rec->version.seq > g->seq || rec->quals != 0 || cell->form != PX_FORM_WORD) {
        return false;
    }
    ret->type = cell->type;
    memcpy(&ret->word, cell->payload, sizeof ret->word);
    return true;
}

/* A number of a rank. Ranks that stand for others are beyond every column. */
static inline bool px_glance_rank(const struct px_glance *g, const struct px_key *key,
                                  uint32_t rank, struct px_scalar *ret)
{
    uint64_t loc = px_load_acquire(&key->column); /* pairs with publish_all */
    const struct px_column *col = px_glance_column(g, loc, rank);

    if (key->realm == PX_REALM_SESSION || !col
        || (col->kind != PX_COLUMN_CONST && col->kind != PX_COLUMN_AFFINE)) {
        return false;
    }
    ret->type = col->type;
    ret->word = col->kind == PX_COLUMN_AFFINE ? col->base + col->step * rank : col->base;
    return true;
}

/* As px_store_glance, in that part; *ret_key is the key that the string led to last time, whose
 * name is still to be compared. */
static inline __attribute__((always_inline)) bool px_glance_scalar(const struct px_store *store,
                                                                   pmix_rank_t rank,
                                                                   const char *name,
                                                                   const struct px_key **ret_key,
                                                                   struct px_scalar *ret)
{
    uint64_t loc = px_load_acquire(px_key_hints(store, name)); /* pairs with px_read_note_key */
    struct px_glance g;
    bool seen;

    if (__builtin_expect(loc == 0, 0)) {
        return false;
    }
    g = px_glance_of(store);
    *ret_key = px_glance_at(&g, loc);
    if (rank == PMIX_RANK_WILDCARD) {
        seen = px_glance_job(&g, *ret_key, ret);
    } else {
        seen = px_glance_rank(&g, *ret_key, rank, ret);
    }
    return seen && px_word_size(ret->type) != 0;
}

/* A fresh value; false: no memory. */
static inline bool px_scalar_value(uint64_t word, pmix_data_type_t type, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof *value);

    if (__builtin_expect(!value, 0)) {
        return false;
    }
    px_word_value(type, word, value);
    *ret = value;
    return true;
}

/* The rest of px_store_glance. */
bool px_store_glance_further(const struct px_store *store, pmix_rank_t rank, const char *name,
                             pmix_value_t **ret);

#endif
