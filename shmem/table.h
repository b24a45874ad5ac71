/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_TABLE_H
#define PX_SHMEM_TABLE_H

/* Hash tables in a segment: open addressing from a 64-bit hash to locators. A slot holds only 16
 * bits of the hash, so the caller of a probe compares the objects that the locators lead to.
 * Readers probe without a lock while the one writer edits. */

#include "shmem/bump.h"
#include "shmem/offset.h"
#include "src/base/assert.h"

/* --- readers: any thread, any process, bounded --- */

/* One probe under way: where the next slot is and how many may still be looked at. On the reader's
 * stack. */
struct px_probe {
    const uint64_t *slots;
    uint64_t mask;
    uint64_t at;
    uint64_t tag;
    uint32_t left;
};

/* Starts a probe of the table at a locator that is not 0. A damaged table probes as empty and sets
 * view->damaged. The slots are checked to be inside the view here, once for all steps. */
static inline void px_probe_start(struct px_view *view, uint64_t loc, uint64_t hash,
                                  struct px_probe *ret)
{
    const struct px_table *table = (const struct px_table *) px_at(view, loc, sizeof(*table));
    uint64_t n;

    *ret = (struct px_probe){0};
    if (!table) {
        return;
    }
    n = table->n_slots;
    if (n == 0 || (n & (n - 1)) != 0 || n > PX_SHM_MAX_SLOTS ||
        !px_at(view, loc, sizeof(*table) + n * 8)) {
        view->damaged = true;
        return;
    }
    ret->slots = table->slots;
    ret->mask = n - 1;
    ret->at = hash;
    ret->tag = hash >> PX_SHM_TAG_SHIFT;
    ret->left = table->max_probe < PX_SHM_TABLE_PROBES ? table->max_probe : PX_SHM_TABLE_PROBES;
}

/* The locator in the next slot with an equal tag, or 0 at the end: an empty slot, or max_probe
 * slots looked at. pairs with px_table_edit_publish */
static inline uint64_t px_probe_next(struct px_probe *probe)
{
    px_assert(probe->left <= PX_SHM_TABLE_PROBES);
    while (probe->left) {
        uint64_t word = px_load_acquire(&probe->slots[probe->at & probe->mask]);

        px_shm_step_hook();
        if (word == 0) {
            probe->left = 0;
            break;
        }
        probe->left--;
        probe->at++;
        if (word >> PX_SHM_TAG_SHIFT == probe->tag) {
            return word & PX_SHM_LOC_MASK;
        }
    }
    return 0;
}

/* --- the writer: edits are collected and published together --- */

/* The full hash under which the object at a locator is filed; an edit needs it to move objects to a
 * larger table. `arg` is the edit's. The objects are the writer's own and are trusted. */
typedef uint64_t (*px_table_hash_fn)(const void *arg, uint64_t loc);

/* A slot of a table that readers use, and the word that publication will store there. */
struct px_table_change {
    uint64_t slot;
    uint64_t word;
};

/* The changes of one publication to one table. Owned by the writer; px_table_edit_fini releases
 * it. */
struct px_table_edit {
    struct px_bump *bump;
    uint64_t loc;     /* the table that readers will use; 0: none yet */
    bool fresh;       /* it is new: stored to directly */
    uint64_t n_used;  /* occupied slots, those of this edit included */
    uint64_t n_added; /* objects that this edit has added */
    uint64_t n_dead;  /* bytes of tables that this edit has outgrown */
    /* Changes to a table that readers use already, in order of arrival: published in that order,
     * each leaves a table in which everything is found. */
    struct px_table_change *changes;
    uint32_t n_changes;
    uint32_t *by_slot; /* open addressing, twice as long as changes may be: 1 + position */
    uint32_t n_places;
    px_table_hash_fn hash_of;
    const void *arg;
};

/* Starts an edit that will add about n_add objects to the table at loc (0: none yet), n_used of
 * whose slots are occupied; makes a larger table if need be. bump and arg are borrowed until
 * px_table_edit_fini, which the caller calls in every case. 0, PX_ERR_NOMEM,
 * PX_ERR_OUT_OF_RESOURCE. */
int px_table_edit_init(struct px_table_edit *edit, struct px_bump *bump, uint64_t loc,
                       uint64_t n_used, uint64_t n_add, px_table_hash_fn hash_of, const void *arg);

/* Files a new object under its hash. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE (no space; or too many
 * objects within reach of the hash, however large the table). */
int px_table_edit_add(struct px_table_edit *edit, uint64_t hash, uint64_t loc);

/* Puts `loc` in the slot of `old`, which is filed under the same hash. 0, PX_ERR_NOMEM,
 * PX_ERR_OUT_OF_RESOURCE (also if `old` is not there). */
int px_table_edit_replace(struct px_table_edit *edit, uint64_t hash, uint64_t old, uint64_t loc);

/* Stores the changed slots of a table that readers use already, in the order in which they were
 * chosen. A fresh table needs none: the caller publishes the word that leads to edit->loc. Cannot
 * fail. pairs with px_probe_next */
void px_table_edit_publish(struct px_table_edit *edit);

/* The bytes of a table in the writer's own segment, at a locator that is not 0. */
static inline uint64_t px_table_size(const struct px_bump *bump, uint64_t loc)
{
    const struct px_table *table =
        (const struct px_table *) (const void *) (bump->seg->base + (loc << 3));

    return sizeof(*table) + table->n_slots * 8;
}

/* Frees the list of changes. Does not touch the segment. */
void px_table_edit_fini(struct px_table_edit *edit);

/* Makes a finished table of n objects, in space that no reader reaches yet, for objects that never
 * change; *ret_loc is its locator. 0, PX_ERR_OUT_OF_RESOURCE. */
int px_table_build(struct px_bump *bump, const uint64_t *hashes, const uint64_t *locs, uint64_t n,
                   uint64_t *ret_loc);

#endif
