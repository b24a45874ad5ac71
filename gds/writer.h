/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_WRITER_H
#define PX_GDS_WRITER_H

/* A writer: one publication in the making. Objects are written into space that no reader reaches;
 * stores to words that readers follow wait in a list until nothing can fail any more. On the stack
 * of publish_here (publication.c); the writer's thread. */

#include "gds/batch.h"
#include "gds/read.h"
#include "publication.h"

/* A store to a word that readers follow, to be done at the end. */
struct px_writer_word {
    const uint64_t *at;
    uint64_t value;
};

/* Bytes that a column of this publication wrote and the next one may share (column_writer.c). */
struct px_writer_span {
    uint64_t loc;
    size_t len;
};

/* A value that will become a record, unless it changes nothing. Borrows from the batch. */
struct px_pending_record {
    /* Where the value is at home, as in struct px_record. */
    uint32_t level;
    uint32_t index;
    uint64_t key; /* locator */
    /* Of the qualifiers; n is 0 without any. */
    struct px_qual_digest sum;
    size_t order; /* later wins */
    struct px_datum datum;
    const pmix_info_t *quals;
    size_t n_quals;
};

/* All that the files which write a publication share. Store and batch are borrowed; writer_fini
 * frees the lists. After a failure nothing in here has been seen by a reader, and the allocator is
 * rolled back. */
struct px_writer {
    struct px_store *store;
    const struct px_batch *batch;
    struct px_bump *bump;
    struct px_read read; /* the state before */
    uint64_t seq;        /* of this publication */
    /* One locator for each key of the batch, in the batch's order; and the edits of both tables,
     * which are opened when the first key or record is written. */
    uint64_t *keys; /* locator for each key of the batch */
    struct px_table_edit key_edit;
    struct px_table_edit record_edit;
    bool keys_edited;
    bool records_edited;
    /* Values that will become records; columns have taken the others. */
    struct px_pending_record *items;
    size_t n_items;
    size_t cap_items;
    /* Stores to words of keys, columns and index lists, in the order in which they will be done. */
    struct px_writer_word *words;
    size_t n_words;
    size_t cap_words;
    struct px_writer_span *spans; /* elements and bitmaps of its columns so far */
    size_t n_spans;
    size_t cap_spans;
    size_t hint_reads;   /* ranks that were looked at for the keys' hints (proc_values.c) */
    struct px_val *vals; /* room for the ranks of a column (column_writer.c) */
    size_t cap_vals;
    /* What the header's words will be: the state before, changed by this publication. */
    uint64_t columns; /* newest of the chain */
    uint64_t place;   /* 0: as before */
    uint64_t session; /* 0: as before */
    /* The header's `extent` with this publication: highest rank + 1, highest application + 1. */
    uint32_t n_ranks;
    uint32_t n_apps;
    uint64_t dead; /* bytes that this publication replaces */
    /* A record of this publication is in the place of the store's partial value. */
    bool has_partial;
    /* False: the batch changes nothing, and no publication is made. */
    bool changed;
};

/* The object at a locator of the writer's own segment, which is trusted. */
static inline void *px_writer_at(const struct px_writer *writer, uint64_t loc)
{
    return writer->store->seg.base + (loc << 3);
}

/* The key at a locator; const because its words change only by px_writer_word. */
static inline const struct px_key *px_writer_key(const struct px_writer *writer, uint64_t loc)
{
    return (const struct px_key *) px_writer_at(writer, loc);
}

#endif
