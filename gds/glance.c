/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* What nearly every read is: a key that was asked for before, whose value is a scalar, a string or
 * bytes, at the rank itself or at the job. This file knows only that. Whatever it does not
 * recognise (a version that is not visible yet, another realm, damage) it leaves to px_store_ask,
 * which is right about everything; so there is nothing to report here and no rare case. Nothing is
 * touched that was not compared with the end of the segment first. */

#include <stdlib.h>

#include "gds/lookup.h"
#include "gds/read.h"

#define rare(e) __builtin_expect((e), 0)

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

/* Are n words at a locator inside? n is at most a header's. */
static inline bool inside(const struct glance *g, uint64_t loc, uint64_t n)
{
    return loc - 1 < g->end - n;
}

/* The same for n things of `size` bytes, neither above 32 bits. */
static inline bool all_inside(const struct glance *g, uint64_t loc, uint64_t n, uint64_t size)
{
    uint64_t words = (n * size + 7) / 8;

    return words <= g->end && inside(g, loc, words);
}

/* For a locator that is inside. */
static inline const void *at(const struct glance *g, uint64_t loc)
{
    return g->base + (loc << 3);
}

/* The value in a cell of which the first two words are inside. */
static inline bool see_cell(const struct glance *g, uint64_t loc, struct found *ret)
{
    const struct px_cell *cell = at(g, loc);
    uint64_t len = cell->len;

    ret->type = cell->type;
    if (cell->form == PX_FORM_WORD) {
        ret->bytes = NULL;
        memcpy(&ret->word, cell->payload, sizeof ret->word);
        return true;
    }
    ret->bytes = cell->payload;
    ret->word = len;
    if (len == 0 || !all_inside(g, loc, sizeof *cell + len, 1)) {
        return false;
    }
    return cell->form == PX_FORM_TEXT
               ? cell->type == PMIX_STRING && cell->payload[len - 1] == '\0'
               : cell->form == PX_FORM_BYTES && cell->type == PMIX_BYTE_OBJECT;
}

enum { RECORD = sizeof(struct px_record) / 8, COLUMN = sizeof(struct px_column) / 8 };

/* A record of which the first two words of its cell are inside too. */
static inline bool see_record(const struct glance *g, uint64_t loc, struct found *ret)
{
    const struct px_record *rec = at(g, loc);

    return rec->version.seq <= g->seq && rec->quals == 0 && see_cell(g, loc + RECORD, ret);
}

static inline bool see_job(const struct glance *g, const struct px_key *key, struct found *ret)
{
    uint64_t loc = px_load_acquire(&key->job);

    return (key->realm == PX_REALM_JOB || key->realm == PX_REALM_NONE)
           && inside(g, loc, RECORD + 2) && see_record(g, loc, ret);
}

/* A rank's own record: what few ranks have is in no column. */
static inline bool see_own(const struct glance *g, const struct px_store *store, uint64_t key,
                           uint32_t rank, struct found *ret)
{
    struct px_view view = {.base = g->base, .size = store->seg.size, .limit = g->end * 8};
    uint64_t table = px_load_acquire(&px_store_header(store)->table);
    struct px_probe probe;
    uint64_t loc;

    if (table == 0) {
        return false;
    }
    px_probe_start(&view, table, px_record_hash(PX_SHM_PROC, rank, key, NULL), &probe);
    for (loc = px_probe_next(&probe); inside(g, loc, RECORD + 2); loc = px_probe_next(&probe)) {
        const struct px_record *rec = at(g, loc);

        if (rec->key == key && rec->index == rank && rec->level == PX_SHM_PROC) {
            return see_record(g, loc, ret);
        }
    }
    return false;
}

/* The number in a rank's lane. */
static inline bool see_lane(const struct glance *g, const struct px_column *col, uint32_t rank,
                            uint64_t *ret)
{
    const void *lanes;

    if (!all_inside(g, col->data, col->n, col->width / 8)) {
        return false;
    }
    lanes = at(g, col->data);
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
    const uint64_t *locs;
    uint64_t loc = col->data;
    uint64_t i;

    if (col->kind == PX_COLUMN_DICT) {
        if (!all_inside(g, col->base, col->n_dict, 8) || !see_lane(g, col, rank, &i)
            || i >= col->n_dict) {
            return false;
        }
        locs = at(g, col->base);
        loc = locs[i];
    } else if (col->kind != PX_COLUMN_CELL) {
        return false;
    }
    return inside(g, loc, 2) && see_cell(g, loc, ret);
}

