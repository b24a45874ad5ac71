/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_WRITER_H
#define PX_GDS_WRITER_H

#include "gds/batch.h"
#include "gds/read.h"
#include "publication.h"

/* One publication in the making. Objects are written into space that no reader reaches; stores to
 * words that readers follow wait in lists until nothing can fail any more. The writer's thread. */

struct px_writer_word {
    const uint64_t *at;
    uint64_t value;
};

struct px_writer_span {
    uint64_t loc;
    size_t len;
};

/* A value for the record table. */
struct px_pending_record {
    uint32_t level;
    uint32_t index;
    uint64_t key; /* locator */
    struct px_qual_digest sum;
    size_t order; /* later wins */
    struct px_datum datum;
    const pmix_info_t *quals;
    size_t n_quals;
};

struct px_writer {
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
    struct px_pending_record *items;
    size_t n_items;
    size_t cap_items;
    struct px_writer_word *words;
    size_t n_words;
    size_t cap_words;
    struct px_writer_span *spans; /* elements and bitmaps of its columns so far */
    size_t n_spans;
    size_t cap_spans;
    struct px_val *vals; /* room for the ranks of a column (column_writer.c) */
    size_t cap_vals;
    uint64_t columns; /* newest of the chain */
    uint64_t place;   /* 0: as before */
    uint64_t session; /* 0: as before */
    uint32_t n_ranks;
    uint32_t n_apps;
    uint64_t dead; /* bytes that this publication replaces */
    bool changed;
};

static inline void *px_writer_at(const struct px_writer *writer, uint64_t loc)
{
    return writer->store->seg.base + (loc << 3);
}

static inline const struct px_key *px_writer_key(const struct px_writer *writer, uint64_t loc)
{
    return (const struct px_key *) px_writer_at(writer, loc);
}

#endif
