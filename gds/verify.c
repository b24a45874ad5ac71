/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An independent reading of the format: it shares the bounds checks, those of payloads and the
 * probing with the readers, and nothing with the writer. A writer stopped between two stores leaves
 * objects above the sequence; they are allowed exactly where a reader would step over them.
 *
 * In a sound segment everything is looked at a small number of times. In a damaged one the same
 * bytes may be reached by many ways, each of which may be as long as the segment; so every way is
 * paid for from a budget in proportion to the bytes, and what costs more is not sound. */

#include "gds/verify.h"

#include "gds/key_table.h"
#include "gds/lookup.h"
#include "gds/payload.h"
#include "gds/read.h"
#include "gds/store.h"
#include "shmem/header.h"

/* One check under way; on the stack of px_format_verify. */
struct check {
    struct px_view view;
    const struct px_store_header *h;
    uint64_t seq;
    enum px_verify_level level;
    const struct px_placement *place; /* the one that is looked at */
    uint64_t budget;                  /* steps that are allowed */
    struct px_fault fault;
};

/* Notes the first fault. Always false, for use as a result. */
static bool bad(struct check *c, const char *what, uint64_t loc)
{
    if (!c->fault.what) {
        c->fault.what = what;
        c->fault.loc = loc;
    }
    return false;
}

/* Pays for n steps; false if the budget does not allow them. */
static bool pay(struct check *c, uint64_t n, uint64_t loc)
{
    if (n > c->budget - c->fault.steps) {
        return bad(c, "more to read than there are bytes", loc);
    }
    c->fault.steps += n;
    return true;
}

/* The object at a locator, paid for with one step, or NULL with the fault `what`. The first fault
 * is kept, so `what` is lost if the budget is exhausted. */
static const void *at(struct check *c, uint64_t loc, uint64_t need, const char *what)
{
    const void *p = pay(c, 1, loc) ? px_at(&c->view, loc, need) : NULL;

    if (!p) {
        (void) bad(c, what, loc);
    }
    return p;
}

/* --- cells --- */

/* True if a cell is inside and its type and length fit its form. Encoded values are not decoded: a
 * reader that decodes one checks it. */
static bool check_cell(struct check *c, uint64_t loc)
{
    const struct px_cell *cell = at(c, loc, sizeof(*cell), "cell is outside");
    uint64_t len;

    if (!cell) {
        return false;
    }
    len = cell->len;
    if (!at(c, loc, sizeof(*cell) + len, "payload is outside")) {
        return false;
    }
    if ((cell->form & PX_CELL_TOMB) && cell->form != PX_CELL_TOMB) {
        return bad(c, "deleted cell has a value", loc);
    }
    return px_payload_fits(cell->form & PX_FORM_MASK, cell->type, cell->payload, len) ||
           bad(c, "payload does not fit its form", loc);
}

/* --- versions --- */

/* True if a version may stand here: it descends, and only the newest one may be of a publication
 * that has not ended. */
static bool check_version(struct check *c, const struct px_version *v, uint64_t loc,
                          const struct px_version *newer)
{
    if (v->prev >= loc) {
        return bad(c, "version does not descend", loc);
    }
    if (newer ? v->seq >= newer->seq || v->seq > c->seq : v->seq > c->seq + 1) {
        return bad(c, "version has an impossible sequence number", loc);
    }
    return v->seq != 0 || bad(c, "version without a sequence number", loc);
}

/* --- keys --- */

/* True if a key is sound and a reader who looks for its name finds it. */
static bool check_key(struct check *c, uint64_t loc)
{
    const struct px_key *key = px_key_at(&c->view, loc);

    if (!key) {
        return bad(c, "key is outside", loc);
    }
    if (!pay(c, PX_SHM_TABLE_PROBES + key->len / 8, loc)) {
        return false;
    }
    if (key->realm > PX_REALM_PROC || key->derived >= PX_N_DERIVED) {
        return bad(c, "key of an unknown realm, or derived in an unknown way", loc);
    }
    if (key->hash != px_hash_bytes(key->name, key->len)) {
        return bad(c, "key has another hash than its name", loc);
    }
    if (px_key_find(&c->view, c->h->keys, key->name, key->len, key->hash) != key) {
        return bad(c, "key is not found where it is filed", loc);
    }
    return true;
}