/* The column, if it answers for the rank by itself; or NULL. */
static inline const struct px_column *column_at(const struct glance *g, uint64_t loc,
                                                uint32_t rank)
{
    const struct px_column *col;

    if (!inside(g, loc, COLUMN)) {
        return NULL;
    }
    col = at(g, loc);
    return col->version.seq <= g->seq && rank < col->n
                   && (px_load_acquire(&col->overlay) | col->present) == 0
               ? col
               : NULL;
}

static inline uint32_t placed(const struct glance *g, const struct px_rank_map *map,
                              uint32_t n_ranks, uint32_t rank)
{
    bool listed = map->kind == PX_MAP_ARRAY && all_inside(g, map->data, n_ranks, 4);

    return px_mapped(map, listed ? at(g, map->data) : NULL, rank);
}

/* The node of a rank that the placement, which is visible, covers; or NULL. */
static inline const struct px_node *node_of(const struct glance *g,
                                            const struct px_placement *place, uint32_t rank)
{
    const struct px_node *nodes;
    uint32_t i = placed(g, &place->node_of, place->n_ranks, rank);

    if (rare(i >= place->n_nodes)
        || rare(!all_inside(g, place->nodes, place->n_nodes, sizeof *nodes))) {
        return NULL;
    }
    nodes = at(g, place->nodes);
    return &nodes[i];
}

/* Last, and in functions of their own, so that px_store_glance needs no stack: is the key the one
 * that was asked for? Then its value. */

