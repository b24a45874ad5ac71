/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STAGE_H
#define PX_GDS_STAGE_H

#include "gds/batch.h"
#include "gds/read.h"

/* One publication in the making. Objects are written into space that no reader reaches; stores to
 * words that readers follow wait in lists until nothing can fail any more. The writer's thread. */

struct px_stage_word {
    const uint64_t *at;
    uint64_t value;
};

struct px_stage_span {
    uint64_t loc;
    size_t len;
};

/* A value for the record table. */
struct px_item {
    uint32_t level;
    uint32_t index;
    uint64_t key; /* locator */
    struct px_qual_sum sum;
    size_t order; /* later wins */
    struct px_given given;
    const pmix_info_t *quals;
    size_t n_quals;
};

struct px_stage {
    struct px_store *store;
    const struct px_batch *batch;
    struct px_bump *bump;
    struct px_read read; /* the state before */
    uint64_t seq;        /* of this publication */
    uint64_t *keys;      /* locator for each key of the batch */
    struct px_table_edit key_edit;
    struct px_table_edit record_edit;
    bool keys_edited;
    bool records_edited;
    struct px_item *items;
    size_t n_items;
    size_t cap_items;
    struct px_stage_word *words;
    size_t n_words;
    size_t cap_words;
    struct px_stage_span *spans; /* lanes and bitmaps of its columns so far */
    size_t n_spans;
    size_t cap_spans;
    struct px_val *vals; /* room for the ranks of a column (column.c) */
    size_t cap_vals;
    uint64_t columns; /* newest of the chain */
    uint64_t place;   /* 0: as before */
    uint64_t session; /* 0: as before */
    uint32_t n_ranks;
    uint32_t n_apps;
    uint64_t dead; /* bytes that this publication replaces */
    bool changed;
};

static inline void *px_stage_at(const struct px_stage *stage, uint64_t loc)
{
    return stage->store->seg.base + (loc << 3);
}

static inline const struct px_key *px_stage_key(const struct px_stage *stage, uint64_t loc)
{
    return (const struct px_key *) px_stage_at(stage, loc);
}

/* A word to be stored at publication. 0 or PMIX_ERR_NOMEM. */
int px_stage_word(struct px_stage *stage, const uint64_t *at, uint64_t value);

/* A process-level value exists under this key from now on. */
int px_stage_holder(struct px_stage *stage, const struct px_key *key, uint32_t rank);

/* Process-level values of one key: into a column when enough ranks have one, else into
 * stage->items. */
int px_stage_procs(struct px_stage *stage, size_t key);

/* Writes a column with these values (at least two, ascending by rank, all of them news), and what
 * the key has already, for ranks below n. */
int px_stage_column(struct px_stage *stage, uint64_t key, const struct px_given *procs,
                    size_t n_procs, uint32_t n);

/* Whether a value would change nothing. 0 with *ret_same, or an encoding error. */
int px_stage_same(struct px_stage *stage, const struct px_slice *now, const struct px_given *given,
                  bool *ret_same);

/* Counts as dead a cell that is replaced, with what leads to it; a column, but for its cells; the
 * placement, when a new one is written from scratch. */
void px_stage_dead_cell(struct px_stage *stage, const struct px_slice *now, uint64_t record);
void px_stage_dead_column(struct px_stage *stage, const struct px_column *col,
                          const struct px_given *procs, size_t n_procs);
void px_stage_dead_placement(struct px_stage *stage, const struct px_placement *place);

/* Writes the records of stage->items. */
int px_stage_records(struct px_stage *stage);

/* Writes the placement when the batch says something about it. */
int px_stage_placement(struct px_stage *stage);

#endif
