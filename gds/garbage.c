/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Counts the garbage that a publication makes. It is an estimate taken on the way, not a search: a
 * few small objects are left out, and a cell that several ranks share counts for each of them that
 * gives it up. The count decides when a store moves (px_store_compact); in a new generation it
 * begins at 0. */

#include "garbage.h"

#include "gds/compare.h"
#include "gds/writer.h"
#include "src/base/assert.h"

/* Bytes of a cell with a payload of `len` bytes. */
static uint64_t cell_size(uint64_t len)
{
    return sizeof(struct px_cell) + px_round8(len);
}

/* A value from a column without cells has no locator, so only its record counts, if it has one. A
 * deletion is garbage itself: the next generation does without it. */
void px_writer_count_garbage_cell(struct px_writer *writer, const struct px_present *present,
                                  const struct px_datum *datum, uint64_t record)
{
    const struct px_record *rec = record ? px_writer_at(writer, record) : NULL;
    const struct px_quals *quals = rec && rec->quals ? px_writer_at(writer, rec->quals) : NULL;

    px_assert(!rec || (rec->version.seq < writer->seq && rec->key));
    if (px_datum_is_gone(datum)) {
        writer->dead += sizeof(struct px_full_record);
    }
    if (present->deleted) {
        return; /* counted when it was written */
    }
    if (present->now.locator) {
        writer->dead += cell_size(present->now.len);
    }
    if (rec) {
        writer->dead += sizeof(*rec) + (quals ? sizeof(*quals) + px_round8(quals->len) : 0);
    }
}

/* Bytes of the cell at a locator; 0 for none. */
static uint64_t cell_at(const struct px_writer *writer, uint64_t loc)
{
    return loc ? cell_size(((const struct px_cell *) px_writer_at(writer, loc))->len) : 0;
}

/* Cells count only in columns that have one locator per rank; those of a dictionary may live on in
 * the next column. */
void px_writer_count_garbage_column(struct px_writer *writer, const struct px_column *col,
                                    const struct px_datum *procs, size_t n_procs)
{
    uint64_t elements = px_round8((uint64_t) col->n * (col->width / 8));
    const uint64_t *locs = NULL;
    size_t i;

    px_assert(col->version.seq < writer->seq);
    writer->dead +=
        sizeof(*col) + elements + (col->present ? ((uint64_t) col->n + 63) / 64 * 8 : 0);
    if (col->kind == PX_COLUMN_DICT) {
        writer->dead += (uint64_t) col->n_dict * 8;
    } else if (col->kind == PX_COLUMN_LOC) {
        locs = px_writer_at(writer, col->data);
    }
    for (i = 0; locs && i < n_procs && procs[i].rank < col->n; i++) {
        writer->dead += cell_at(writer, locs[procs[i].rank]);
    }
}

/* Bytes of a map's array. */
static uint64_t map_size(const struct px_rank_map *map, uint32_t n_ranks)
{
    return map->kind == PX_MAP_ARRAY ? px_round8((uint64_t) n_ranks * 4) : 0;
}

/* Bytes of a table; 0 for none. */
static uint64_t table_size(const struct px_writer *writer, uint64_t loc)
{
    const struct px_table *table = loc ? px_writer_at(writer, loc) : NULL;

    return table ? sizeof(*table) + table->n_slots * 8 : 0;
}

/* Names and aliases do not count: the new placement refers to them. */
void px_writer_count_garbage_placement(struct px_writer *writer, const struct px_placement *place)
{
    px_assert(place->version.seq < writer->seq);
    writer->dead += sizeof(*place) + (uint64_t) place->n_nodes * sizeof(struct px_node) +
                    px_round8(place->n_csr * 4) + map_size(&place->node_of, place->n_ranks) +
                    map_size(&place->app_of, place->n_ranks) + table_size(writer, place->names) +
                    table_size(writer, place->ids);
}
