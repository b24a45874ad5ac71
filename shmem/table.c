/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing hash tables. A table that readers use is changed by storing single slots, after
 * everything else of the publication is in memory; until then the changes wait in process memory. A
 * table that fills up is replaced by a larger one built beside it, to which one word leads readers;
 * readers still in the old one see a complete older state. At most half of the slots are used, and
 * no probe is longer than PX_SHM_TABLE_PROBES: the table grows before either would be exceeded. */

#include "shmem/table.h"

#include <stdlib.h>

#include "shmem/put.h"
#include "src/base/status.h"

enum { FIRST_SLOTS = 64, MAX_GROWTHS = 6 };

/* The table of the edit, in the writer's mapping; edit->loc must not be 0. */
static struct px_table *table_at(const struct px_table_edit *edit)
{
    return (struct px_table *) (void *) (edit->bump->seg->base + (edit->loc << 3));
}

/* The word of a used slot: the tag of the hash above the locator. */
static uint64_t slot_word(uint64_t hash, uint64_t loc)
{
    px_assert(loc > 0 && loc <= PX_SHM_LOC_MASK);
    return (hash >> PX_SHM_TAG_SHIFT << PX_SHM_TAG_SHIFT) | loc;
}

/* The entry of `by_slot` for a table slot: it holds 1 + the position of that slot's change, or 0 if
 * the slot has none yet. One entry is always free, so the probe ends. */
static uint32_t *place_of(const struct px_table_edit *edit, uint64_t slot)
{
    uint64_t at = slot * UINT64_C(0x9e3779b97f4a7c15) >> 32;

    px_assert(edit->n_changes < edit->n_places);
    for (;; at++) {
        uint32_t *place = &edit->by_slot[at & (edit->n_places - 1)];

        if (*place == 0 || edit->changes[*place - 1].slot == slot) {
            return place;
        }
    }
}

/* The word of a slot as the edit leaves it: its pending change, or the table's word. */
static uint64_t word_at(const struct px_table_edit *edit, uint64_t slot)
{
    uint32_t place;

    px_assert(slot < table_at(edit)->n_slots);
    if (!edit->fresh && edit->n_changes) {
        place = *place_of(edit, slot);
        if (place) {
            return edit->changes[place - 1].word;
        }
    }
    return table_at(edit)->slots[slot];
}

/* Doubles the list of changes and its index. PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE: the edit is as
 * before. */
static int grow_changes(struct px_table_edit *edit)
{
    uint32_t n = edit->n_places ? edit->n_places * 2 : 32;
    struct px_table_change *changes;
    uint32_t *by_slot;
    uint32_t i;

    if (n > UINT32_MAX / 4) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    changes = realloc(edit->changes, n / 2 * sizeof(*changes));
    if (!changes) {
        return PX_ERR_NOMEM;
    }
    edit->changes = changes;
    by_slot = calloc(n, sizeof(*by_slot));
    if (!by_slot) {
        return PX_ERR_NOMEM;
    }
    free(edit->by_slot);
    edit->by_slot = by_slot;
    edit->n_places = n;
    for (i = 0; i < edit->n_changes; i++) {
        *place_of(edit, changes[i].slot) = i + 1;
    }
    return 0;
}

/* Sets a slot: at once in a table that is new, else as a change that waits for the publication.
 * PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE: the slot is as before. */
static int set_word(struct px_table_edit *edit, uint64_t slot, uint64_t word)
{
    uint32_t *place;

    if (edit->fresh) {
        px_put_word(&table_at(edit)->slots[slot], word);
        return 0;
    }
    if (edit->n_changes * 2 >= edit->n_places) {
        int rc = grow_changes(edit);

        if (rc) {
            return rc;
        }
    }
    place = place_of(edit, slot);
    if (*place == 0) {
        edit->changes[edit->n_changes] = (struct px_table_change){.slot = slot, .word = word};
        *place = ++edit->n_changes;
    } else {
        edit->changes[*place - 1].word = word;
    }
    return 0;
}

/* Takes an empty table from the allocator; n_slots is a power of two. Statuses as px_bump_take. */
static int make_table(struct px_bump *bump, uint64_t n_slots, uint64_t *ret_loc)
{
    struct px_table head = {.n_slots = n_slots, .max_probe = PX_SHM_TABLE_PROBES};
    void *at;
    int rc;

    px_assert((n_slots & (n_slots - 1)) == 0);
    if (n_slots > PX_SHM_MAX_SLOTS) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    rc = px_bump_take_zeroed(bump, sizeof(head) + n_slots * 8, &at);
    if (rc) {
        return rc;
    }
    px_put(at, &head, sizeof(head));
    *ret_loc = px_bump_locator(bump, at);
    return 0;
}

/* Files an object in a table that no reader reaches yet. False if every slot within reach of the
 * hash is taken. */
static bool put_in(struct px_table *table, uint64_t hash, uint64_t loc)
{
    uint64_t mask = table->n_slots - 1;
    uint64_t i;

    for (i = 0; i < PX_SHM_TABLE_PROBES; i++) {
        uint64_t *slot = &table->slots[(hash + i) & mask];

        if (*slot == 0) {
            px_put_word(slot, slot_word(hash, loc));
            return true;
        }
    }
    return false;
}

/* Files everything that the edit's table holds, its pending changes included, in the empty `table`.
 * False if a probe would be too long: the caller tries a larger one. */
