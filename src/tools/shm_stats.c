/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* pmix-shm stats: where the bytes of a segment go. Everything that can be reached is walked, the
 * present first, older versions after it; a bit for every word of the segment says that it has been
 * counted, so that nothing is counted twice and no walk of a damaged segment takes longer than the
 * segment is. What nobody counted cannot be reached any more: tables that were outgrown, columns'
 * data that are shared no longer. */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gds/read.h"
#include "gds/state.h"
#include "shm.h"
#include "shmem/intern.h"
#include "shmem/offset.h"

enum part {
    PART_HEADER,
    PART_TABLES,
    PART_KEYS,
    PART_RECORDS,
    PART_QUALIFIERS,
    PART_COLUMNS,
    PART_LANES,
    PART_COLUMN_VALUES,
    PART_PLACEMENT,
    PART_OLD,
    N_PARTS
};

static const char *const part_names[N_PARTS] = {
    [PART_HEADER] = "header",
    [PART_TABLES] = "tables",
    [PART_KEYS] = "keys",
    [PART_RECORDS] = "records",
    [PART_QUALIFIERS] = "qualifiers",
    [PART_COLUMNS] = "column heads",
    [PART_LANES] = "column lanes",
    [PART_COLUMN_VALUES] = "column values",
    [PART_PLACEMENT] = "placement",
    [PART_OLD] = "older versions",
};

enum { N_KINDS = PX_COLUMN_LOC + 1 };

static const char *const kind_names[N_KINDS] = {
    [PX_COLUMN_CONST] = "constant", [PX_COLUMN_AFFINE] = "affine",   [PX_COLUMN_ARRAY] = "array",
    [PX_COLUMN_CELL] = "one value", [PX_COLUMN_DICT] = "dictionary", [PX_COLUMN_LOC] = "locators",
};

struct tally {
    struct px_view view;
    const struct px_header *h;
    uint64_t used;
    uint8_t *counted; /* a bit for each word of the segment */
    uint64_t bytes[N_PARTS];
    uint64_t kinds[N_KINDS];
    uint64_t overlaid;
    enum part as; /* PART_OLD: whatever it is */
};

/* Counts the words of an object; false when it is outside, or its first was counted already. */
static bool count(struct tally *t, enum part part, uint64_t loc, uint64_t len)
{
    uint64_t end = loc + px_round8(len) / 8;
    uint64_t words = 0;

    if (len == 0 || len > t->used || !px_at(&t->view, loc, len) ||
        (t->counted[loc / 8] >> (loc % 8) & 1)) {
        return false;
    }
    for (uint64_t i = loc; i < end && i < t->used / 8; i++) {
        words += (t->counted[i / 8] >> (i % 8) & 1) == 0;
        t->counted[i / 8] |= (uint8_t) (1u << i % 8);
    }
    t->bytes[t->as == PART_OLD ? PART_OLD : part] += words * 8;
    return true;
}

static void count_cell(struct tally *t, enum part part, uint64_t loc)
{
    const struct px_cell *cell = px_at(&t->view, loc, sizeof *cell);

    if (cell) {
        (void) count(t, part, loc, sizeof *cell + (uint64_t) cell->len);
    }
}

/* --- tables --- */

/* Counts a table, and calls fn (or NULL) for what is in it. */
static void each_slot(struct tally *t, uint64_t loc, void (*fn)(struct tally *t, uint64_t loc))
{
    const struct px_table *table = px_at(&t->view, loc, sizeof *table);

    if (!table || table->n_slots > PX_SHM_MAX_SLOTS ||
        !px_at(&t->view, loc, sizeof *table + table->n_slots * 8)) {
        return;
    }
    (void) count(t, PART_TABLES, loc, sizeof *table + table->n_slots * 8);
    for (uint64_t i = 0; fn && i < table->n_slots; i++) {
        uint64_t word = px_load_acquire(&table->slots[i]);

        if (word != 0) {
            fn(t, word & PX_SHM_LOC_MASK);
        }
    }
}

static bool key_hash(struct tally *t, uint64_t loc, uint64_t *ret)
{
    const struct px_key *key = px_at(&t->view, loc, sizeof *key);

    *ret = key ? key->hash : 0;
    return key != NULL;
}

static bool record_hash(struct tally *t, uint64_t loc, uint64_t *ret)
{
    const struct px_record *rec = px_at(&t->view, loc, sizeof *rec);
    const struct px_quals *quals = NULL;
    struct px_qual_sum sum;

    if (!rec) {
        return false;
    }
    if (rec->quals) {
        quals = px_at(&t->view, rec->quals, sizeof *quals);
        if (!quals) {
            return false;
        }
        sum = (struct px_qual_sum){.a = quals->sum_a, .b = quals->sum_b, .n = quals->n};
    }
    *ret = px_record_hash(rec->level, rec->index, rec->key, quals ? &sum : NULL);
    return true;
}

