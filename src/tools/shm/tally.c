/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Where the bytes of a segment go. Everything that can be reached is walked, the present first,
 * older versions after it; a bit for every word of the segment says that it has been counted. An
 * object is counted up to the first word that was, and of a list only so much is followed as was
 * counted: so nothing is counted twice, and no walk of a damaged segment takes longer than the
 * segment is. What nobody counted cannot be reached any more: tables that were outgrown, columns'
 * data that are shared no longer. */

#include <stdlib.h>
#include <string.h>

#include "gds/read.h"
#include "tally.h"
#include "shmem/offset.h"
#include "src/base/hash.h"
#include "src/base/status.h"

const char *const px_shm_part_names[PX_N_PARTS] = {
    [PX_PART_HEADER] = "header",
    [PX_PART_TABLES] = "tables",
    [PX_PART_KEYS] = "keys",
    [PX_PART_RECORDS] = "records",
    [PX_PART_QUALIFIERS] = "qualifiers",
    [PX_PART_COLUMNS] = "column_heads",
    [PX_PART_ELEMENTS] = "column_elements",
    [PX_PART_COLUMN_VALUES] = "column_values",
    [PX_PART_PLACEMENT] = "placement",
    [PX_PART_OLD] = "older_versions",
    [PX_PART_REST] = "out_of_reach",
};

const char *const px_shm_kind_names[PX_N_KINDS] = {
    [PX_KIND_CONST] = "constant",      [PX_KIND_AFFINE] = "affine",
    [PX_KIND_8] = "array_of_8_bits",   [PX_KIND_16] = "array_of_16_bits",
    [PX_KIND_32] = "array_of_32_bits", [PX_KIND_64] = "array_of_64_bits",
    [PX_KIND_CELL] = "one_value",      [PX_KIND_DICT] = "dictionary",
    [PX_KIND_LOC] = "locators",        [PX_KIND_OTHER] = "of_no_kind",
};

const char *const px_shm_table_names[PX_N_TABLES] = {
    [PX_TABLE_KEYS] = "keys",
    [PX_TABLE_RECORDS] = "records",
    [PX_TABLE_NODE_NAMES] = "node_names",
    [PX_TABLE_NODE_IDS] = "node_numbers",
};

/* What is compared with one slot: so many aliases, and names of so many bytes. */
enum { MAX_ALIASES = 64, MAX_NAME = 4096 };

struct walk {
    struct px_view view;
    const struct px_store_header *h;
    uint8_t *counted; /* a bit for each word of the segment */
    struct px_shm_tally *sum;
    bool old; /* PX_PART_OLD: whatever it is */
};

static bool is_counted(const struct walk *w, uint64_t loc)
{
    return w->counted[loc / 8] >> (loc % 8) & 1;
}

static void mark(struct walk *w, uint64_t loc)
{
    w->counted[loc / 8] |= (uint8_t) (1u << loc % 8);
}

/* How many words of an object were counted now; 0 also when it is outside. */
static uint64_t count(struct walk *w, enum px_shm_part part, uint64_t loc, uint64_t len)
{
    uint64_t end = loc + px_round8(len) / 8;
    uint64_t i = loc;

    if (len == 0 || len > w->view.size || !px_at(&w->view, loc, len)) {
        return 0;
    }
    for (; i < end && i < w->view.limit / 8 && !is_counted(w, i); i++) {
        mark(w, i);
    }
    w->sum->parts[w->old ? PX_PART_OLD : part] += (i - loc) * 8;
    return i - loc;
}

static void count_cell(struct walk *w, enum px_shm_part part, uint64_t loc)
{
    const struct px_cell *cell = px_at(&w->view, loc, sizeof(*cell));

    if (cell) {
        (void) count(w, part, loc, sizeof(*cell) + (uint64_t) cell->len);
    }
}

/* --- tables --- */

/* NULL when there is none, or it is damaged. */
static const struct px_table *table_at(struct walk *w, uint64_t loc)
{
    const struct px_table *table = loc ? px_at(&w->view, loc, sizeof(*table)) : NULL;

    if (!table) {
        return NULL;
    }
    if (table->n_slots == 0 || table->n_slots > PX_SHM_MAX_SLOTS ||
        (table->n_slots & (table->n_slots - 1)) != 0 ||
        !px_at(&w->view, loc, sizeof(*table) + table->n_slots * 8)) {
        w->view.damaged = true;
        return NULL;
    }
    return table;
}

