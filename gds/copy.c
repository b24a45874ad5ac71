/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Copying values in batches. Everything is read as readers read it and published as writers publish
 * it, so garbage stays behind and nothing else can differ. Strings and bytes are borrowed from the
 * old generation. */

#include "gds/copy.h"

#include <stdlib.h>

#include "src/base/assert.h"
#include "nodes.h"
#include "partial.h"
#include "publication.h"
#include "slice.h"

/* A value between the old generation and the new: the batch borrows it, the block owns it. */
struct held {
    pmix_value_t value;
    pmix_data_array_t array; /* room for px_slice_lend */
    pmix_info_t *quals;
    size_t n_quals;
    bool owned; /* the value has memory of its own */
};

enum { BLOCK = 64 };

/* Newest block first; only the first one is not full. */
struct px_copy_block {
    struct px_copy_block *next;
    size_t n;
    struct held of[BLOCK];
};

/* What a number costs, and any other value besides its bytes; from how many bytes on a value waits
 * for the next piece when this one is used up; and from how many on its memory is prepared before
 * it is copied, or it is copied in parts. */
enum { WORD_COST = 64, VALUE_COST = 256, LARGE = 4096, HUGE_VALUE = 1 << 18 };

/* Copying into memory that is prepared costs so many times less than preparing it. */
enum { READY_SHARE = 8 };

int px_copy_begin(struct px_copy *copy)
{
    px_assert(!copy->batch && !copy->blocks);
    px_read_begin(copy->from, &copy->read);
    copy->batch = px_batch_create();
    return copy->batch ? 0 : PMIX_ERR_NOMEM;
}

/* Room for a value that the batch may borrow. NULL: no memory. */
static struct held *hold(struct px_copy *copy)
{
    struct px_copy_block *block = copy->blocks;
    struct held *held;

    if (!block || block->n == BLOCK) {
        block = malloc(sizeof(*block));
        if (!block) {
            return NULL;
        }
        block->next = copy->blocks;
        block->n = 0;
        copy->blocks = block;
    }
    held = &block->of[block->n++];
    *held = (struct held){.owned = false};
    return held;
}

/* Makes a value of a slice, in which nothing is unpacked that does not have to be. Statuses of
 * px_slice_borrow. */
static int take_value(const struct px_slice *slice, struct held *held)
{
    bool owns = false;
    int rc = px_slice_lend(slice, true, &held->array, &held->value)
                 ? 0
                 : px_slice_borrow(slice, &held->value, &owns);

    held->owned = !rc && owns;
    return rc;
}

/* Makes value and qualifiers of an entry from a slice, but for a hidden one, which has no value.
 * Statuses of px_slice_borrow and px_slice_quals. */
static int fill_entry(struct px_copy *copy, const struct px_slice *slice,
                      struct px_store_entry *entry)
{
    struct held *held = hold(copy);
    int rc = held ? 0 : PMIX_ERR_NOMEM;

    if (!rc && !slice->hidden) {
        rc = take_value(slice, held);
        entry->value = &held->value;
    }
    if (!rc && slice->quals) {
        px_copy_cost(copy, VALUE_COST);
        rc = px_slice_quals(slice, &held->quals, &held->n_quals);
        entry->quals = held->quals;
        entry->n_quals = held->n_quals;
    }
    return rc;
}

/* Prepares memory for a large value, as much as the piece has time for. 0, PX_COPY_LATER, or
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int prepare(struct px_copy *copy, size_t len)
{
    uint64_t more;
    int rc = px_bump_prepare(&copy->to->bump, len + VALUE_COST, copy->left, &more);

    if (rc == 0) {
        px_copy_cost(copy, more);
    }
    return rc || copy->left ? rc : PX_COPY_LATER;
}

/* Counts the cost of a value. 0, PX_COPY_LATER for a large value that has to wait, or the status of
 * prepare. */
static int may_add(struct px_copy *copy, size_t len)
{
    int rc = len >= LARGE && !copy->left ? PX_COPY_LATER : 0;

    if (!rc && len >= HUGE_VALUE) {
        rc = prepare(copy, len);
        len /= READY_SHARE;
    }
    if (!rc) {
        px_copy_cost(copy, VALUE_COST + len);
    }
    return rc;
}

