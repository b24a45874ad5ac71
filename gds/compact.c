/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Compaction: copies a store's live data into an empty one, the next generation. Everything is read
 * as readers read it and published as writers publish it, so garbage stays behind and nothing else
 * can differ. One publication brings the nodes and all records; then each column has one of its
 * own, so that only one column is in process memory at a time. Strings and bytes are borrowed from
 * the old generation. Writer's thread. */

#include "gds/compact.h"

#include <stdlib.h>

#include "gds/batch.h"
#include "gds/read.h"
#include "shmem/put.h"
#include "src/base/assert.h"
#include "nodes.h"
#include "publication.h"
#include "slice.h"

/* A value between the old generation and the new: the batch borrows it, the move owns it. */
struct held {
    pmix_value_t value;
    pmix_info_t *quals;
    size_t n_quals;
    bool owned; /* the value has memory of its own */
};

/* Key and rank of a process-level record. */
struct spot {
    uint64_t key; /* locator */
    uint32_t rank;
};

/* One copy under way, on the stack of px_compact_copy. */
struct move {
    /* The pass over the old generation. */
    struct px_read read;
    struct px_store *to;
    struct px_batch *batch;
    struct held *held; /* those of the batch, which borrows them: they do not move */
    size_t n_held;
    size_t n_room; /* held never grows beyond: entries borrow its elements */
    /* Unqualified process-level records; sorted by move_spots. */
    struct spot *spots;
    size_t n_spots;
};

/* The object at a locator of the old generation, which is the writer's own and therefore
 * trusted. */
static const void *at(const struct move *m, uint64_t loc)
{
    px_assert(loc << 3 < m->read.view.limit);
    return m->read.view.base + (loc << 3);
}

/* Calls fn with the locator of each object in a table of the old generation; stops at the first
 * failure. */
static int each_slot(struct move *m, uint64_t loc, int (*fn)(struct move *m, uint64_t loc))
{
    const struct px_table *table = at(m, loc);
    uint64_t i;
    int rc = 0;

    for (i = 0; rc == 0 && loc && i < table->n_slots; i++) {
        uint64_t object = table->slots[i] & PX_SHM_LOC_MASK;

        rc = object ? fn(m, object) : 0;
    }
    return rc;
}

/* --- batches --- */

/* Starts a batch for at most `room` values; `held` has its final size at once, because the batch
 * borrows its elements. PMIX_ERR_NOMEM; copy_finish releases what there is. */
static int copy_start(struct move *m, size_t room)
{
    px_assert(!m->batch && !m->held);
    m->batch = px_batch_create();
    m->held = calloc(room ? room : 1, sizeof(*m->held));
    m->n_held = 0;
    m->n_room = room;
    return m->batch && m->held ? 0 : PMIX_ERR_NOMEM;
}

/* Frees the batch and the values that it borrows. May follow a failed copy_start. */
static void copy_finish(struct move *m)
{
    size_t i;

    for (i = 0; i < m->n_held; i++) {
        if (m->held[i].owned) {
            PMIx_Value_destruct(&m->held[i].value);
        }
        PMIx_Info_free(m->held[i].quals, m->held[i].n_quals);
    }
    free(m->held);
    m->held = NULL;
    m->n_held = 0;
    px_batch_destroy(m->batch);
    m->batch = NULL;
}

/* Adds a slice of the old generation to the batch, with its qualifiers and its scope. A hidden one
 * is added as hidden. Statuses of px_slice_borrow, px_slice_quals and px_batch_add. */
static int copy_add(struct move *m, enum px_level level, uint32_t index, const struct px_key *key,
                    const struct px_slice *slice)
{
    struct px_store_entry entry = {
        .level = level, .index = index, .key = key->name, .scope = slice->scope};
    struct held *held = &m->held[m->n_held];
    int rc;

    px_assert(m->n_held < m->n_room);
    if (!slice->hidden) {
        rc = px_slice_borrow(slice, &held->value, &held->owned);
        if (rc) {
            *held = (struct held){0};
            return rc;
        }
        entry.value = &held->value;
    }
    m->n_held++;
    if (slice->quals) {
        rc = px_slice_quals(slice, &held->quals, &held->n_quals);
        if (rc) {
            return rc;
        }
        entry.quals = held->quals;
        entry.n_quals = held->n_quals;
    }
    return px_batch_add(m->batch, &entry);
}

/* Adds the unqualified value that a reader finds for a key, if there is one. A deleted value counts
 * as none. */
static int add_plain(struct move *m, enum px_level level, uint32_t index, const struct px_key *key)
{
    struct px_slice slice;
    int rc = px_read_level(&m->read, level, index, key, NULL, &slice);

    if (rc) {
        return rc == PMIX_ERR_NOT_FOUND ? 0 : rc;
    }
    return copy_add(m, level, index, key, &slice);
}

/* --- records --- */

/* Adds the newest visible value with the qualifiers of a record. Each such value has one record in
 * the table, so none is added twice. */
