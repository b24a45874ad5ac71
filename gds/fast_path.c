/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* What nearly every read is: a scalar, a string or bytes, at the rank itself, at the job or at a
 * node; or a key that nobody has. This file knows only that. Whatever it does not
 * recognise (a version that is not visible yet, another realm, damage) it leaves to px_store_get,
 * which is right about everything; so there is nothing to report here and no rare case. Nothing is
 * touched that was not compared with the end of the segment first. */

#include <stdlib.h>

#include "gds/fast_path.h"
#include "gds/lookup.h"
#include "gds/memo.h"
#include "gds/read.h"

#define rare(e) __builtin_expect((e), 0)
#define INLINE  static inline __attribute__((always_inline))

struct found {
    const unsigned char *bytes; /* NULL: a scalar */
    uint64_t word;              /* the scalar, or how many bytes */
    uint64_t loc;               /* of its cell; 0: it has none */
    pmix_data_type_t type;
};

/* The value in a cell of which the first two words are inside. */
INLINE bool find_cell(const struct px_fast_view *g, uint64_t loc, struct found *ret)
{
    const struct px_cell *cell = px_fast_at(g, loc);
    uint64_t len = cell->len;

    ret->loc = loc;
    ret->type = cell->type;
    if (cell->form == PX_FORM_WORD) {
        ret->bytes = NULL;
        memcpy(&ret->word, cell->payload, sizeof(ret->word));
        return true;
    }
    ret->bytes = cell->payload;
    ret->word = len;
    if (len == 0 || !px_fast_array_inside(g, loc, sizeof(*cell) + len, 1)) {
        return false;
    }
    return cell->form == PX_FORM_TEXT
               ? cell->type == PMIX_STRING && cell->payload[len - 1] == '\0'
               : cell->form == PX_FORM_BYTES && cell->type == PMIX_BYTE_OBJECT;
}

/* A record of which the first two words of its cell are inside too. */
INLINE bool find_in_record(const struct px_fast_view *g, uint64_t loc, struct found *ret)
{
    const struct px_record *rec = px_fast_at(g, loc);

    return rec->version.seq <= g->seq && rec->quals == 0 &&
           find_cell(g, loc + PX_FAST_RECORD_WORDS, ret);
}

INLINE bool find_job(const struct px_fast_view *g, const struct px_key *key, struct found *ret)
{
    uint64_t loc = px_load_acquire(&key->job); /* pairs with publish_all */

    return (key->realm == PX_REALM_JOB || key->realm == PX_REALM_NONE) &&
           px_fast_inside(g, loc, PX_FAST_RECORD_WORDS + 2) && find_in_record(g, loc, ret);
}

/* What somebody has put there; NULL when nobody has: most such values are in columns. */
INLINE const struct px_record *record_at(const struct px_fast_view *g, const struct px_store *store,
                                         uint32_t level, uint32_t index, uint64_t key)
{
    struct px_view view = {.base = g->base, .size = store->seg.size, .limit = g->end * 8};
    uint64_t table = px_load_acquire(&px_store_header(store)->table); /* pairs with publish_table */
    struct px_probe probe;
    uint64_t loc;

    if (table == 0) {
        return NULL;
    }
    px_probe_start(&view, table, px_record_hash(level, index, key, NULL), &probe);
    for (loc = px_probe_next(&probe); px_fast_inside(g, loc, PX_FAST_RECORD_WORDS + 2);
         loc = px_probe_next(&probe)) {
        const struct px_record *rec = px_fast_at(g, loc);

        if (rec->key == key && rec->index == index && rec->level == level) {
            return rec;
        }
    }
    return NULL;
}

static inline uint64_t locator_of(const struct px_fast_view *g, const void *thing)
{
    return (uint64_t) ((const unsigned char *) thing - g->base) >> 3;
}

