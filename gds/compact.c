/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Compaction. It goes through the tables of the old generation as they were when it began: first
 * the records, of which it copies those of other levels and the qualified ones, and notes the
 * others; then key by key what these are, the key's job-level value and its column. Each value is
 * read when it is copied. So a value that changes between two pieces is copied as it is then, or
 * has been copied, and was published in both generations when it changed: a value of the new
 * generation is always the newest one (docs/memory-model.md, section 9). */

#include "gds/compact.h"

#include <stdlib.h>

#include "gds/copy.h"
#include "gds/read.h"
#include "shmem/put.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "partial.h"

/* An unqualified process-level record, in the list of its key. */
struct spot {
    uint32_t rank;
    uint32_t next; /* 1 + index, 0: the last one */
};

/* The parts, in their order; and those of one key. */
enum compaction_part { NODES, RECORDS, KEYS, HINTS, DONE };
enum compaction_key_part { JOB, SHARED, RANKS, BEYOND, SPOTS, KEY_DONE };

struct px_compaction {
    struct px_copy copy;
    enum compaction_part part;
    uint64_t slot; /* of the table of this part: where it goes on */
    /* Locators of the tables as they were; 0: none. */
    uint64_t records;
    uint64_t keys;
    /* Lists of spots by the key's slot in `keys`: 1 + index of the newest, or 0. */
    uint32_t *lists;
    struct spot *spots;
    size_t n_spots;
    size_t cap_spots;
    /* Where the key at `slot` goes on. */
    enum compaction_key_part key_part;
    uint32_t rank; /* RANKS: those below it are done */
    uint32_t spot; /* SPOTS: 1 + index */
};

/* The cost of a look at a slot, and at its object, in bytes of a copy. */
enum { SLOT_COST = 8, OBJECT_COST = 64 };

/* The object at a locator of the old generation, which is the writer's own and therefore
 * trusted. */
static const void *at(const struct px_compaction *c, uint64_t loc)
{
    px_assert(loc << 3 < c->copy.from->bump.published);
    return c->copy.from->seg.base + (loc << 3);
}

/* Number of slots of a table; 0: no table. */
static uint64_t n_slots(const struct px_compaction *c, uint64_t table)
{
    return table ? ((const struct px_table *) at(c, table))->n_slots : 0;
}

/* Calls fn with the object in each slot of a table, from c->slot on, until the piece is used up.
 * Then c->slot is not the end. Stops at the first failure. */
static int each_slot(struct px_compaction *c, uint64_t loc,
                     int (*fn)(struct px_compaction *c, uint64_t loc))
{
    const struct px_table *table = loc ? at(c, loc) : NULL;
    uint64_t n = n_slots(c, loc);
    int rc = 0;

    while (rc == 0 && c->slot < n && c->copy.left) {
        uint64_t object = table->slots[c->slot] & PX_SHM_LOC_MASK;

        px_copy_cost(&c->copy, object ? OBJECT_COST : SLOT_COST);
        rc = object ? fn(c, object) : 0;
        c->slot += rc == 0;
    }
    return rc;
}

/* --- records --- */

/* The slot of a key in the table as it was; *ret is set if it is there. A key that came later has
 * been published in both generations. */
static bool slot_of(const struct px_compaction *c, uint64_t loc, uint64_t *ret)
{
    const struct px_table *table = c->keys ? at(c, c->keys) : NULL;
    const struct px_key *key = at(c, loc);
    uint64_t n = n_slots(c, c->keys);

    for (uint64_t i = 0; i < n && i <= PX_SHM_TABLE_PROBES; i++) {
        uint64_t word = table->slots[(key->hash + i) & (n - 1)];

        if (!word) {
            break;
        }
        if ((word & PX_SHM_LOC_MASK) == loc) {
            *ret = (key->hash + i) & (n - 1);
            return true;
        }
    }
    return false;
}