static void show_table(struct tally *t, const char *name, uint64_t loc,
                       bool (*hash_of)(struct tally *t, uint64_t loc, uint64_t *ret))
{
    const struct px_table *table = px_at(&t->view, loc, sizeof *table);
    uint64_t filled = 0;
    uint64_t probes = 0;
    uint64_t longest = 0;

    if (!table || table->n_slots == 0 || table->n_slots > PX_SHM_MAX_SLOTS ||
        !px_at(&t->view, loc, sizeof *table + table->n_slots * 8)) {
        return;
    }
    for (uint64_t i = 0; i < table->n_slots; i++) {
        uint64_t word = px_load_acquire(&table->slots[i]);
        uint64_t hash;

        if (word != 0 && hash_of(t, word & PX_SHM_LOC_MASK, &hash)) {
            uint64_t probe = ((i - hash) & (table->n_slots - 1)) + 1;

            filled++;
            probes += probe;
            longest = probe > longest ? probe : longest;
        }
    }
    px_out_open(name);
    px_out_number("slots", table->n_slots);
    px_out_number("filled", filled);
    px_out_real("load", (double) filled / (double) table->n_slots);
    px_out_real("mean probe", filled ? (double) probes / (double) filled : 0);
    px_out_number("longest probe", longest);
    px_out_close();
}

/* --- what the tables lead to --- */

static void count_record(struct tally *t, uint64_t loc)
{
    const struct px_record *rec = px_at(&t->view, loc, sizeof *rec);
    const struct px_cell *cell;
    const struct px_quals *quals;
    uint64_t len = sizeof *rec;

    if (!rec) {
        return;
    }
    if (rec->key != 0) {
        cell = px_at(&t->view, loc + sizeof *rec / 8, sizeof *cell);
        len += cell ? sizeof *cell + (uint64_t) cell->len : 0;
    }
    if (count(t, PART_RECORDS, loc, len) && rec->quals) {
        quals = px_at(&t->view, rec->quals, sizeof *quals);
        if (quals) {
            (void) count(t, PART_QUALIFIERS, rec->quals, sizeof *quals + (uint64_t) quals->len);
        }
    }
}

static void count_cells(struct tally *t, uint64_t list, uint64_t n)
{
    const uint64_t *locs = px_at(&t->view, list, n * 8);

    for (uint64_t i = 0; locs && i < n; i++) {
        if (locs[i] != 0) {
            count_cell(t, PART_COLUMN_VALUES, locs[i]);
        }
    }
}

static void count_column(struct tally *t, uint64_t loc)
{
    const struct px_column *col = px_at(&t->view, loc, sizeof *col);

    if (!col || !count(t, PART_COLUMNS, loc, sizeof *col)) {
        return;
    }
    if (t->as != PART_OLD) {
        t->kinds[col->kind < N_KINDS ? col->kind : 0]++;
        t->overlaid += px_load_acquire(&col->overlay) != 0;
    }
    if (col->present) {
        (void) count(t, PART_LANES, col->present, ((uint64_t) col->n + 63) / 64 * 8);
    }
    if (col->kind == PX_COLUMN_ARRAY || col->kind == PX_COLUMN_DICT || col->kind == PX_COLUMN_LOC) {
        (void) count(t, PART_LANES, col->data, (uint64_t) col->n * (col->width / 8));
    }
    if (col->kind == PX_COLUMN_CELL) {
        count_cell(t, PART_COLUMN_VALUES, col->data);
    } else if (col->kind == PX_COLUMN_LOC) {
        count_cells(t, col->data, col->n);
    } else if (col->kind == PX_COLUMN_DICT) {
        (void) count(t, PART_LANES, col->base, (uint64_t) col->n_dict * 8);
        count_cells(t, col->base, col->n_dict);
    }
}

static void count_key(struct tally *t, uint64_t loc)
{
    const struct px_key *key = px_at(&t->view, loc, sizeof *key);

    if (key && count(t, PART_KEYS, loc, sizeof *key + (uint64_t) key->len + 1)) {
        if (key->job) {
            count_record(t, px_load_acquire(&key->job));
        }
        if (key->column) {
            count_column(t, px_load_acquire(&key->column));
        }
    }
}

static void count_node(struct tally *t, const struct px_node *node)
{
    const uint64_t *aliases = node->aliases ? px_at(&t->view, node->aliases, 8) : NULL;

    count_cell(t, PART_PLACEMENT, node->name);
    if (aliases && aliases[0] <= PX_SHM_MAX_SLOTS &&
        count(t, PART_PLACEMENT, node->aliases, 8 + aliases[0] * 8)) {
        for (uint64_t i = 0; i < aliases[0]; i++) {
            count_cell(t, PART_PLACEMENT, aliases[1 + i]);
        }
    }
}

static void count_map(struct tally *t, const struct px_rank_map *map, uint32_t n_ranks)
{
    if (map->kind == PX_MAP_ARRAY) {
        (void) count(t, PART_PLACEMENT, map->data, (uint64_t) n_ranks * 4);
    }
}