/* The cell of a rank: the column's only one, or one of a few. */
INLINE bool find_in_shared_cell(const struct px_fast_view *g, const struct px_column *col,
                                uint32_t rank, struct found *ret)
{
    const uint64_t *locs;
    uint64_t loc = col->data;
    uint64_t i;

    if (col->kind == PX_COLUMN_DICT) {
        if (!px_fast_array_inside(g, col->base, col->n_dict, 8) ||
            !px_fast_element(g, col, rank, &i) || i >= col->n_dict) {
            return false;
        }
        locs = px_fast_at(g, col->base);
        loc = locs[i];
    } else if (col->kind != PX_COLUMN_CELL) {
        return false;
    }
    return px_fast_inside(g, loc, 2) && find_cell(g, loc, ret);
}

INLINE bool find_word(pmix_data_type_t type, uint64_t word, struct found *ret)
{
    *ret = (struct found){.word = word, .type = type};
    return true;
}

/* What the placement says of a node. */
INLINE bool find_node(const struct px_fast_view *g, const struct px_key *key,
                      const struct px_node *node, struct found *ret)
{
    switch (node ? key->derived : PX_DERIVED_NONE) {
    case PX_DERIVED_NODEID:
        return find_word(PMIX_UINT32, node->nodeid, ret);
    case PX_DERIVED_HOSTNAME:
        return px_fast_inside(g, node->name, 2) && find_cell(g, node->name, ret);
    case PX_DERIVED_LOCAL_SIZE:
        return node->count != 0 && find_word(PMIX_UINT32, node->count, ret);
    default:
        return false;
    }
}

/* A key of a rank that no process has posted anything under: what the placement says. */
INLINE bool find_derived(const struct px_fast_view *g, const struct px_key *key, pmix_rank_t rank,
                         struct found *ret)
{
    const struct px_placement *place = key->derived ? px_fast_placement(g) : NULL;
    uint32_t app;

    if (!place || rank >= place->n_ranks || key->derived == PX_DERIVED_LOCAL_SIZE) {
        return false;
    }
    if (key->derived == PX_DERIVED_RANK) {
        return find_word(PMIX_PROC_RANK, rank, ret);
    }
    if (key->derived == PX_DERIVED_APPNUM) {
        app = px_fast_mapped(g, &place->app_of, place->n_ranks, rank);
        return app != PX_NO_APP && find_word(PMIX_UINT32, app, ret);
    }
    return find_node(
        g, key, px_fast_node(g, place, px_fast_mapped(g, &place->node_of, place->n_ranks, rank)),
        ret);
}

INLINE bool find_in_column(const struct px_fast_view *g, const struct px_column *col, uint32_t rank,
                           struct found *ret)
{
    switch (col->kind) {
    case PX_COLUMN_CONST:
    case PX_COLUMN_AFFINE:
        return find_word(col->type, col->base + col->step * rank, ret);
    case PX_COLUMN_ARRAY:
        return find_word(col->type, 0, ret) && px_fast_element(g, col, rank, &ret->word);
    default:
        return find_in_shared_cell(g, col, rank, ret);
    }
}

/* Ranks that stand for others are beyond every column and placement, and have no records. */
INLINE bool find_rank(const struct px_fast_view *g, const struct px_store *store,
                      const struct px_key *key, pmix_rank_t rank, struct found *ret)
{
    uint64_t loc = px_load_acquire(&key->column); /* pairs with publish_all */
    const struct px_column *col;
    const struct px_record *rec;

    if (key->realm == PX_REALM_SESSION) {
        return false;
    }
    if (loc) {
        col = px_fast_column(g, loc, rank);
        return col && find_in_column(g, col, rank, ret);
    }
    if (px_load_acquire(&key->holder) == 0) { /* pairs with publish_all */
        return find_derived(g, key, rank, ret);
    }
    rec = record_at(g, store, PX_LEVEL_PROC, rank, locator_of(g, key));
    return rec && find_in_record(g, locator_of(g, rec), ret);
}