/* True if a value is copied in parts. It is borrowed from the old generation, at the same place for
 * each part: no value of another form is so long. */
static bool is_huge(const struct px_slice *slice)
{
    return slice->len >= HUGE_VALUE && !slice->quals && !slice->hidden;
}

int px_copy_begin_again(struct px_copy *copy)
{
    int rc = px_copy_publish(copy);

    return rc ? rc : px_copy_begin(copy);
}

/* Copies a part of a huge value, or, when all of it is copied, publishes it in a batch of its own:
 * records of the same rank are to lie below it, or above. One that was replaced before all of it
 * was copied is garbage. Statuses as px_copy_value. */
static int copy_huge(struct px_copy *copy, const struct px_slice *slice,
                     struct px_store_entry *entry)
{
    struct held huge = {.owned = false};
    int rc = copy->left ? take_value(slice, &huge) : PX_COPY_LATER;

    if (!rc && copy->huge != slice->payload) {
        px_partial_drop(copy->to, NULL);
        copy->huge = slice->payload;
        rc = px_copy_begin_again(copy);
    }
    if (rc) {
        return rc;
    }
    px_assert(!huge.owned);
    entry->value = &huge.value;
    if (px_partial_go_on(copy->to, entry, copy->left)) {
        copy->left = 0;
        return PX_COPY_LATER;
    }
    rc = px_batch_add(copy->batch, entry);
    rc = rc ? rc : px_copy_begin_again(copy);
    px_partial_drop(copy->to, NULL);
    copy->huge = NULL;
    px_copy_cost(copy, VALUE_COST);
    return rc;
}

/* True if a value that was read for a rank below n is the one in a column of cells, and not of a
 * record or column that is newer. */
static bool is_of_column(struct px_copy *copy, const struct px_column *col, uint32_t rank,
                         const struct px_slice *slice)
{
    struct px_slice own;

    return px_read_column_cell(&copy->read, col, rank, &own) == 0 && own.payload == slice->payload;
}

/* True if the copy has to keep the deletion of a value that was not found. It has to in a store
 * that does not move by itself: there a client looks for its own deletions (px_store_is_deleted).
 */
static bool keeps_deletion(const struct px_copy *copy, const struct px_store_entry *entry,
                           const struct px_slice *slice, const struct px_qual_digest *quals)
{
    return slice->store && entry->level == PX_LEVEL_PROC && !quals && !copy->from->moves;
}

int px_copy_value(struct px_copy *copy, enum px_level level, uint32_t index,
                  const struct px_key *key, const struct px_qual_digest *quals)
{
    struct px_store_entry entry = {.level = level, .index = index, .key = key->name};
    pmix_value_t word;
    struct px_slice slice = {.store = NULL};
    int rc = px_read_level(&copy->read, level, index, key, quals, &slice);

    px_assert(copy->batch);
    if (rc == PMIX_ERR_NOT_FOUND) {
        entry.value = &px_deleted;
        entry.scope = slice.scope;
        return keeps_deletion(copy, &entry, &slice, quals) ? px_batch_add(copy->batch, &entry) : 0;
    }
    if (rc) {
        return rc;
    }
    if (copy->shared && index < copy->shared->n &&
        is_of_column(copy, copy->shared, index, &slice)) {
        return 0;
    }
    entry.scope = slice.scope;
    if (is_huge(&slice)) {
        return copy_huge(copy, &slice, &entry);
    }
    if (level == PX_LEVEL_PROC && slice.inlined && !slice.hidden && !slice.quals) {
        px_copy_cost(copy, WORD_COST);
        px_word_value(slice.type, slice.word, &word); /* the batch copies it */
        entry.value = &word;
    } else {
        rc = may_add(copy, slice.inlined || slice.hidden ? 0 : slice.len);
        rc = rc ? rc : fill_entry(copy, &slice, &entry);
    }
    return rc ? rc : px_batch_add(copy->batch, &entry);
}

