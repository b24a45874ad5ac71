/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* A table that readers use is changed by storing single slots, after everything else of a
 * publication is in memory; until then the changes wait in process memory. When it fills up, a
 * larger one is built beside it and one word leads readers there; those still in the old one see a
 * complete older state. Load stays at or below one half, and no probe is longer than
 * PX_SHM_TABLE_PROBES: a table where one would be grows. */

#include "shmem/table.h"

#include <stdlib.h>

#include "shmem/put.h"
#include "src/base/status.h"

enum { FIRST_SLOTS = 64, MAX_GROWTHS = 6 };

static struct px_table *table_at(const struct px_table_edit *edit)
{
    return (struct px_table *) (void *) (edit->bump->seg->base + (edit->loc << 3));
}

static uint64_t slot_word(uint64_t hash, uint64_t loc)
{
    return (hash >> PX_SHM_TAG_SHIFT << PX_SHM_TAG_SHIFT) | loc;
}

/* Where a changed slot is, or would be, in `changes`. */
static struct px_table_change *change_place(const struct px_table_edit *edit, uint64_t slot)
{
    uint64_t at = slot * UINT64_C(0x9e3779b97f4a7c15) >> 32;

    for (;; at++) {
        struct px_table_change *change = &edit->changes[at & (edit->n_places - 1)];

        if (change->word == 0 || change->slot == slot) {
            return change;
        }
    }
}

static uint64_t word_at(const struct px_table_edit *edit, uint64_t slot)
{
    const struct px_table_change *change;

    if (!edit->fresh && edit->n_changes) {
        change = change_place(edit, slot);
        if (change->word) {
            return change->word;
        }
    }
    return table_at(edit)->slots[slot];
}

static int grow_changes(struct px_table_edit *edit)
{
    struct px_table_change *old = edit->changes;
    uint64_t n_old = edit->n_places;
    uint64_t n = n_old ? n_old * 2 : 16;
    uint64_t i;

    edit->changes = calloc(n, sizeof *edit->changes);
    if (!edit->changes) {
        edit->changes = old;
        return PX_ERR_NOMEM;
    }
    edit->n_places = n;
    for (i = 0; i < n_old; i++) {
        if (old[i].word) {
            *change_place(edit, old[i].slot) = old[i];
        }
    }
    free(old);
    return 0;
}

static int set_word(struct px_table_edit *edit, uint64_t slot, uint64_t word)
{
    struct px_table_change *change;

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
    change = change_place(edit, slot);
    edit->n_changes += change->word == 0;
    *change = (struct px_table_change){.slot = slot, .word = word};
    return 0;
}

static int make_table(struct px_bump *bump, uint64_t n_slots, uint64_t *ret_loc)
{
    struct px_table head = {.n_slots = n_slots, .max_probe = PX_SHM_TABLE_PROBES};
    void *at;
    int rc;

    if (n_slots > PX_SHM_MAX_SLOTS) {
        return PX_ERR_OUT_OF_RESOURCE;
    }
    rc = px_bump_take_zeroed(bump, sizeof head + n_slots * 8, &at);
    if (rc) {
        return rc;
    }
    px_put(at, &head, sizeof head);
    *ret_loc = px_bump_locator(bump, at);
    return 0;
}

/* False when every slot within reach of the hash is taken. */
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
            edit->loc = loc;
            edit->fresh = true;
            edit->n_changes = 0;
            return 0;
        }
    }
    return PX_ERR_OUT_OF_RESOURCE;
}

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

int px_table_edit_add(struct px_table_edit *edit, uint64_t hash, uint64_t loc)
{
    uint64_t i;
    unsigned growths;

    for (growths = 0; growths <= MAX_GROWTHS; growths++) {
        uint64_t mask = table_at(edit)->n_slots - 1;
        int rc;

        for (i = 0; i < PX_SHM_TABLE_PROBES; i++) {
            uint64_t slot = (hash + i) & mask;

            if (word_at(edit, slot) == 0) {
                edit->n_used++;
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

int px_table_edit_replace(struct px_table_edit *edit, uint64_t hash, uint64_t old, uint64_t loc)
{
    uint64_t mask = table_at(edit)->n_slots - 1;
    uint64_t i;

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
    uint64_t i;

    for (i = 0; !edit->fresh && edit->n_changes && i < edit->n_places; i++) {
        if (edit->changes[i].word) {
            px_publish(&table_at(edit)->slots[edit->changes[i].slot], edit->changes[i].word);
        }
    }
}

void px_table_edit_fini(struct px_table_edit *edit)
{
    free(edit->changes);
    *edit = (struct px_table_edit){0};
}

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