static int add_qualified(struct move *m, const struct px_record *rec, const struct px_key *key)
{
    struct px_qual_digest sum = px_quals_sum(at(m, rec->quals));
    struct px_slice slice;
    int rc = px_read_level(&m->read, (enum px_level) rec->level, rec->index, key, &sum, &slice);

    if (rc) {
        return rc == PMIX_ERR_NOT_FOUND ? 0 : rc;
    }
    return copy_add(m, (enum px_level) rec->level, rec->index, key, &slice);
}

/* For each_slot over the record table: copies a record, or notes it in `spots` if it is an
 * unqualified process-level one; move_spots or move_column copies that. Index lists are made
 * anew. */
static int move_record(struct move *m, uint64_t loc)
{
    const struct px_record *rec = at(m, loc);
    const struct px_key *key = at(m, rec->key);

    if (rec->key == 0) {
        return 0; /* an index list */
    }
    if (rec->quals) {
        return add_qualified(m, rec, key);
    }
    if (rec->level == PX_LEVEL_PROC) {
        m->spots[m->n_spots++] = (struct spot){.key = rec->key, .rank = rec->index};
        return 0;
    }
    return add_plain(m, (enum px_level) rec->level, rec->index, key);
}

/* For each_slot over the key table: copies the key's job-level value. */
static int move_job(struct move *m, uint64_t loc)
{
    const struct px_key *key = at(m, loc);

    return key->job ? add_plain(m, PX_LEVEL_JOB, 0, key) : 0;
}

