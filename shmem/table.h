/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_TABLE_H
#define PX_SHMEM_TABLE_H

#include "shmem/bump.h"
#include "shmem/offset.h"
#include "src/base/assert.h"

/* Open addressing from a hash to locators; whoever probes compares what the locators lead to. */

/* --- readers: any thread, any process, bounded --- */

struct px_probe {
    const uint64_t *slots;
    uint64_t mask;
    uint64_t at;
    uint64_t tag;
    uint32_t left;
};

/* The table at a locator that is not 0; a damaged one probes as empty and marks the view. */
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

/* The next locator filed under an equal tag, or 0. pairs with px_table_edit_publish */
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

/* The full hash under which the object at a locator is filed. */
typedef uint64_t (*px_table_hash_fn)(const void *arg, uint64_t loc);

struct px_table_change {
    uint64_t slot;
    uint64_t word;
};

struct px_table_edit {
    struct px_bump *bump;
    uint64_t loc;    /* the table that readers will use; 0: none yet */
    bool fresh;      /* it is new: stored to directly */
    uint64_t n_used; /* occupied slots, those of this edit included */
    uint64_t n_dead; /* bytes of tables that this edit has outgrown */
    /* Changes to a table that readers use already, in order of arrival: published in that order,
     * each leaves a table in which everything is found. */
    struct px_table_change *changes;
    uint32_t n_changes;
    uint32_t *by_slot; /* open addressing, twice as long as changes may be: 1 + position */
    uint32_t n_places;
    px_table_hash_fn hash_of;
    const void *arg;
};

/* Starts an edit that will add at most n_add objects to the table at loc (0: none yet) with n_used
 * of its slots occupied; makes a larger table if need be. 0, PX_ERR_NOMEM,
 * PX_ERR_OUT_OF_RESOURCE. */
int px_table_edit_init(struct px_table_edit *edit, struct px_bump *bump, uint64_t loc,
                       uint64_t n_used, uint64_t n_add, px_table_hash_fn hash_of, const void *arg);

/* Files a new object. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE. */
int px_table_edit_add(struct px_table_edit *edit, uint64_t hash, uint64_t loc);

/* Puts `loc` in the place of `old`, which is filed under the same hash. */
int px_table_edit_replace(struct px_table_edit *edit, uint64_t hash, uint64_t old, uint64_t loc);

/* Stores the slots of a table that readers use already. The caller publishes edit->loc when it is
 * fresh. Cannot fail. pairs with px_probe_next */
void px_table_edit_publish(struct px_table_edit *edit);

void px_table_edit_fini(struct px_table_edit *edit);

/* A finished table of n objects, in space that no reader reaches yet. */
int px_table_build(struct px_bump *bump, const uint64_t *hashes, const uint64_t *locs, uint64_t n,
                   uint64_t *ret_loc);

#endif