/* Calls fn for each locator in a table; true if the table's head, its load and all of its objects
 * are sound. Pays for the slots in advance. */
static bool each_slot(struct check *c, uint64_t loc, bool (*fn)(struct check *c, uint64_t loc))
{
    const struct px_table *table = at(c, loc, sizeof(*table), "table is outside");
    uint64_t n = table ? table->n_slots : 0;
    uint64_t used = 0;
    uint64_t i;

    if (!table) {
        return false;
    }
    if (n == 0 || (n & (n - 1)) || n > PX_SHM_MAX_SLOTS || table->max_probe > PX_SHM_TABLE_PROBES) {
        return bad(c, "table head is damaged", loc);
    }
    if (!at(c, loc, sizeof(*table) + n * 8, "table slots are outside") || !pay(c, n, loc)) {
        return false;
    }
    for (i = 0; i < n; i++) {
        uint64_t word = px_load_acquire(&table->slots[i]); /* pairs with px_table_edit_publish */

        used += word != 0;
        if (word && !fn(c, word & PX_SHM_LOC_MASK)) {
            return false;
        }
    }
    return used * 2 <= n || bad(c, "table is more than half full", loc);
}

/* --- records --- */

/* The hash under which a record must be filed; 0, with a fault, if its qualifiers are outside or
 * fewer than they say: each takes at least one byte. */
static uint64_t record_hash(struct check *c, const struct px_record *rec)
{
    uint64_t h = px_hash_mix((uint64_t) rec->level << 32 | rec->index, rec->key);
    const struct px_quals *quals;

    if (rec->quals) {
        quals = at(c, rec->quals, sizeof(*quals), "qualifiers are outside");
        if (!quals ||
            !at(c, rec->quals, sizeof(*quals) + (uint64_t) quals->len, "qualifiers are outside") ||
            ((quals->n == 0 || quals->n > quals->len) &&
             !bad(c, "qualifiers are fewer than they say", rec->quals))) {
            return 0;
        }
        h = px_hash_mix(h, quals->sum_a);
    }
    return h;
}

/* True if two sets of qualifiers, both known to be inside, are equal. */
static bool same_quals(const struct check *c, uint64_t left, uint64_t right)
{
    const struct px_quals *a;
    const struct px_quals *b;

    if (left == 0 || right == 0) {
        return left == right;
    }
    a = (const struct px_quals *) (const void *) (c->view.base + (left << 3));
    b = (const struct px_quals *) (const void *) (c->view.base + (right << 3));
    return a->sum_a == b->sum_a && a->sum_b == b->sum_b && a->n == b->n;
}

/* True if all versions of one record, newest first, are sound and of the same value. */
static bool check_versions(struct check *c, uint64_t loc)
{
    const struct px_record *newer = NULL;

    while (loc) {
        const struct px_record *rec = at(c, loc, sizeof(*rec), "record is outside");

        if (!rec || !check_version(c, &rec->version, loc, newer ? &newer->version : NULL)) {
            return false;
        }
        (void) record_hash(c, rec);
        if (c->fault.what) {
            return false;
        }
        if (newer && (rec->key != newer->key || rec->level != newer->level ||
                      rec->index != newer->index || !same_quals(c, rec->quals, newer->quals))) {
            return bad(c, "older version is of another value", loc);
        }
        if (rec->version.prev ? rec->link != 0 : rec->link >= loc) {
            return bad(c, "record is wrongly linked", loc);
        }
        if (rec->key && !check_cell(c, loc + sizeof(*rec) / 8)) {
            return false;
        }
        newer = rec;
        loc = rec->version.prev;
    }
    return true;
}

/* True if the chain of an index list descends through records of its own (level, index). */
static bool check_index_list(struct check *c, const struct px_record *list)
{
    uint64_t loc = px_load_acquire(&list->link); /* pairs with publish_all */

    while (loc) {
        const struct px_record *rec =
            at(c, loc, sizeof(*rec), "record of an index list is outside");

        if (!rec) {
            return false;
        }
        if (rec->level != list->level || rec->index != list->index || rec->key == 0 ||
            rec->link >= loc) {
            return bad(c, "index list leads to a record of another one", loc);
        }
        loc = rec->link;
    }
    return true;
}