/* --- handing out --- */

INLINE bool give_filled(const struct found *found, pmix_value_t *ret)
{
    char *copy;

    if (!found->bytes) {
        if (rare(px_word_size(found->type) == 0)) {
            return false;
        }
        px_word_value(found->type, found->word, ret);
        return true;
    }
    copy = malloc(found->word);
    if (rare(!copy)) {
        return false;
    }
    memcpy(copy, found->bytes, found->word);
    *ret = (pmix_value_t){.type = found->type};
    if (found->type == PMIX_STRING) {
        ret->data.string = copy;
    } else {
        ret->data.bo.bytes = copy;
        ret->data.bo.size = found->word;
    }
    return true;
}

INLINE bool give_copy(const struct found *found, pmix_value_t **ret)
{
    pmix_value_t *value = malloc(sizeof(*value));

    if (rare(!value) || rare(!give_filled(found, value))) {
        free(value);
        return false;
    }
    *ret = value;
    return true;
}

static bool give_pointer(const struct px_store *store, const struct found *found,
                         pmix_value_t **ret)
{
    const pmix_value_t *value = px_memo_seen(store->memo, found->loc, found->word, found->type);

    if (rare(!value)) {
        return false; /* the first time: px_slice_pointer makes it */
    }
    *ret = (pmix_value_t *) (uintptr_t) value;
    return true;
}

/* --- with directives --- */

/* The key at a hint, if it is that of the name; or NULL. */
INLINE const struct px_key *hinted_by(const struct px_fast_view *g, const uint64_t *hint,
                                      const char *name)
{
    uint64_t loc = px_load_acquire(hint); /* pairs with px_read_note_key */
    const struct px_key *key = px_fast_at(g, loc);

    return loc && strcmp(key->name, name) == 0 ? key : NULL;
}

INLINE const struct px_key *hinted(const struct px_store *store, const struct px_fast_view *g,
                                   const char *name)
{
    const uint64_t *hints = px_key_hints(store, name);
    const struct px_key *key = hinted_by(g, &hints[0], name);

    return rare(!key) ? hinted_by(g, &hints[1], name) : key;
}

/* The key; or NULL, *ret_none then says whether that is for certain. */
INLINE const struct px_key *key_of(const struct px_store *store, const struct px_fast_view *g,
                                   const struct px_lookup_key *spec, bool *ret_none)
{
    const struct px_key *key = hinted(store, g, spec->key);
    struct px_read read;

    if (key) {
        return key;
    }
    px_read_begin(store, &read);
    key = px_read_key(&read, spec->key, spec->key_len, px_hash_bytes(spec->key, spec->key_len));
    if (key) {
        px_read_note_key(&read, spec->key, key);
    }
    *ret_none = !key && !read.view.damaged;
    return key && px_fast_inside(g, locator_of(g, key), PX_FAST_KEY_WORDS) ? key : NULL;
}

static uint32_t node_meant(const struct px_store *store, const struct px_placement *place,
                           const struct px_lookup_key *spec)
{
    struct px_read read;

    px_read_begin(store, &read);
    if (spec->hostname) {
        return px_placement_by_name(&read, place, spec->hostname);
    }
    if (spec->nodeid != PX_NO_NODEID) {
        return px_placement_by_id(&read, place, spec->nodeid);
    }
    return spec->rank > PMIX_RANK_VALID || spec->rank == spec->self ? place->local_node
                                                                    : PX_NO_NODE;
}

/* Of a node: what has been put there, or what the placement says. */
static bool find_at_node(const struct px_store *store, const struct px_fast_view *g,
                         const struct px_key *key, const struct px_lookup_key *spec,
                         struct found *ret)
{
    const struct px_placement *place = px_fast_placement(g);
    uint32_t index = place ? node_meant(store, place, spec) : PX_NO_NODE;
    const struct px_record *rec;