static void count_table(struct walk *w, uint64_t loc)
{
    const struct px_table *table = table_at(w, loc);

    if (table) {
        (void) count(w, PX_PART_TABLES, loc, sizeof(*table) + table->n_slots * 8);
    }
}

static void each_slot(struct walk *w, uint64_t loc, void (*fn)(struct walk *w, uint64_t loc))
{
    const struct px_table *table = table_at(w, loc);

    for (uint64_t i = 0; table && i < table->n_slots; i++) {
        uint64_t word = px_load_acquire(&table->slots[i]);

        if (word != 0) {
            fn(w, word & PX_SHM_LOC_MASK);
        }
    }
}

/* The hash under which a slot was filled; the slot says its upper bits. */
typedef bool (*hash_fn)(struct walk *w, uint64_t word, uint64_t *ret);

static bool key_hash(struct walk *w, uint64_t word, uint64_t *ret)
{
    const struct px_key *key = px_at(&w->view, word & PX_SHM_LOC_MASK, sizeof(*key));

    *ret = key ? key->hash : 0;
    return key != NULL;
}

static bool record_hash(struct walk *w, uint64_t word, uint64_t *ret)
{
    const struct px_record *rec = px_at(&w->view, word & PX_SHM_LOC_MASK, sizeof(*rec));
    const struct px_quals *quals = NULL;
    struct px_qual_digest sum = {0};

    if (!rec) {
        return false;
    }
    if (rec->quals) {
        quals = px_at(&w->view, rec->quals, sizeof(*quals));
        if (!quals) {
            return false;
        }
        sum = (struct px_qual_digest){.a = quals->sum_a, .b = quals->sum_b, .n = quals->n};
    }
    *ret = px_record_hash(rec->level, rec->index, rec->key, quals ? &sum : NULL);
    return true;
}

static bool text_hash(struct walk *w, uint64_t loc, uint64_t word, uint64_t *ret)
{
    const struct px_cell *cell = px_at(&w->view, loc, sizeof(*cell));

    if (!cell || cell->len == 0 || cell->len > MAX_NAME ||
        !px_at(&w->view, loc, sizeof(*cell) + (uint64_t) cell->len)) {
        return false;
    }
    *ret = px_hash_bytes(cell->payload, strnlen((const char *) cell->payload, cell->len));
    return *ret >> PX_SHM_TAG_SHIFT == word >> PX_SHM_TAG_SHIFT;
}

/* A node is filed under its name and each alias. */
static bool name_hash(struct walk *w, uint64_t word, uint64_t *ret)
{
    const struct px_node *node = px_at(&w->view, word & PX_SHM_LOC_MASK, sizeof(*node));
    const uint64_t *aliases = node && node->aliases ? px_at(&w->view, node->aliases, 8) : NULL;
    bool found = node && text_hash(w, node->name, word, ret);

    for (uint64_t i = 1; aliases && !found && i <= aliases[0] && i <= MAX_ALIASES; i++) {
        found = px_at(&w->view, node->aliases, 8 + i * 8) && text_hash(w, aliases[i], word, ret);
    }
    return found;
}

static bool id_hash(struct walk *w, uint64_t word, uint64_t *ret)
{
    const struct px_node *node = px_at(&w->view, word & PX_SHM_LOC_MASK, sizeof(*node));

    *ret = node ? px_hash_mix(node->nodeid, 0) : 0;
    return node != NULL;
}

static void fill_of(struct walk *w, enum px_shm_table_id id, uint64_t loc, hash_fn hash_of)
{
    const struct px_table *table = table_at(w, loc);
    struct px_shm_fill *fill = &w->sum->tables[id];

    fill->slots = table ? table->n_slots : 0;
    for (uint64_t i = 0; table && i < table->n_slots; i++) {
        uint64_t word = px_load_acquire(&table->slots[i]);
        uint64_t hash;

        if (word != 0 && hash_of(w, word, &hash)) {
            uint64_t probe = ((i - hash) & (table->n_slots - 1)) + 1;

            fill->filled++;
            fill->probes += probe;
            fill->longest = probe > fill->longest ? probe : fill->longest;
        }
    }
}

/* --- what the tables lead to --- */