static __attribute__((noinline)) bool give_bytes(const struct px_key *key, const char *name,
                                                pmix_data_type_t type, const void *bytes,
                                                size_t len, pmix_value_t **ret)
{
    pmix_value_t *value;
    char *copy;

    if (strcmp(key->name, name) != 0) {
        return false;
    }
    value = malloc(sizeof *value);
    copy = malloc(len);
    if (!value || !copy) {
        free(value);
        free(copy);
        return false;
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
    return true;
}

static __attribute__((noinline)) bool give_scalar(const struct px_key *key, const char *name,
                                                 pmix_data_type_t type, uint64_t word,
                                                 pmix_value_t **ret)
{
    pmix_value_t *value;

    if (rare(px_word_size(type) == 0) || rare(strcmp(key->name, name) != 0)) {
        return false;
    }
    value = malloc(sizeof *value);
    if (rare(!value)) {
        return false;
    }
    px_word_value(type, word, value);
    *ret = value;
    return true;
}

/* The segment up to where somebody has seen it: what has come behind that is left to px_store_ask,
 * which looks again. pairs with px_stage_publish */
static inline struct glance glance_of(const struct px_store *store)
{
    const unsigned char *base = store->seg.base;
    const struct px_header *header = (const struct px_header *) (const void *) base;

    return (struct glance){
        .base = base,
        .end = px_load_acquire(&store->end),
        .seq = px_load_acquire(&header->sequence),
    };
}

static inline bool give(const struct px_key *key, const char *name, const struct found *found,
                       pmix_value_t **ret)
{
    return found->bytes ? give_bytes(key, name, found->type, found->bytes, found->word, ret)
                        : give_scalar(key, name, found->type, found->word, ret);
}

static __attribute__((noinline)) bool glance_name(const struct px_store *store,
                                                  const struct px_key *key,
                                                  const struct px_node *node, const char *name,
                                                  pmix_value_t **ret)
{
    struct glance g = glance_of(store);
    struct found found;

    return inside(&g, node->name, 2) && see_cell(&g, node->name, &found)
           && give(key, name, &found, ret);
}

/* A key of a rank that no process has posted anything under: what the placement says. */
static __attribute__((noinline)) bool glance_derived(const struct px_store *store,
                                                     const struct px_key *key, pmix_rank_t rank,
                                                     const char *name, pmix_value_t **ret)
{
    struct glance g = glance_of(store);
    uint64_t loc = px_load_acquire(&px_store_header(store)->place);
    const struct px_placement *place;
    const struct px_node *node;
    uint32_t app;

    if (rare(!inside(&g, loc, sizeof *place / 8))) {
        return false;
    }
    place = at(&g, loc);
    if (rare(place->version.seq > g.seq) || rare(rank >= place->n_ranks)) {
        return false;
    }
    switch (key->derived) {
    case PX_DERIVED_NODEID:
        node = node_of(&g, place, rank);
        return node && give_scalar(key, name, PMIX_UINT32, node->nodeid, ret);
    case PX_DERIVED_HOSTNAME:
        node = node_of(&g, place, rank);
        return node && glance_name(store, key, node, name, ret);
    case PX_DERIVED_APPNUM:
        app = placed(&g, &place->app_of, place->n_ranks, rank);
        return app != PX_NO_APP && give_scalar(key, name, PMIX_UINT32, app, ret);
    case PX_DERIVED_RANK:
        return give_scalar(key, name, PMIX_PROC_RANK, rank, ret);
    default:
        return false;
    }
}

static __attribute__((noinline)) bool glance_lane(const struct px_store *store,
                                                  const struct px_key *key,
                                                  const struct px_column *col, pmix_rank_t rank,
                                                  const char *name, pmix_value_t **ret)
{
    struct glance g = glance_of(store);
    uint64_t word;

    return see_lane(&g, col, rank, &word) && give_scalar(key, name, col->type, word, ret);
}

/* What is neither a number in a column nor one of the job. */
static __attribute__((noinline)) bool glance_aside(const struct px_store *store,
                                                   const struct px_key *key, pmix_rank_t rank,
                                                   const char *name, pmix_value_t **ret)
{
    struct glance g = glance_of(store);
    uint64_t loc = px_load_acquire(&key->column);
    const struct px_column *col;
    struct found found;
    bool seen;

    if (rank == PMIX_RANK_WILDCARD) {
        seen = see_job(&g, key, &found);
    } else if (loc) {
        col = column_at(&g, loc, rank);
        seen = col && see_shared_cell(&g, col, rank, &found);
    } else {
        loc = (uint64_t) ((const unsigned char *) key - g.base) >> 3;
        seen = see_own(&g, store, loc, rank, &found);
    }
    return seen && give(key, name, &found, ret);
}

bool px_store_glance(const struct px_store *store, pmix_rank_t rank, const char *name,
                     pmix_value_t **ret)
{
    uint64_t loc = px_load_acquire(px_key_hint(store, name)); /* where the string led last time */
    const struct px_column *col;
    const struct px_key *key;
    struct found found;
    struct glance g;

    if (rare(!loc)) {
        return false;
    }
    g = glance_of(store);
    key = at(&g, loc);
    if (rank == PMIX_RANK_WILDCARD) {
        if (see_job(&g, key, &found) && !found.bytes) {
            return give_scalar(key, name, found.type, found.word, ret);
        }
        return glance_aside(store, key, rank, name, ret);
    }
    /* Ranks that stand for others are beyond every column and placement, and have no records. */
    if (key->realm == PX_REALM_SESSION) {
        return false;
    }
    loc = px_load_acquire(&key->column);
    if (!loc && px_load_acquire(&key->holder) == 0) {
        return glance_derived(store, key, rank, name, ret);
    }
    col = column_at(&g, loc, rank);
    if (!col) {
        return loc == 0 && glance_aside(store, key, rank, name, ret);
    }
    switch (col->kind) {
    case PX_COLUMN_CONST:
        return give_scalar(key, name, col->type, col->base, ret);
    case PX_COLUMN_AFFINE:
        return give_scalar(key, name, col->type, col->base + col->step * rank, ret);
    case PX_COLUMN_ARRAY:
        return glance_lane(store, key, col, rank, name, ret);
    default:
        return glance_aside(store, key, rank, name, ret);
    }
}