/* --- values that ranks share --- */

/* Cells are shared if there are so many ranks for each of them; and these have to be one in so many
 * of the ranks that the column covers, or they would not become a column again. */
enum { RANKS_PER_CELL = 2, RANKS_SHARE = 4 };

/* The sum of the lengths of a column's n cells; 0: it is not a column of few cells, or none of them
 * is large, or it is damaged. */
static size_t size_of_cells(struct px_copy *copy, const struct px_column *col, uint32_t *ret_n)
{
    bool one = col->kind == PX_COLUMN_CELL;
    uint32_t n = one ? 1 : col->n_dict;
    const uint64_t *locs = one ? &col->data : NULL;
    struct px_slice slice;
    bool large = false;
    size_t len = 0;

    if (col->kind == PX_COLUMN_DICT) {
        locs = px_at(&copy->read.view, col->base, (uint64_t) n * 8);
    }
    for (uint32_t i = 0; locs && i < n; i++) {
        if (px_read_cell(&copy->read, locs[i], &slice) == 0) {
            len += VALUE_COST + slice.len;
            large = large || slice.len >= LARGE;
        }
    }
    *ret_n = n;
    return large ? len : 0;
}

/* Reads the value of a rank. True, with *ret: it is the one in the column. */
static bool read_own(struct px_copy *copy, const struct px_key *key, const struct px_column *col,
                     uint32_t rank, struct px_slice *ret)
{
    return px_read_level(&copy->read, PX_LEVEL_PROC, rank, key, NULL, ret) == 0 &&
           is_of_column(copy, col, rank, ret);
}

/* True if enough ranks share the n cells of a column, so that they would become one again. */
static bool is_shared(struct px_copy *copy, const struct px_key *key, const struct px_column *col,
                      uint32_t n_cells)
{
    struct px_slice slice;
    uint64_t n = 0;

    for (uint32_t rank = 0; rank < col->n; rank++) {
        n += read_own(copy, key, col, rank, &slice);
    }
    return n >= (uint64_t) n_cells * RANKS_PER_CELL && n * RANKS_SHARE >= col->n;
}

/* Adds the values of a column to the batch. `values`, by number of the cell: those that were added
 * before, or NULL; a value is made once for all its ranks. Statuses of fill_entry. */
static int add_shared(struct px_copy *copy, const struct px_key *key, const struct px_column *col,
                      const pmix_value_t **values)
{
    struct px_slice slice;
    int rc = 0;

    for (uint32_t rank = 0; rc == 0 && rank < col->n; rank++) {
        struct px_store_entry entry = {.level = PX_LEVEL_PROC, .index = rank, .key = key->name};
        uint64_t cell = 0;

        if (!read_own(copy, key, col, rank, &slice) ||
            (col->kind == PX_COLUMN_DICT &&
             !px_column_element(&copy->read.view, col, rank, &cell))) {
            continue;
        }
        entry.scope = slice.scope;
        entry.value = values[cell];
        if (!entry.value) {
            rc = fill_entry(copy, &slice, &entry);
            values[cell] = entry.value;
        }
        rc = rc ? rc : px_batch_add(copy->batch, &entry);
    }
    return rc;
}

/* As much is copied at once as was published at once; only its memory is prepared in pieces. */
int px_copy_shared(struct px_copy *copy, const struct px_key *key, const struct px_column *col)
{
    const pmix_value_t **values;
    uint32_t n_cells;
    size_t len = size_of_cells(copy, col, &n_cells);
    int rc;

    px_assert(copy->batch && !copy->shared);
    if (len == 0 || !is_shared(copy, key, col, n_cells)) {
        return 0;
    }
    rc = copy->left ? prepare(copy, len) : PX_COPY_LATER;
    if (rc) {
        return rc;
    }
    values = calloc(n_cells, sizeof(*values));
    rc = values ? add_shared(copy, key, col, values) : PMIX_ERR_NOMEM;
    free(values);
    px_copy_cost(copy, len / READY_SHARE + (size_t) col->n * WORD_COST);
    copy->shared = rc ? NULL : col;
    return rc;
}