static void count_record(struct walk *w, uint64_t loc)
{
    const struct px_record *rec = px_at(&w->view, loc, sizeof(*rec));
    const struct px_cell *cell;
    const struct px_quals *quals;
    uint64_t len = sizeof(*rec);

    if (!rec) {
        return;
    }
    if (rec->key != 0) {
        cell = px_at(&w->view, loc + sizeof(*rec) / 8, sizeof(*cell));
        len += cell ? sizeof(*cell) + (uint64_t) cell->len : 0;
    }
    if (count(w, PX_PART_RECORDS, loc, len) && rec->quals) {
        quals = px_at(&w->view, rec->quals, sizeof(*quals));
        if (quals) {
            (void) count(w, PX_PART_QUALIFIERS, rec->quals, sizeof(*quals) + (uint64_t) quals->len);
        }
    }
}

/* A list of locators, and the cells that they lead to. */
static void count_cells(struct walk *w, uint64_t list, uint64_t n)
{
    uint64_t fresh = count(w, PX_PART_ELEMENTS, list, n * 8);
    const uint64_t *locs = fresh ? px_at(&w->view, list, fresh * 8) : NULL;

    for (uint64_t i = 0; locs && i < fresh; i++) {
        if (locs[i] != 0) {
            count_cell(w, PX_PART_COLUMN_VALUES, locs[i]);
        }
    }
}

static enum px_shm_kind kind_of(const struct px_column *col)
{
    switch (col->kind) {
    case PX_COLUMN_CONST:
        return PX_KIND_CONST;
    case PX_COLUMN_AFFINE:
        return PX_KIND_AFFINE;
    case PX_COLUMN_ARRAY:
        return col->width == 8    ? PX_KIND_8
               : col->width == 16 ? PX_KIND_16
               : col->width == 32 ? PX_KIND_32
               : col->width == 64 ? PX_KIND_64
                                  : PX_KIND_OTHER;
    case PX_COLUMN_CELL:
        return PX_KIND_CELL;
    case PX_COLUMN_DICT:
        return PX_KIND_DICT;
    case PX_COLUMN_LOC:
        return PX_KIND_LOC;
    default:
        return PX_KIND_OTHER;
    }
}

static void count_column(struct walk *w, uint64_t loc)
{
    const struct px_column *col = px_at(&w->view, loc, sizeof(*col));

    if (!col || !count(w, PX_PART_COLUMNS, loc, sizeof(*col))) {
        return;
    }
    if (!w->old) {
        w->sum->kinds[kind_of(col)]++;
        w->sum->overlaid += px_load_acquire(&col->overlay) != 0;
    }
    if (col->present) {
        (void) count(w, PX_PART_ELEMENTS, col->present, ((uint64_t) col->n + 63) / 64 * 8);
    }
    if (col->kind == PX_COLUMN_ARRAY || col->kind == PX_COLUMN_DICT) {
        (void) count(w, PX_PART_ELEMENTS, col->data, (uint64_t) col->n * (col->width / 8));
    }
    if (col->kind == PX_COLUMN_CELL) {
        count_cell(w, PX_PART_COLUMN_VALUES, col->data);
    } else if (col->kind == PX_COLUMN_LOC) {
        count_cells(w, col->data, col->n);
    } else if (col->kind == PX_COLUMN_DICT) {
        count_cells(w, col->base, col->n_dict);
    }
}

static void count_key(struct walk *w, uint64_t loc)
{
    const struct px_key *key = px_at(&w->view, loc, sizeof(*key));

    if (!key || !count(w, PX_PART_KEYS, loc, sizeof(*key) + (uint64_t) key->len + 1)) {
        return;
    }
    if (key->job) {
        count_record(w, px_load_acquire(&key->job));
    }
    if (key->column) {
        count_column(w, px_load_acquire(&key->column));
    }
}

static void count_node(struct walk *w, const struct px_node *node)
{
    const uint64_t *aliases = node->aliases ? px_at(&w->view, node->aliases, 8) : NULL;
    uint64_t fresh;

    count_cell(w, PX_PART_PLACEMENT, node->name);
    if (!aliases || aliases[0] > PX_SHM_MAX_SLOTS) {
        return;
    }
    fresh = count(w, PX_PART_PLACEMENT, node->aliases, 8 + aliases[0] * 8);
    for (uint64_t i = 1; i < fresh; i++) {
        count_cell(w, PX_PART_PLACEMENT, aliases[i]);
    }
}

static void count_map(struct walk *w, const struct px_rank_map *map, uint32_t n_ranks)
{
    if (map->kind == PX_MAP_ARRAY) {
        (void) count(w, PX_PART_PLACEMENT, map->data, (uint64_t) n_ranks * 4);
    }
}