/* For qsort: by key, then by rank. */
static int compare_spots(const void *left, const void *right)
{
    const struct spot *a = left;
    const struct spot *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Copies the process-level records of keys without a column; those of the others follow with their
 * column. Sorts `spots`, on which first_spot relies. */
static int move_spots(struct move *m)
{
    size_t i;
    int rc = 0;

    if (m->n_spots > 1) {
        qsort(m->spots, m->n_spots, sizeof(*m->spots), compare_spots);
    }
    for (i = 0; rc == 0 && i < m->n_spots; i++) {
        const struct px_key *key = at(m, m->spots[i].key);

        rc = key->column ? 0 : add_plain(m, PX_LEVEL_PROC, m->spots[i].rank, key);
    }
    return rc;
}

/* --- columns --- */

/* The position of a key's first spot, or where it would be. */
static size_t first_spot(const struct move *m, uint64_t key)
{
    size_t low = 0;
    size_t high = m->n_spots;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (m->spots[mid].key < key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Adds the values of all ranks of a key: those below n, whether they lie in the column or above it,
 * then records of higher ranks. */
static int add_column(struct move *m, uint64_t loc, const struct px_key *key, uint32_t n)
{
    size_t i = first_spot(m, loc);
    uint32_t rank;
    int rc = 0;

    for (rank = 0; rc == 0 && rank < n; rank++) {
        rc = add_plain(m, PX_LEVEL_PROC, rank, key);
    }
    for (; rc == 0 && i < m->n_spots && m->spots[i].key == loc; i++) {
        rc = m->spots[i].rank < n ? 0 : add_plain(m, PX_LEVEL_PROC, m->spots[i].rank, key);
    }
    return rc;
}

/* For each_slot over the key table: copies a key that has a column, in a publication of its own.
 * The new generation decides anew whether these values make a column. */
static int move_column(struct move *m, uint64_t loc)
{
    const struct px_key *key = at(m, loc);
    const struct px_column *col = px_read_column(&m->read, key);
    size_t first = first_spot(m, loc);
    size_t end = first;
    int rc;

    if (!col) {
        return 0;
    }
    /* Count first: `held` must not move while the batch borrows its elements. */
    while (end < m->n_spots && m->spots[end].key == loc) {
        end++;
    }
    rc = copy_start(m, col->n + (end - first));
    if (rc == 0) {
        rc = add_column(m, loc, key, col->n);
    }
    if (rc == 0) {
        rc = px_store_publish(m->to, m->batch);
    }
    copy_finish(m);
    return rc;
}

/* --- nodes --- */

/* A node's aliases, NULL-terminated; the caller frees the array, not the strings. NULL: no
 * memory. */
static const char **aliases_of(const struct px_store *from, uint32_t node)
{
    const char **names;
    uint32_t n = 0;
    uint32_t i;

    while (px_store_node_alias(from, node, n)) {
        n++;
    }
    names = calloc((size_t) n + 1, sizeof(*names));
    for (i = 0; names && i < n; i++) {
        names[i] = px_store_node_alias(from, node, i);
    }
    return names;
}

/* Defines a node in the batch under its old index. px_batch_node would look it up by name and could
 * choose another index. */
static int add_node(struct move *m, uint32_t i, const char *const **ret_aliases)
{
    struct px_batch_node_def *def = &m->batch->defs[i];
    struct px_node_view node;
    int rc = px_store_node(m->read.store, i, &node);

    if (rc) {
        return rc;
    }
    *ret_aliases = aliases_of(m->read.store, i);
    *def = (struct px_batch_node_def){.index = i};
    def->def =
        (struct px_node_def){.name = node.name, .aliases = *ret_aliases, .nodeid = node.nodeid};
    m->batch->n_defs++;
    return *ret_aliases ? 0 : PMIX_ERR_NOMEM;
}

/* Adds the placement of all ranks and the readers' own node, if it is known. Statuses of
 * px_batch_place_rank. */
static int add_ranks(struct move *m, const struct px_placement *place)
{
    uint32_t rank;
    int rc = 0;

    for (rank = 0; rc == 0 && rank < place->n_ranks; rank++) {
        rc = px_batch_place_rank(m->batch, rank,
                                 px_placed(&m->read, &place->node_of, place->n_ranks, rank),
                                 px_placed(&m->read, &place->app_of, place->n_ranks, rank));
    }
    if (rc == 0 && place->local_node != PX_NO_INDEX) {
        rc = px_batch_local_node(m->batch, place->local_node);
    }
    return rc;
}

/* Adds nodes and placement to the batch. *ret_aliases has one array per node; the caller frees them
 * after publishing. */
static int move_nodes(struct move *m, const struct px_placement *place,
                      const char *const ***ret_aliases)
{
    uint32_t i;
    int rc = 0;

    if (!place) {
        return 0;
    }
    m->batch->defs = calloc((size_t) place->n_nodes + 1, sizeof(*m->batch->defs));
    *ret_aliases = calloc((size_t) place->n_nodes + 1, sizeof(**ret_aliases));
    if (!m->batch->defs || !*ret_aliases) {
        return PMIX_ERR_NOMEM;
    }
    /* The batch is filled directly, as if it had defined the nodes in a store without any. */
    m->batch->cap_defs = (size_t) place->n_nodes + 1;
    m->batch->based = true;
    m->batch->n_new_nodes = place->n_nodes;
    for (i = 0; rc == 0 && i < place->n_nodes; i++) {
        rc = add_node(m, i, &(*ret_aliases)[i]);
    }
    return rc ? rc : add_ranks(m, place);
}

/* --- all of it --- */

/* The first publication: nodes, job-level values and all records but those of keys with a column.
 * Everything borrowed is freed after it. */
static int move_records(struct move *m)
{
    const struct px_store_header *h = px_store_header(m->read.store);
    const struct px_placement *place = px_read_placement(&m->read);
    const char *const **aliases = NULL;
    const struct px_store *from = m->read.store;
    uint32_t i;
    int rc = copy_start(m, from->n_records + from->n_keys);

    m->spots = calloc(from->n_records + 1, sizeof(*m->spots));
    rc = m->spots ? rc : PMIX_ERR_NOMEM;
    rc = rc ? rc : move_nodes(m, place, &aliases);
    rc = rc ? rc : each_slot(m, h->keys, move_job);
    rc = rc ? rc : each_slot(m, h->table, move_record);
    rc = rc ? rc : move_spots(m);
    rc = rc ? rc : px_store_publish(m->to, m->batch);
    for (i = 0; aliases && i < place->n_nodes; i++) {
        free((void *) (uintptr_t) aliases[i]);
    }
    free(aliases);
    copy_finish(m);
    return rc;
}

/* For each_slot over the key table: copies the any-rank hint, so that a get of an unspecified rank
 * finds the same value as before. */
static int copy_any_rank_hint(struct move *m, uint64_t loc)
{
    const struct px_key *old = at(m, loc);
    const struct px_key *key;
    struct px_read read;

    px_read_begin(m->to, &read);
    key = px_read_key(&read, old->name, old->len, old->hash);
    if (key && key->holder && old->holder) {
        px_put_word((uint64_t *) (uintptr_t) &key->holder, old->holder);
    }
    return 0;
}

/* The sequence is set before the first publication, so numbers go on from the old generation's. No
 * reader knows `to` yet: its words are stored without order. */
int px_compact_copy(const struct px_store *from, struct px_store *to)
{
    const struct px_store_header *old = px_store_header(from);
    struct px_store_header *h = (struct px_store_header *) (void *) to->seg.base;
    struct move m = {.to = to};
    int rc;

    px_read_begin(from, &m.read);
    px_put_word(&h->sequence, old->sequence);
    rc = move_records(&m);
    rc = rc ? rc : each_slot(&m, old->keys, move_column);
    rc = rc ? rc : each_slot(&m, old->keys, copy_any_rank_hint);
    free(m.spots);
    if (rc == 0) {
        /* Publishing has set session and extent from what it saw; the old words are the
         * authority. */
        px_put_word(&h->flags, old->flags);
        px_put_word(&h->session, old->session);
        px_put_word(&h->extent, old->extent);
    }
    return rc == 0 && m.read.view.damaged ? PMIX_ERR_UNPACK_FAILURE : rc;
}