/* True if a record is found where it is filed and is sound; an index list, with its chain. A
 * reader's probe must reach it, so a record behind an empty slot is a fault. */
static bool check_record(struct check *c, uint64_t loc)
{
    const struct px_record *rec = at(c, loc, sizeof(*rec), "record is outside");
    struct px_probe probe;
    uint64_t found;

    if (!rec) {
        return false;
    }
    if (rec->level >= PX_N_LEVELS) {
        return bad(c, "record of an unknown level", loc);
    }
    if (rec->level == PX_LEVEL_JOB && rec->key && !rec->quals) {
        return bad(c, "job-level value is not filed with its key", loc);
    }
    if (!pay(c, PX_SHM_TABLE_PROBES, loc)) {
        return false;
    }
    px_probe_start(&c->view, c->h->table, record_hash(c, rec), &probe);
    for (found = px_probe_next(&probe); found && found != loc; found = px_probe_next(&probe)) {
    }
    if (found != loc) {
        return bad(c, "record is not found where it is filed", loc);
    }
    if (rec->key == 0) {
        return check_index_list(c, rec);
    }
    return px_key_at(&c->view, rec->key) ? check_versions(c, loc) : bad(c, "record of no key", loc);
}

/* --- columns --- */

/* True if a column's elements, dictionary and cells are inside and fit each other. A dictionary
 * costs a step per rank and per cell. */
static bool check_elements(struct check *c, const struct px_column *col, uint64_t loc)
{
    const void *elements;
    const uint64_t *dict = NULL;
    uint64_t number;
    uint32_t i;

    if (col->width != 8 && col->width != 16 && col->width != 32 && col->width != 64) {
        return bad(c, "column has an unknown width", loc);
    }
    elements =
        at(c, col->data, (uint64_t) col->n * (col->width / 8), "elements of a column are outside");
    if (col->kind == PX_COLUMN_DICT) {
        dict = at(c, col->base, (uint64_t) col->n_dict * 8, "dictionary of a column is outside");
    }
    if (!elements || (col->kind == PX_COLUMN_DICT && !dict) ||
        (col->kind != PX_COLUMN_ARRAY && !pay(c, col->n, loc))) {
        return false;
    }
    for (i = 0; i < col->n && col->kind == PX_COLUMN_DICT; i++) {
        if (!px_column_element(&c->view, col, i, &number) || number >= col->n_dict) {
            return bad(c, "column leads beyond its dictionary", loc);
        }
    }
    for (i = 0; dict && i < col->n_dict; i++) {
        if (!check_cell(c, dict[i])) {
            return false;
        }
    }
    for (i = 0; i < col->n && col->kind == PX_COLUMN_LOC; i++) {
        uint64_t cell = ((const uint64_t *) elements)[i];

        if (cell && !check_cell(c, cell)) {
            return false;
        }
    }
    return true;
}

/* True if one column of any kind is sound: presence, elements and cells. */
static bool check_column(struct check *c, const struct px_column *col, uint64_t loc)
{
    if (col->present && !at(c, col->present, ((uint64_t) col->n + 63) / 64 * 8,
                            "presence of a column is outside")) {
        return false;
    }
    if (col->overlay > c->seq + 1) {
        return bad(c, "column is overlaid by nothing", loc);
    }
    if ((col->kind == PX_COLUMN_CONST || col->kind == PX_COLUMN_AFFINE ||
         col->kind == PX_COLUMN_ARRAY) &&
        px_word_size(col->type) == 0) {
        return bad(c, "column of words has no scalar type", loc);
    }
    switch (col->kind) {
    case PX_COLUMN_CONST:
        return col->step == 0 || bad(c, "column of one word has a step", loc);
    case PX_COLUMN_AFFINE:
        return true;
    case PX_COLUMN_CELL:
        return check_cell(c, col->data);
    case PX_COLUMN_LOC:
        return (col->width == 64 || bad(c, "column of locators is not 64 bits wide", loc)) &&
               check_elements(c, col, loc);
    case PX_COLUMN_ARRAY:
    case PX_COLUMN_DICT:
        return check_elements(c, col, loc);
    default:
        return bad(c, "column of an unknown kind", loc);
    }
}