static void count_placement(struct walk *w, uint64_t loc)
{
    const struct px_placement *place = px_at(&w->view, loc, sizeof(*place));
    const struct px_node *nodes;
    uint64_t fresh;

    if (!place || !count(w, PX_PART_PLACEMENT, loc, sizeof(*place))) {
        return;
    }
    count_map(w, &place->node_of, place->n_ranks);
    count_map(w, &place->app_of, place->n_ranks);
    if (place->csr && place->n_csr <= UINT32_MAX) {
        (void) count(w, PX_PART_PLACEMENT, place->csr, place->n_csr * 4);
    }
    if (place->n_nodes == 0) {
        return;
    }
    fresh = count(w, PX_PART_PLACEMENT, place->nodes, (uint64_t) place->n_nodes * sizeof(*nodes));
    nodes = fresh ? px_at(&w->view, place->nodes, fresh * 8) : NULL;
    for (uint64_t i = 0; nodes && i < fresh * 8 / sizeof(*nodes); i++) {
        count_node(w, &nodes[i]);
    }
    count_table(w, place->names);
    count_table(w, place->ids);
}

/* --- older versions --- */

/* Calls fn for all versions behind one; they lie ever lower. */
static void each_older(struct walk *w, uint64_t loc, void (*fn)(struct walk *w, uint64_t loc))
{
    const struct px_version *version = loc ? px_at(&w->view, loc, sizeof(*version)) : NULL;

    while (version && version->prev != 0 && version->prev < loc && !is_counted(w, version->prev)) {
        loc = version->prev;
        fn(w, loc);
        mark(w, loc); /* also what could not be counted is not looked at again */
        version = px_at(&w->view, loc, sizeof(*version));
    }
}

static void older_of_record(struct walk *w, uint64_t loc)
{
    each_older(w, loc, count_record);
}

static void older_of_key(struct walk *w, uint64_t loc)
{
    const struct px_key *key = px_at(&w->view, loc, sizeof(*key));

    if (key) {
        each_older(w, px_load_acquire(&key->job), count_record);
        each_older(w, px_load_acquire(&key->column), count_column);
    }
}

static void count_all(struct walk *w)
{
    uint64_t place = px_load_acquire(&w->h->place);
    uint64_t keys = px_load_acquire(&w->h->keys);
    uint64_t table = px_load_acquire(&w->h->table);

    w->sum->parts[PX_PART_HEADER] = PX_SHM_HEADER_LEN;
    memset(w->counted, 0xff, PX_SHM_HEADER_LEN / 64);
    count_table(w, keys);
    count_table(w, table);
    each_slot(w, keys, count_key);
    each_slot(w, table, count_record);
    if (place) {
        count_placement(w, place);
    }
    w->old = true;
    each_slot(w, keys, older_of_key);
    each_slot(w, table, older_of_record);
    each_older(w, place, count_placement);
}

static void fill_all(struct walk *w)
{
    uint64_t loc = px_load_acquire(&w->h->place);
    const struct px_placement *place = loc ? px_at(&w->view, loc, sizeof(*place)) : NULL;

    fill_of(w, PX_TABLE_KEYS, px_load_acquire(&w->h->keys), key_hash);
    fill_of(w, PX_TABLE_RECORDS, px_load_acquire(&w->h->table), record_hash);
    if (place && place->n_nodes > 0) {
        fill_of(w, PX_TABLE_NODE_NAMES, place->names, name_hash);
        fill_of(w, PX_TABLE_NODE_IDS, place->ids, id_hash);
    }
}

int px_shm_tally(const struct px_segment *seg, struct px_shm_tally *ret)
{
    struct px_shm_tally sum = {0};
    struct walk w = {.h = (const void *) seg->base, .sum = &sum};
    uint64_t counted = 0;

    px_view_init(&w.view, seg->base, seg->size);
    w.view.size = w.view.limit; /* of this moment, also when more is published meanwhile */
    w.counted = calloc(w.view.limit / 64 + 1, 1);
    if (!w.counted) {
        return PX_ERR_NOMEM;
    }
    sum.bytes = w.view.limit;
    sum.sequence = px_load_acquire(&w.h->sequence);
    sum.ranks = (uint32_t) px_load_acquire(&w.h->extent);
    sum.generation = w.h->id.generation;
    count_all(&w);
    fill_all(&w);
    free(w.counted);
    for (int i = 0; i < PX_PART_REST; i++) {
        counted += sum.parts[i];
    }
    sum.parts[PX_PART_REST] = sum.bytes > counted ? sum.bytes - counted : 0;
    sum.damaged = w.view.damaged;
    *ret = sum;
    return 0;
}