static void count_placement(struct tally *t, uint64_t loc)
{
    const struct px_placement *place = px_at(&t->view, loc, sizeof *place);
    const struct px_node *nodes;
    uint64_t len;

    if (!place || !count(t, PART_PLACEMENT, loc, sizeof *place)) {
        return;
    }
    len = (uint64_t) place->n_nodes * sizeof *nodes;
    nodes = place->n_nodes ? px_at(&t->view, place->nodes, len) : NULL;
    count_map(t, &place->node_of, place->n_ranks);
    count_map(t, &place->app_of, place->n_ranks);
    if (place->csr && place->n_csr <= UINT32_MAX) {
        (void) count(t, PART_PLACEMENT, place->csr, place->n_csr * 4);
    }
    if (nodes && count(t, PART_PLACEMENT, place->nodes, len)) {
        for (uint32_t i = 0; i < place->n_nodes; i++) {
            count_node(t, &nodes[i]);
        }
    }
    if (place->n_nodes) {
        each_slot(t, place->names, NULL);
        each_slot(t, place->ids, NULL);
    }
}

/* --- older versions --- */

/* Calls fn for all versions behind one; they lie ever lower. */
static void each_older(struct tally *t, uint64_t loc, void (*fn)(struct tally *t, uint64_t loc))
{
    const struct px_version *version = loc ? px_at(&t->view, loc, sizeof *version) : NULL;

    while (version && version->prev != 0 && version->prev < loc &&
           (t->counted[version->prev / 8] >> (version->prev % 8) & 1) == 0) {
        loc = version->prev;
        fn(t, loc);
        version = px_at(&t->view, loc, sizeof *version);
    }
}

static void older_of_record(struct tally *t, uint64_t loc)
{
    each_older(t, loc, count_record);
}

static void older_of_key(struct tally *t, uint64_t loc)
{
    const struct px_key *key = px_at(&t->view, loc, sizeof *key);

    if (key) {
        each_older(t, px_load_acquire(&key->job), count_record);
        each_older(t, px_load_acquire(&key->column), count_column);
    }
}

static void count_all(struct tally *t)
{
    uint64_t place = px_load_acquire(&t->h->place);

    t->as = PART_HEADER;
    t->bytes[PART_HEADER] = PX_SHM_HEADER_LEN;
    memset(t->counted, 0xff, PX_SHM_HEADER_LEN / 64);
    if (t->h->keys) {
        each_slot(t, t->h->keys, count_key);
    }
    if (t->h->table) {
        each_slot(t, t->h->table, count_record);
    }
    if (place) {
        count_placement(t, place);
    }
    t->as = PART_OLD;
    if (t->h->keys) {
        each_slot(t, t->h->keys, older_of_key);
    }
    if (t->h->table) {
        each_slot(t, t->h->table, older_of_record);
    }
    each_older(t, place, count_placement);
}

static void show_parts(const struct tally *t, uint32_t n_ranks)
{
    uint64_t rest = t->used;

    px_out_open("bytes by part");
    for (int i = 0; i < N_PARTS; i++) {
        px_out_number(part_names[i], t->bytes[i]);
        rest -= t->bytes[i] < rest ? t->bytes[i] : rest;
    }
    px_out_number("out of reach", rest);
    px_out_close();
    if (n_ranks == 0) {
        return;
    }
    px_out_open("bytes per rank");
    for (int i = 0; i < N_PARTS; i++) {
        px_out_real(part_names[i], (double) t->bytes[i] / n_ranks);
    }
    px_out_real("all", (double) t->used / n_ranks);
    px_out_close();
}

int px_shm_stats(const struct px_store *store)
{
    struct tally t = {.h = px_store_header(store)};
    struct px_store_info info;

    px_view_init(&t.view, store->seg.base, store->seg.size);
    t.used = t.view.limit;
    t.counted = calloc(t.used / 64 + 1, 1);
    if (!t.counted) {
        return -1;
    }
    px_store_info(store, &info);
    count_all(&t);
    px_out_open(NULL);
    px_out_text("namespace", px_store_nspace(store));
    px_out_number("bytes", t.used);
    px_out_number("sequence", info.sequence);
    px_out_number("ranks", info.n_ranks);
    show_parts(&t, info.n_ranks);
    px_out_open("columns");
    for (int i = 1; i < N_KINDS; i++) {
        px_out_number(kind_names[i], t.kinds[i]);
    }
    px_out_number("overlaid", t.overlaid);
    px_out_close();
    px_out_open("tables");
    if (t.h->keys) {
        show_table(&t, "keys", t.h->keys, key_hash);
    }
    if (t.h->table) {
        show_table(&t, "records", t.h->table, record_hash);
    }
    px_out_close();
    px_out_bool("damaged", t.view.damaged);
    px_out_close();
    px_out_end();
    free(t.counted);
    return t.view.damaged ? -1 : 0;
}