/* True if all versions of a key's column are sound and of this key. */
static bool check_columns_of(struct check *c, uint64_t key, uint64_t loc)
{
    const struct px_column *newer = NULL;

    while (loc) {
        const struct px_column *col = at(c, loc, sizeof(*col), "column is outside");

        if (!col || !check_version(c, &col->version, loc, newer ? &newer->version : NULL)) {
            return false;
        }
        if (col->key != key) {
            return bad(c, "column of another key", loc);
        }
        if (!check_column(c, col, loc)) {
            return false;
        }
        newer = col;
        loc = col->version.prev;
    }
    return true;
}

/* True if a key's job-level value and columns are sound. */
static bool check_values_of_key(struct check *c, uint64_t loc)
{
    const struct px_key *key = px_key_at(&c->view, loc);
    const struct px_record *job;

    if (!key) {
        return bad(c, "key is outside", loc);
    }
    if (key->job) {
        job = at(c, key->job, sizeof(*job), "record is outside");
        if (!job || job->key != loc || job->level != PX_LEVEL_JOB || job->quals) {
            return bad(c, "key leads to another job-level value", loc);
        }
        if (!check_versions(c, key->job)) {
            return false;
        }
    }
    return check_columns_of(c, loc, key->column);
}

/* True if the chain descends and each column in it is the first of its key. */
static bool check_column_chain(struct check *c)
{
    uint64_t loc = c->h->columns;

    while (loc) {
        const struct px_column *col = at(c, loc, sizeof(*col), "column is outside");

        if (!col) {
            return false;
        }
        if (col->version.prev || col->link >= loc || !px_key_at(&c->view, col->key)) {
            return bad(c, "chain of columns is damaged", loc);
        }
        loc = col->link;
    }
    return true;
}

/* --- placement --- */

/* True if a map of n ranks is sound. */
static bool check_map(struct check *c, const struct px_rank_map *map, uint32_t n, uint64_t loc)
{
    switch (map->kind) {
    case PX_MAP_NONE:
    case PX_MAP_CONST:
        return true;
    case PX_MAP_BLOCK:
    case PX_MAP_CYCLIC:
        return map->k != 0 || bad(c, "map of ranks divides by 0", loc);
    case PX_MAP_ARRAY:
        return at(c, map->data, (uint64_t) n * 4, "map of ranks is outside") != NULL;
    default:
        return bad(c, "map of ranks of an unknown kind", loc);
    }
}

/* True if what a table of the placement leads to is one of its nodes. */
static bool check_indexed(struct check *c, uint64_t loc)
{
    uint64_t distance = loc - c->place->nodes;

    return (loc >= c->place->nodes && distance % (sizeof(struct px_node) / 8) == 0 &&
            distance / (sizeof(struct px_node) / 8) < c->place->n_nodes) ||
           bad(c, "table of nodes leads to something else", loc);
}

/* True if a reader who looks in this table for the hash comes to the node at `loc`. */
static bool is_filed(struct check *c, uint64_t table, uint64_t hash, uint64_t loc)
{
    struct px_probe probe;
    uint64_t found;

    px_probe_start(&c->view, table, hash, &probe);
    do {
        found = px_probe_next(&probe);
    } while (found && found != loc && pay(c, 1, loc));
    return found == loc || bad(c, "node is not found where it is filed", loc);
}

/* True if a cell is a name or alias by which the node at `loc` is found. */
static bool check_name(struct check *c, uint64_t name, uint64_t loc)
{
    const struct px_cell *cell;

    if (!check_cell(c, name)) {
        return false;
    }
    cell = px_at(&c->view, name, sizeof(*cell));
    if (cell->form != PX_FORM_TEXT || cell->len == 0) {
        return bad(c, "node without a name", loc);
    }
    return pay(c, cell->len / 8, loc) &&
           is_filed(c, c->place->names, px_hash_bytes(cell->payload, cell->len - 1), loc);
}

