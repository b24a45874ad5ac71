/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Growing tables in steps. A table may be half full. When a quarter of it is used, additions begin
 * to pay for the memory of the next one; from three eighths on it is filled, so many slots for each
 * addition that it is complete before the half is reached. */

#include "shmem/table_growth.h"

#include "shmem/put.h"
#include "shmem/table.h"
#include "src/base/status.h"

/* Smaller tables grow at once, within half a millisecond. For each addition: bytes that are
 * prepared and slots that are moved. And how many objects are fetched ahead. */
enum { LARGE = 32768, PREPARED = 512, MOVED = 16, AHEAD = 16 };

static struct px_table *table_at(const struct px_bump *bump, uint64_t loc)
{
    px_assert(loc != 0);
    return (struct px_table *) (void *) (bump->seg->base + (loc << 3));
}

/* The slot of the larger table that holds an object filed under the hash, or for which 0 is looked
 * for, the empty one that it gets. NULL: not within reach of the hash. */
static uint64_t *slot_of(struct px_table *table, uint64_t hash, uint64_t loc)
{
    for (uint64_t i = 0; i < PX_SHM_TABLE_PROBES; i++) {
        uint64_t *slot = &table->slots[(hash + i) & (table->n_slots - 1)];

        if ((*slot & PX_SHM_LOC_MASK) == loc) {
            return slot;
        }
    }
    return NULL;
}

/* Puts a word of the table that readers use into the larger one, in the place of `old`, the locator
 * that its slot had before, or 0. False: there is no place. No reader can reach the larger table
 * yet, except a thread that copies all words of the segment. */
static bool put(struct px_table *to, uint64_t hash, uint64_t old, uint64_t word)
{
    const uint64_t *slot = slot_of(to, hash, old);

    if (slot) {
        px_publish(slot, word); /* pairs with copy_words */
    }
    return slot != NULL;
}

/* Ends the growth. `failed`: the table in use, if no other one is to be tried for, or 0. */
static void give_up(struct px_table_growth *growth, const struct px_bump *bump, uint64_t failed)
{
    uint64_t dead = growth->dead + (growth->loc ? px_table_size(bump, growth->loc) : 0);

    *growth = (struct px_table_growth){.failed = failed, .dead = dead};
}

/* An object keeps its hash in all its versions, so the one before is found under the hash of the
 * new one. */
uint64_t px_table_growth_follow(struct px_table_growth *growth, const struct px_table_edit *edit)
{
    const struct px_table *from = table_at(edit->bump, edit->loc);
    uint64_t dead;

    if (edit->fresh) {
        give_up(growth, edit->bump, 0);
    }
    growth->n_added += edit->fresh ? 0 : edit->n_added;
    for (uint32_t i = 0; growth->loc && i < edit->n_changes; i++) {
        const struct px_table_change *change = &edit->changes[i];
        uint64_t hash = edit->hash_of(edit->arg, change->word & PX_SHM_LOC_MASK);

        if (change->slot < growth->n_moved &&
            !put(table_at(edit->bump, growth->loc), hash,
                 from->slots[change->slot] & PX_SHM_LOC_MASK, change->word)) {
            give_up(growth, edit->bump, edit->loc);
        }
    }
    dead = growth->dead;
    growth->dead = 0;
    return dead;
}

/* A publication that brings very much is no reason to expect more. */
uint64_t px_table_growth_needs(struct px_table_growth *growth, const struct px_bump *bump,
                               uint64_t table, uint64_t n_used)
{
    uint64_t n_slots = table ? table_at(bump, table)->n_slots : 0;
    uint64_t most = sizeof(struct px_table) + n_slots * 2 * 8;

    if (n_slots < LARGE || n_used <= n_slots / 4 || growth->loc || growth->failed == table) {
        return 0;
    }
    if (growth->n_added <= n_slots / 16) {
        growth->credit += growth->n_added * PREPARED;
    }
    growth->credit = growth->credit < most ? growth->credit : most;
    return growth->credit;
}

/* Takes an empty table twice as large, if it is paid for. Without memory there will be none. */
static void begin(struct px_table_growth *growth, struct px_bump *bump, uint64_t table,
                  uint64_t n_used)
{
    struct px_table head = {.n_slots = table_at(bump, table)->n_slots * 2,
                            .max_probe = PX_SHM_TABLE_PROBES};
    uint64_t size = sizeof(head) + head.n_slots * 8;
    void *at;

    px_assert(bump->next == bump->published);
    if (n_used < head.n_slots / 16 * 3 || growth->credit < size) {
        return;
    }
    if (head.n_slots > PX_SHM_MAX_SLOTS || px_bump_take_zeroed(bump, size, &at)) {
        growth->failed = table;
        return;
    }
    px_put(at, &head, sizeof(head));
    growth->loc = px_bump_locator(bump, at);
    growth->n_moved = 0;
    px_bump_publish(bump);
}

/* Moves the next n slots. The objects of a block are fetched together: each is somewhere else.
 * False: one has no place. */
static bool move(struct px_table_growth *growth, const struct px_bump *bump, uint64_t table,
                 uint64_t n, px_table_hash_fn hash_of, const void *arg)
{
    const struct px_table *from = table_at(bump, table);
    struct px_table *to = table_at(bump, growth->loc);
    uint64_t end = from->n_slots - growth->n_moved > n ? growth->n_moved + n : from->n_slots;

    px_assert(to->n_slots == from->n_slots * 2 && growth->n_moved < from->n_slots);
    for (uint64_t i = growth->n_moved; i < end; i++) {
        uint64_t word = from->slots[i];
        uint64_t loc = word & PX_SHM_LOC_MASK;

        if (i + AHEAD < end) {
            __builtin_prefetch(bump->seg->base + ((from->slots[i + AHEAD] & PX_SHM_LOC_MASK) << 3));
        }
        if (word && !put(to, hash_of(arg, loc), 0, word)) {
            return false;
        }
    }
    growth->n_moved = end;
    return true;
}

/* A table whose objects do not fit into one twice as large has to grow at once. */
bool px_table_growth_step(struct px_table_growth *growth, struct px_bump *bump, uint64_t table,
                          uint64_t n_used, px_table_hash_fn hash_of, const void *arg, uint64_t *ret)
{
    uint64_t n = growth->n_added * MOVED;

    growth->n_added = 0;
    if (!growth->loc && growth->credit && growth->failed != table) {
        begin(growth, bump, table, n_used);
    }
    if (!growth->loc || !n) {
        return false;
    }
    if (!move(growth, bump, table, n, hash_of, arg)) {
        give_up(growth, bump, table);
        return false;
    }
    if (growth->n_moved < table_at(bump, table)->n_slots) {
        return false;
    }
    *ret = growth->loc;
    *growth = (struct px_table_growth){.dead = growth->dead};
    return true;
}
