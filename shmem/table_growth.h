/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_TABLE_GROWTH_H
#define PX_SHMEM_TABLE_GROWTH_H

/* A large hash table that is replaced by a larger one little by little, so that no addition takes
 * as long as moving all that the table holds. The larger one lies beside the one that readers use,
 * and no reader can reach it. The objects of that table's slots are copied into it, from the first
 * slot to the last. An object that is published meanwhile in a slot that was copied is put into
 * both tables. When the last slot is copied both hold the same objects, and the owner publishes the
 * word that leads to the larger one. Tables grow at once (table.h) where this is too slow or fails.
 * Writer's thread. */

#include <stdbool.h>
#include <stdint.h>

struct px_bump;
struct px_table_edit;

/* The growth of one table. Embedded in its owner; zeros: none under way. It owns no memory. */
struct px_table_growth {
    uint64_t loc;     /* the larger table; 0: none yet */
    uint64_t n_moved; /* slots of the table that readers use whose objects are in both */
    uint64_t failed;  /* the table for which there will be no larger one; 0: none */
    uint64_t credit;  /* bytes for the larger table that additions have paid for */
    uint64_t n_added; /* objects that were published since the last step */
    uint64_t dead;    /* bytes of larger tables that were given up and not told yet */
};

/* To be called for the edit of a publication when it cannot fail any more, directly before
 * px_table_edit_publish: puts its changes into the larger table, too. If the edit has made a table
 * of its own, or an object has no place, growth ends. Returns the bytes of larger tables that were
 * given up since the last call: they are garbage. pairs with copy_words */
uint64_t px_table_growth_follow(struct px_table_growth *growth, const struct px_table_edit *edit);

/* After a publication: bytes for which memory is to be prepared (px_bump_prepare) before the next
 * step for the table at `table` (0: none), of which n_used slots are occupied. The number rises
 * with each object that was added, up to the size of the larger table. 0: the table need not grow.
 */
uint64_t px_table_growth_needs(struct px_table_growth *growth, const struct px_bump *bump,
                               uint64_t table, uint64_t n_used);

/* Does the next step, in proportion to what was added since the last one: it takes the larger
 * table, or copies some slots into it. Nothing may be pending in the allocator. Returns true when
 * the larger table holds all that the table at `table` has: *ret is the larger one, the growth is
 * over, and the caller publishes the word that leads there. The objects are trusted; `hash_of` is
 * the edit's. pairs with copy_words */
bool px_table_growth_step(struct px_table_growth *growth, struct px_bump *bump, uint64_t table,
                          uint64_t n_used, uint64_t (*hash_of)(const void *arg, uint64_t loc),
                          const void *arg, uint64_t *ret);

#endif