/* Notes a process-level record in the list of its key. PMIX_ERR_NOMEM. */
static int note_spot(struct px_compaction *c, const struct px_record *rec)
{
    uint64_t slot;
    int rc;

    if (!slot_of(c, rec->key, &slot)) {
        return 0;
    }
    rc = px_array_room(&c->spots, c->n_spots, &c->cap_spots, sizeof(*c->spots));
    if (rc == 0 && c->n_spots == UINT32_MAX) {
        rc = PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (rc == 0) {
        c->spots[c->n_spots] = (struct spot){.rank = rec->index, .next = c->lists[slot]};
        c->lists[slot] = (uint32_t) ++c->n_spots;
    }
    return rc;
}

/* For each_slot over the record table. Each qualified value has one record there, so none is copied
 * twice. Index lists are made anew. */
static int copy_record(struct px_compaction *c, uint64_t loc)
{
    const struct px_record *rec = at(c, loc);
    struct px_qual_digest sum;

    if (rec->key == 0) {
        return 0;
    }
    if (!rec->quals && rec->level == PX_LEVEL_PROC) {
        return note_spot(c, rec);
    }
    if (rec->quals) {
        sum = px_quals_sum(at(c, rec->quals));
    }
    return px_copy_value(&c->copy, (enum px_level) rec->level, rec->index, at(c, rec->key),
                         rec->quals ? &sum : NULL);
}

/* --- keys --- */

/* Copies the values of the key's column that many ranks share. */
static int copy_shared(struct px_compaction *c, const struct px_key *key)
{
    const struct px_column *col = px_read_column(&c->copy.read, key);

    return col ? px_copy_shared(&c->copy, key, col) : 0;
}

/* Copies the other values of the ranks that the key's column covers, whether they lie in the column
 * or above it. */
static int copy_ranks(struct px_compaction *c, const struct px_key *key)
{
    const struct px_column *col = px_read_column(&c->copy.read, key);
    int rc = 0;

    while (rc == 0 && col && c->rank < col->n) {
        rc = px_copy_value(&c->copy, PX_LEVEL_PROC, c->rank, key, NULL);
        c->rank += rc == 0;
    }
    return rc;
}

/* Goes on to the first spot beyond the column, and publishes the values of the column before it:
 * with a rank far beyond them in the batch they would become records. */
static int go_beyond(struct px_compaction *c)
{
    while (c->spot && c->spots[c->spot - 1].rank < c->rank) {
        c->spot = c->spots[c->spot - 1].next;
    }
    return c->spot && c->rank ? px_copy_begin_again(&c->copy) : 0;
}

/* Copies the values of records beyond the column. */
static int copy_spots(struct px_compaction *c, const struct px_key *key)
{
    int rc = 0;

    while (rc == 0 && c->spot) {
        const struct spot *spot = &c->spots[c->spot - 1];

        if (spot->rank >= c->rank) {
            rc = px_copy_value(&c->copy, PX_LEVEL_PROC, spot->rank, key, NULL);
        }
        c->spot = rc ? c->spot : spot->next;
    }
    return rc;
}

/* For each_slot over the key table. A key whose copy had to stop goes on where it did. */
static int copy_key(struct px_compaction *c, uint64_t loc)
{
    const struct px_key *key = at(c, loc);
    int rc = 0;

    while (rc == 0 && c->key_part != KEY_DONE) {
        switch (c->key_part) {
        case JOB:
            rc = key->job ? px_copy_value(&c->copy, PX_LEVEL_JOB, 0, key, NULL) : 0;
            c->rank = 0;
            c->spot = c->lists[c->slot];
            break;
        case SHARED:
            rc = copy_shared(c, key);
            break;
        case RANKS:
            rc = copy_ranks(c, key);
            break;
        case BEYOND:
            rc = go_beyond(c);
            break;
        default:
            rc = copy_spots(c, key);
            break;
        }
        c->key_part += rc == 0;
    }
    if (rc == 0) {
        c->key_part = JOB;
        c->copy.shared = NULL;
    }
    return rc;
}

/* For each_slot over the key table: copies the any-rank hint, so that a get of an unspecified rank
 * finds the same value as before. */
static int copy_any_rank_hint(struct px_compaction *c, uint64_t loc)
{
    const struct px_key *old = at(c, loc);
    const struct px_key *key;
    struct px_read read;

    px_read_begin(c->copy.to, &read);
    key = px_read_key(&read, old->name, old->len, old->hash);
    if (key && key->holder && old->holder) {
        px_put_word((uint64_t *) (uintptr_t) &key->holder, old->holder);
    }
    return 0;
}

/* --- all of it --- */

/* The sequence is set before the first publication, so numbers go on from the old generation's. No
 * reader knows `to` yet: its words are stored without order. */
struct px_compaction *px_compaction_begin(const struct px_store *from, struct px_store *to)
{
    const struct px_store_header *old = px_store_header(from);
    struct px_store_header *h = (struct px_store_header *) (void *) to->seg.base;
    struct px_compaction *c = calloc(1, sizeof(*c));

    px_assert(!to->moves);
    if (!c) {
        return NULL;
    }
    c->copy = (struct px_copy){.from = from, .to = to};
    c->records = old->table;
    c->keys = old->keys;
    c->lists = calloc(n_slots(c, c->keys) + 1, sizeof(*c->lists));
    if (!c->lists) {
        free(c);
        return NULL;
    }
    px_put_word(&h->sequence, old->sequence);
    return c;
}

/* The publications have set session and extent from their own values; the old words replace them.
 */
static void copy_words(const struct px_compaction *c)
{
    const struct px_store_header *old = px_store_header(c->copy.from);
    struct px_store_header *h = (struct px_store_header *) (void *) c->copy.to->seg.base;

    px_put_word(&h->flags, old->flags);
    px_put_word(&h->session, old->session);
    px_put_word(&h->extent, old->extent);
    if (h->sequence <= old->sequence) {
        px_put_word(&h->sequence, old->sequence + 1);
    }
}

/* Does what the piece has time for of the part under way. */
static int do_part(struct px_compaction *c)
{
    switch (c->part) {
    case NODES:
        return px_copy_nodes(&c->copy);
    case RECORDS:
        return each_slot(c, c->records, copy_record);
    case KEYS:
        return each_slot(c, c->keys, copy_key);
    default:
        return each_slot(c, c->keys, copy_any_rank_hint);
    }
}

/* True if the part has nothing left to do. */
static bool is_done(const struct px_compaction *c)
{
    return c->part == NODES || c->slot == n_slots(c, c->part == RECORDS ? c->records : c->keys);
}

/* True if the part before this one has to be published first: nodes by themselves, keys before
 * their hints. */
static bool begins_anew(enum compaction_part part)
{
    return part == RECORDS || part == HINTS || part == DONE;
}

/* Fills and publishes one batch. It ends when the piece is used up, and before a part that reads
 * what the batch publishes. Statuses as px_compaction_go_on. */
static int copy_batch(struct px_compaction *c)
{
    int rc = px_copy_begin(&c->copy);

    while (rc == 0 && c->copy.left) {
        rc = do_part(c);
        if (rc == 0 && is_done(c)) {
            c->part++;
            c->slot = 0;
            if (begins_anew(c->part)) {
                break;
            }
        }
    }
    if (rc == 0 || rc == PX_COPY_LATER) {
        rc = px_copy_publish(&c->copy);
    }
    px_copy_drop(&c->copy);
    return rc;
}

int px_compaction_go_on(struct px_compaction *c, size_t piece, bool *ret_done)
{
    int rc = 0;

    px_assert(c->part != DONE && piece > 0);
    c->copy.left = piece;
    while (rc == 0 && c->copy.left && c->part != DONE) {
        rc = copy_batch(c);
    }
    if (rc == 0 && c->part == DONE) {
        px_partial_drop(c->copy.to, NULL); /* of a value that was deleted meanwhile */
        copy_words(c);
    }
    *ret_done = rc == 0 && c->part == DONE;
    return rc;
}

void px_compaction_end(struct px_compaction *c)
{
    if (c) {
        px_copy_drop(&c->copy);
        free(c->lists);
        free(c->spots);
        free(c);
    }
}