/* True if a node is found by its name, its aliases and its number, and its ranks exist. */
static bool check_node(struct check *c, const struct px_node *node, uint64_t loc)
{
    const struct px_placement *place = c->place;
    const uint64_t *list;
    uint64_t i;

    if (!check_name(c, node->name, loc) ||
        !is_filed(c, place->ids, px_hash_mix(node->nodeid, 0), loc)) {
        return false;
    }
    if (node->aliases) {
        list = at(c, node->aliases, 8, "aliases are outside");
        if (!list || list[0] > PX_SHM_MAX_SLOTS ||
            !at(c, node->aliases, 8 + list[0] * 8, "aliases are outside")) {
            return bad(c, "aliases are outside", loc);
        }
        for (i = 0; i < list[0]; i++) {
            if (!check_name(c, list[1 + i], loc)) {
                return false;
            }
        }
    }
    if (node->count > place->n_ranks ||
        (node->stride == 0 && node->count && (uint64_t) node->first + node->count > place->n_csr) ||
        (node->stride && node->count &&
         node->first + (uint64_t) (node->count - 1) * node->stride >= place->n_ranks)) {
        return bad(c, "node lists ranks that do not exist", loc);
    }
    return true;
}

/* True if the nodes of a placement are sound, and the tables that find them. */
static bool check_nodes(struct check *c, const struct px_placement *place)
{
    const struct px_node *nodes =
        at(c, place->nodes, (uint64_t) place->n_nodes * sizeof(*nodes), "nodes are outside");
    uint32_t i;

    c->place = place;
    if (!nodes || !each_slot(c, place->names, check_indexed) ||
        !each_slot(c, place->ids, check_indexed)) {
        return false;
    }
    for (i = 0; i < place->n_nodes; i++) {
        if (!check_node(c, &nodes[i], place->nodes + i * (sizeof(*nodes) / 8))) {
            return false;
        }
    }
    return true;
}

/* True if all versions of the placement are sound: maps, nodes, names and the lists of ranks. */
static bool check_placement(struct check *c, uint64_t loc)
{
    const struct px_version *newer = NULL;

    while (loc) {
        const struct px_placement *place = at(c, loc, sizeof(*place), "placement is outside");

        if (!place || !check_version(c, &place->version, loc, newer) ||
            !check_map(c, &place->node_of, place->n_ranks, loc) ||
            !check_map(c, &place->app_of, place->n_ranks, loc)) {
            return false;
        }
        /* Without the bound the product could overflow. */
        if ((place->n_csr > PX_SHM_MAX_SLOTS && !bad(c, "too many ranks of nodes", loc)) ||
            (place->n_csr && !at(c, place->csr, place->n_csr * 4, "ranks of nodes are outside")) ||
            (place->n_nodes && !check_nodes(c, place))) {
            return false;
        }
        newer = &place->version;
        loc = place->version.prev;
    }
    return true;
}

/* True if the header's words agree with the mapping. */
static bool check_header(struct check *c)
{
    return (c->h->used % 8 == 0 || bad(c, "used bytes are not a multiple of 8", 0)) &&
           (c->h->used <= c->view.size || bad(c, "used bytes exceed the segment", 0));
}

/* The whole check, as far as the level asks for it. */
static bool check_all(struct check *c)
{
    if (!check_header(c)) {
        return false;
    }
    if (c->level == PX_VERIFY_HEADER) {
        return true;
    }
    if ((c->h->keys && !each_slot(c, c->h->keys, check_key)) ||
        (c->h->table && !each_slot(c, c->h->table, check_record)) || !check_column_chain(c)) {
        return false;
    }
    if (c->level == PX_VERIFY_TABLES) {
        return true;
    }
    return (c->h->keys == 0 || each_slot(c, c->h->keys, check_values_of_key)) &&
           check_placement(c, c->h->place);
}

/* The budget is fixed before anything but the header is read; the walk stops at the first fault. */
int px_format_verify(const struct px_segment *seg, enum px_verify_level level,
                     struct px_fault *ret_fault)
{
    struct check c = {.level = level,
                      .h = (const struct px_store_header *) (const void *) seg->base};
    int rc = px_header_check(seg, PX_FORMAT_FINGERPRINT);

    if (rc == 0) {
        px_view_init(&c.view, seg->base, seg->size);
        c.budget = PX_VERIFY_STEPS + c.view.limit / 8 * PX_VERIFY_STEPS_PER_WORD;
        c.seq = px_load_acquire(&c.h->sequence); /* pairs with publish_all */
        if (!check_all(&c)) {
            rc = PMIX_ERR_UNPACK_FAILURE;
        }
    } else {
        c.fault.what = "header is damaged or of another format";
    }
    if (ret_fault) {
        *ret_fault = c.fault;
    }
    return rc;
}