static bool refill(const struct px_table_edit *edit, struct px_table *table)
{
    uint64_t n = edit->loc ? table_at(edit)->n_slots : 0;
    uint64_t i;

    for (i = 0; i < n; i++) {
        uint64_t word = word_at(edit, i);
        uint64_t loc = word & PX_SHM_LOC_MASK;

        if (word && !put_in(table, edit->hash_of(edit->arg, loc), loc)) {
            return false;
        }
    }
    return true;
}

/* Moves the edit to a new table of n_slots slots, or of more where probes would be too long:
 * MAX_GROWTHS sizes are tried, each twice the one before. Pending changes are in the new table, so
 * their list is empty then. PX_ERR_OUT_OF_RESOURCE: no space, or keys that collide on purpose. */
static int grow(struct px_table_edit *edit, uint64_t n_slots)
{
    unsigned tries;

    for (tries = 0; tries < MAX_GROWTHS; tries++, n_slots *= 2) {
        struct px_table *table;
        uint64_t loc;
        int rc = make_table(edit->bump, n_slots, &loc);

        if (rc) {
            return rc;
        }
        table = (struct px_table *) (void *) (edit->bump->seg->base + (loc << 3));
        if (refill(edit, table)) {
            edit->n_dead += edit->loc ? px_table_size(edit->bump, edit->loc) : 0;
            edit->loc = loc;
            edit->fresh = true;
            edit->n_changes = 0;
            return 0;
        }
    }
    return PX_ERR_OUT_OF_RESOURCE;
}

/* Whether the table is large enough is decided once, for the whole batch. */
int px_table_edit_init(struct px_table_edit *edit, struct px_bump *bump, uint64_t loc,
                       uint64_t n_used, uint64_t n_add, px_table_hash_fn hash_of, const void *arg)
{
    uint64_t n_slots = FIRST_SLOTS;

    *edit = (struct px_table_edit){
        .bump = bump, .loc = loc, .n_used = n_used, .hash_of = hash_of, .arg = arg};
    if (n_add > PX_SHM_MAX_SLOTS || (loc && (n_used + n_add) * 2 <= table_at(edit)->n_slots)) {
        return n_add > PX_SHM_MAX_SLOTS ? PX_ERR_OUT_OF_RESOURCE : 0;
    }
    while (n_slots < (n_used + n_add) * 2) {
        n_slots *= 2;
    }
    return grow(edit, n_slots);
}

/* A probe that is too long makes the table grow even if it is nearly empty. */
int px_table_edit_add(struct px_table_edit *edit, uint64_t hash, uint64_t loc)
{
    uint64_t i;
    unsigned growths;

    px_assert(edit->loc && edit->n_used <= table_at(edit)->n_slots);
    for (growths = 0; growths <= MAX_GROWTHS; growths++) {
        uint64_t mask = table_at(edit)->n_slots - 1;
        int rc;

        for (i = 0; i < PX_SHM_TABLE_PROBES; i++) {
            uint64_t slot = (hash + i) & mask;

            if (word_at(edit, slot) == 0) {
                edit->n_used++;
                edit->n_added++;
                return set_word(edit, slot, slot_word(hash, loc));
            }
        }
        rc = grow(edit, (mask + 1) * 2);
        if (rc) {
            return rc;
        }
    }
    return PX_ERR_OUT_OF_RESOURCE;
}

/* The object is found by its locator, so no hash is compared. */
int px_table_edit_replace(struct px_table_edit *edit, uint64_t hash, uint64_t old, uint64_t loc)
{
    uint64_t mask = table_at(edit)->n_slots - 1;
    uint64_t i;

    px_assert(old != 0 && old != loc);
    for (i = 0; i < PX_SHM_TABLE_PROBES; i++) {
        uint64_t slot = (hash + i) & mask;

        if ((word_at(edit, slot) & PX_SHM_LOC_MASK) == old) {
            return set_word(edit, slot, slot_word(hash, loc));
        }
    }
    return PX_ERR_OUT_OF_RESOURCE;
}

void px_table_edit_publish(struct px_table_edit *edit)
{
    uint32_t i;

    px_assert(!edit->fresh || edit->n_changes == 0);
    for (i = 0; !edit->fresh && i < edit->n_changes; i++) {
        /* pairs with px_probe_next */
        px_publish(&table_at(edit)->slots[edit->changes[i].slot], edit->changes[i].word);
    }
}

void px_table_edit_fini(struct px_table_edit *edit)
{
    free(edit->changes);
    free(edit->by_slot);
    *edit = (struct px_table_edit){0};
}

/* Starts with the smallest size that is at most half full and doubles it while probes are too long.
 * Space taken for a table that was too small is not given back here. */
int px_table_build(struct px_bump *bump, const uint64_t *hashes, const uint64_t *locs, uint64_t n,
                   uint64_t *ret_loc)
{
    uint64_t n_slots = 4;
    unsigned tries;

    while (n_slots < n * 2) {
        n_slots *= 2;
    }
    for (tries = 0; tries < MAX_GROWTHS; tries++, n_slots *= 2) {
        struct px_table *table;
        uint64_t loc;
        uint64_t i;
        int rc = make_table(bump, n_slots, &loc);

        if (rc) {
            return rc;
        }
        table = (struct px_table *) (void *) (bump->seg->base + (loc << 3));
        for (i = 0; i < n && put_in(table, hashes[i], locs[i]); i++) {
        }
        if (i == n) {
            *ret_loc = loc;
            return 0;
        }
    }
    return PX_ERR_OUT_OF_RESOURCE;
}
