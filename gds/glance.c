/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* What nearly every read is: a key that was asked for before, whose value is a scalar, a string or
 * bytes, at the rank itself or at the job. This file knows only that. Whatever it does not
 * recognise (a version that is not visible yet, another realm, damage) it leaves to px_store_ask,
 * which is right about everything; so there is nothing to report here and no rare case. Nothing is
 * touched that was not compared with the end of the segment first. */

#include <stdlib.h>

#include "gds/lookup.h"
#include "gds/payload.h"
#include "gds/state.h"

/* How much of the segment may be touched, in words of 8 bytes, and what of it is published. */
struct glance {
    const unsigned char *base;
    uint64_t end; /* at least a header */
    uint64_t seq;
};

struct found {
    const unsigned char *bytes; /* NULL: a scalar */
    uint64_t word;              /* the scalar, or how many bytes */
    pmix_data_type_t type;
};

/* n words at a locator, or NULL. n is at most a header's. */
static inline const void *at(const struct glance *g, uint64_t loc, uint64_t n)
{
    return loc && loc <= g->end - n ? g->base + (loc << 3) : NULL;
}

/* n things of `size` bytes at a locator, or NULL. Neither is above 32 bits. */
static inline const void *many_at(const struct glance *g, uint64_t loc, uint64_t n, uint64_t size)
{
    uint64_t words = (n * size + 7) / 8;

    return words <= g->end ? at(g, loc, words) : NULL;
}

/* The value in a cell of which the first two words are inside. */
static inline bool see_cell(const struct glance *g, const struct px_cell *cell, uint64_t loc,
                            struct found *ret)
{
    uint64_t len = cell->len;

    ret->type = cell->type;
    if (cell->form == PX_FORM_WORD) {
        ret->bytes = NULL;
        memcpy(&ret->word, cell->payload, sizeof ret->word);
        return len == 8;
    }
    ret->bytes = cell->payload;
    ret->word = len;
    if (len == 0 || !many_at(g, loc, sizeof *cell + len, 1)) {
        return false;
    }
    return cell->form == PX_FORM_TEXT
               ? cell->type == PMIX_STRING && cell->payload[len - 1] == '\0'
               : cell->form == PX_FORM_BYTES && cell->type == PMIX_BYTE_OBJECT;
}

static inline bool see_job(const struct glance *g, const struct px_key *key, struct found *ret)
{
    uint64_t loc = px_load_acquire(&key->job);
    const struct px_record *rec = at(g, loc, sizeof *rec / 8 + 2);

    if (!rec || rec->version.seq > g->seq || rec->quals
        || (key->realm != PX_REALM_JOB && key->realm != PX_REALM_NONE)) {
        return false;
    }
    return see_cell(g, (const struct px_cell *) (const void *) (rec + 1), loc + sizeof *rec / 8,
                    ret);
}

/* The number in a rank's lane. */
static inline bool see_lane(const struct glance *g, const struct px_column *col, uint32_t rank,
                            uint64_t *ret)
{
    const void *lanes = many_at(g, col->data, col->n, col->width / 8);

    if (!lanes) {
        return false;
    }
    switch (col->width) {
    case 8:
        *ret = ((const uint8_t *) lanes)[rank];
        return true;
    case 16:
        *ret = ((const uint16_t *) lanes)[rank];
        return true;
    case 32:
        *ret = ((const uint32_t *) lanes)[rank];
        return true;
    default:
        return false;
    }
}

/* The cell of a rank: the column's only one, or one of a few. */
static inline bool see_shared_cell(const struct glance *g, const struct px_column *col,
                                   uint32_t rank, struct found *ret)
{
    const struct px_cell *cell;
    const uint64_t *locs;
    uint64_t loc = col->data;
    uint64_t i = rank;

    if (col->kind == PX_COLUMN_DICT) {
        locs = many_at(g, col->base, col->n_dict, 8);
        if (!locs || !see_lane(g, col, rank, &i) || i >= col->n_dict) {
            return false;
        }
        loc = locs[i];
    } else if (col->kind != PX_COLUMN_CELL) {
        return false;
    }
    cell = at(g, loc, 2);
    return cell && see_cell(g, cell, loc, ret);
}

static inline bool see_proc(const struct glance *g, const struct px_key *key, uint32_t rank,
                            struct found *ret)
{
    const struct px_column *col = at(g, px_load_acquire(&key->column), sizeof *col / 8);

    if (!col || col->version.seq > g->seq || rank >= col->n || col->present
        || px_load_acquire(&col->overlay) || key->realm == PX_REALM_SESSION) {
        return false;
    }
    ret->bytes = NULL;
    ret->type = col->type;
    switch (col->kind) {
    case PX_COLUMN_CONST:
        ret->word = col->base;
        return true;
    case PX_COLUMN_AFFINE:
        ret->word = col->base + col->step * rank;
        return true;
    case PX_COLUMN_ARRAY:
        return see_lane(g, col, rank, &ret->word);
    default:
        return see_shared_cell(g, col, rank, ret);
    }
}

static __attribute__((noinline)) int give_bytes(pmix_data_type_t type, const void *bytes,
                                                size_t len, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof *value);
    char *copy = malloc(len);

    if (!value || !copy) {
        free(value);
        free(copy);
        return PMIX_ERR_NOMEM;
    }
    memcpy(copy, bytes, len);
    *value = (pmix_value_t){.type = type};
    if (type == PMIX_STRING) {
        value->data.string = copy;
    } else {
        value->data.bo.bytes = copy;
        value->data.bo.size = len;
    }
    *ret = value;
    return 0;
}

static inline int give_scalar(pmix_data_type_t type, uint64_t word, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof *value);

    if (!value) {
        return PMIX_ERR_NOMEM;
    }
    px_word_value(type, word, value);
    *ret = value;
    return 0;
}

int px_store_glance(const struct px_store *store, pmix_rank_t rank, const char *name,
                    pmix_value_t **ret)
{
    const struct px_header *header = px_store_header(store);
    uint64_t used = px_load_acquire(&header->used);
    struct glance g = {
        .base = store->seg.base,
        .end = (used < store->seg.size ? used : store->seg.size) / 8,
        .seq = px_load_acquire(&header->sequence), /* pairs with px_stage_publish */
    };
    /* Where the string led last time. Whether it is this key, the end tells. */
    uint64_t loc = px_load_acquire(px_key_hint(store, name));
    const struct px_key *key = (const struct px_key *) (const void *) (g.base + (loc << 3));
    struct found found;

    if (!loc || g.end < sizeof *header / 8) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (rank <= PMIX_RANK_VALID ? !see_proc(&g, key, rank, &found)
                                : rank != PMIX_RANK_WILDCARD || !see_job(&g, key, &found)) {
        return PMIX_ERR_NOT_FOUND;
    }
    if ((!found.bytes && px_word_size(found.type) == 0) || strcmp(key->name, name) != 0) {
        return PMIX_ERR_NOT_FOUND;
    }
    return found.bytes ? give_bytes(found.type, found.bytes, found.word, ret)
                       : give_scalar(found.type, found.word, ret);
}