/* --- nodes --- */

/* A node's aliases, NULL-terminated; the caller frees the array, not the strings. NULL: no
 * memory. */
static const char **aliases_of(const struct px_store *from, uint32_t node)
{
    const char **names;
    uint32_t n = 0;

    while (px_store_node_alias(from, node, n)) {
        n++;
    }
    names = calloc((size_t) n + 1, sizeof(*names));
    for (uint32_t i = 0; names && i < n; i++) {
        names[i] = px_store_node_alias(from, node, i);
    }
    return names;
}

/* Defines a node in the batch under its old index. px_batch_node would look it up by name and could
 * choose another index. */
static int add_node(struct px_copy *copy, uint32_t i)
{
    struct px_node_view node;
    int rc = px_store_node(copy->from, i, &node);
    const char **aliases = rc ? NULL : aliases_of(copy->from, i);

    if (!aliases) {
        return rc ? rc : PMIX_ERR_NOMEM;
    }
    copy->aliases[copy->n_aliases++] = aliases;
    copy->batch->defs[i] = (struct px_batch_node_def){
        .index = i, .def = {.name = node.name, .aliases = aliases, .nodeid = node.nodeid}};
    copy->batch->n_defs++;
    return 0;
}

/* Adds the placement of all ranks and the readers' own node, if it is known. Statuses of
 * px_batch_place_rank. */
static int add_ranks(struct px_copy *copy, const struct px_placement *place)
{
    int rc = 0;

    for (uint32_t rank = 0; rc == 0 && rank < place->n_ranks; rank++) {
        rc = px_batch_place_rank(copy->batch, rank,
                                 px_placed(&copy->read, &place->node_of, place->n_ranks, rank),
                                 px_placed(&copy->read, &place->app_of, place->n_ranks, rank));
    }
    if (rc == 0 && place->local_node != PX_NO_INDEX) {
        rc = px_batch_local_node(copy->batch, place->local_node);
    }
    return rc;
}

/* The batch is filled directly, as if it had defined the nodes in a store without any. */
int px_copy_nodes(struct px_copy *copy)
{
    const struct px_placement *place = px_read_placement(&copy->read);
    int rc = place ? px_batch_derived(copy->batch) : 0;

    if (!place || rc) {
        return rc;
    }
    copy->batch->defs = calloc((size_t) place->n_nodes + 1, sizeof(*copy->batch->defs));
    copy->aliases = calloc((size_t) place->n_nodes + 1, sizeof(*copy->aliases));
    if (!copy->batch->defs || !copy->aliases) {
        return PMIX_ERR_NOMEM;
    }
    copy->batch->cap_defs = (size_t) place->n_nodes + 1;
    copy->batch->based = true;
    copy->batch->n_new_nodes = place->n_nodes;
    for (uint32_t i = 0; rc == 0 && i < place->n_nodes; i++) {
        rc = add_node(copy, i);
    }
    return rc ? rc : add_ranks(copy, place);
}

/* --- the end of a batch --- */

int px_copy_publish(struct px_copy *copy)
{
    int rc =
        copy->read.view.damaged ? PMIX_ERR_UNPACK_FAILURE : px_store_publish(copy->to, copy->batch);

    px_copy_drop(copy);
    return rc;
}

/* The batch goes first: it borrows from the blocks. */
void px_copy_drop(struct px_copy *copy)
{
    px_batch_destroy(copy->batch);
    copy->batch = NULL;
    while (copy->blocks) {
        struct px_copy_block *block = copy->blocks;

        for (size_t i = 0; i < block->n; i++) {
            if (block->of[i].owned) {
                PMIx_Value_destruct(&block->of[i].value);
            }
            PMIx_Info_free(block->of[i].quals, block->of[i].n_quals);
        }
        copy->blocks = block->next;
        free(block);
    }
    while (copy->n_aliases) {
        free(copy->aliases[--copy->n_aliases]);
    }
    free(copy->aliases);
    copy->aliases = NULL;
}