    if (!place || index >= place->n_nodes) {
        return false;
    }
    rec = record_at(g, store, PX_LEVEL_NODE, index, locator_of(g, key));
    return rec ? find_in_record(g, locator_of(g, rec), ret)
               : find_node(g, key, px_fast_node(g, place, index), ret);
}

/* The cases of px_store_get that end where they begin: with a value at the first level. */
INLINE bool get_simple(const struct px_store *store, const struct px_fast_view *g,
                       const struct px_key *key, const struct px_lookup_key *spec,
                       struct found *ret)
{
    bool named = spec->hostname || spec->nodeid != PX_NO_NODEID;
    bool of_node = key->realm == PX_REALM_NODE || key->realm == PX_REALM_NONE;

    if (rare(spec->rank == PMIX_RANK_INVALID)) {
        return false;
    }
    switch (spec->realm) {
    case PX_REALM_NONE:
        if (named) {
            return of_node && find_at_node(store, g, key, spec, ret);
        }
        return spec->rank == PMIX_RANK_WILDCARD ? find_job(g, key, ret)
                                                : find_rank(g, store, key, spec->rank, ret);
    case PX_REALM_JOB:
        return find_job(g, key, ret);
    case PX_REALM_NODE:
        return find_at_node(store, g, key, spec, ret);
    case PX_REALM_PROC:
        return spec->rank <= PMIX_RANK_VALID && find_rank(g, store, key, spec->rank, ret);
    default:
        return false;
    }
}

enum px_lookup_result px_store_get_simple(const struct px_store *store,
                                          const struct px_lookup_key *spec,
                                          enum px_return_mode mode, pmix_value_t **ret)
{
    struct px_fast_view g = px_fast_view_of(store);
    const struct px_key *key;
    struct found found;
    bool none = false;
    bool done;

    key = key_of(store, &g, spec, &none);
    if (!key) {
        return none ? PX_LOOKUP_NO_KEY : PX_LOOKUP_UNSURE;
    }
    if (!get_simple(store, &g, key, spec, &found)) {
        return PX_LOOKUP_UNSURE;
    }
    if (mode == PX_RETURN_COPY) {
        done = give_copy(&found, ret);
    } else if (mode == PX_RETURN_FILL) {
        done = give_filled(&found, *ret);
    } else {
        done = give_pointer(store, &found, ret);
    }
    return done ? PX_LOOKUP_DONE : PX_LOOKUP_UNSURE;
}

/* --- without --- */

const char *px_store_key_name(const struct px_store *store, const char *name)
{
    struct px_fast_view g = px_fast_view_of(store);
    const struct px_key *key = hinted(store, &g, name);

    return key ? key->name : NULL;
}

bool px_store_get_fast_rest(const struct px_store *store, pmix_rank_t rank, const char *name,
                            pmix_value_t **ret)
{
    struct px_fast_view g = px_fast_view_of(store);
    const struct px_key *key = hinted(store, &g, name);
    struct found found;

    return key &&
           (rank == PMIX_RANK_WILDCARD ? find_job(&g, key, &found)
                                       : find_rank(&g, store, key, rank, &found)) &&
           give_copy(&found, ret);
}

static __attribute__((noinline)) bool give_scalar(const char *name, const struct px_key *key,
                                                  uint64_t word, pmix_data_type_t type,
                                                  pmix_value_t **ret)
{
    return strcmp(key->name, name) == 0 && px_scalar_value(word, type, ret);
}

bool px_store_get_fast(const struct px_store *store, pmix_rank_t rank, const char *name,
                       pmix_value_t **ret)
{
    const struct px_key *key;
    struct px_scalar scalar;

    return (px_fast_scalar(store, rank, name, &key, &scalar) &&
            give_scalar(name, key, scalar.word, scalar.type, ret)) ||
           px_store_get_fast_rest(store, rank, name, ret);
}
