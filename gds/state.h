/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STATE_H
#define PX_GDS_STATE_H

/* The inside of a store, for the files of this folder and for the inlined fast path. All others use
 * gds/store.h. */

#include "gds/format.h"
#include "gds/store.h"
#include "shmem/bump.h"
#include "shmem/segment.h"
#include "shmem/table_growth.h"
#include "src/base/assert.h"
#include "src/base/atomic.h"
#include "src/base/epoch.h"

struct px_compaction;
struct px_memo;
struct px_partial;

/* Key hints: 512 words in sets of two, so that two strings that meet have a place each. */
enum { PX_KEY_BITS = 9, PX_KEY_WAYS = 2 };

/* A store: one mapped segment, and what this process keeps with it. Owned by whoever created or
 * opened it. Constant after creation but for atomic members and the writer's part. A move exchanges
 * the contents of two such objects, so pointers to the writer's store stay valid. */
struct px_store {
    /* Locators of keys by the address of the string that was asked for. A hint: the key's name is
     * compared before it is believed, and the longest name has room behind it in the mapping.
     * Words, any thread; pairs with itself: px_key_hints. */
    uint64_t key_hints[1 << PX_KEY_BITS];
    /* The mapping. A reader's is read-only; `committed` is the writer's. */
    struct px_segment seg; /* writer: `committed` */
    /* A copy of the header's name, terminated. */
    char nspace[256];
    void *thread_caches[PX_READERS +
                        1]; /* atomic struct px_thread_cache *; of threads. The last stays NULL */
    /* Values for readers that ask for pointers. Set at creation, destroyed with the store. */
    struct px_memo *memo; /* lock-free; readers of this process */
    uint64_t pinned;      /* atomic: pointers into the segment were given away. px_slice_pointer */
    uint64_t cookie;      /* atomic: px_store_cookie */
    /* writer only */
    struct px_bump bump;
    uint64_t n_keys;    /* occupied slots of the key table */
    uint64_t n_records; /* occupied slots of the record table */
    struct px_table_growth key_growth;
    struct px_table_growth record_growth;
    bool moves;                    /* one thread uses the store, which may change its generation */
    bool fd_exported;              /* somebody was given the descriptor: the store stays shared */
    uint64_t garbage_limit;        /* bytes; see px_store_compact */
    struct px_segment_hints hints; /* for the next generation too */
    struct px_store *last;         /* the generations before that are still mapped here */
    /* The next generation while it is being filled, and the copy that fills it; or both NULL. */
    struct px_store *next;
    struct px_compaction *compaction;
    size_t move_piece;          /* bytes in one call of px_store_compact */
    struct px_partial *partial; /* a value that is copied in parts, or NULL */
};

/* True if the writer has moved to another generation. One load. Any thread. pairs with set_state */
static inline bool px_store_superseded(const struct px_store *store)
{
    const struct px_store_header *h =
        (const struct px_store_header *) (const void *) store->seg.base;

    return (uint32_t) px_load_acquire(&h->state) == PX_SHM_SUPERSEDED;
}

/* True if nothing will be published here any more: the segment was superseded, or its namespace has
 * ended. One load. Any thread. pairs with set_state and px_store_destroy */
static inline bool px_store_is_over(const struct px_store *store)
{
    const struct px_store_header *h =
        (const struct px_store_header *) (const void *) store->seg.base;

    return (uint32_t) px_load_acquire(&h->state) != PX_SHM_LIVE;
}

/* The header of the store's segment. */
static inline const struct px_store_header *px_store_header(const struct px_store *store)
{
    return (const struct px_store_header *) (const void *) store->seg.base;
}

/* The set of PX_KEY_WAYS words for a string, by its address: callers ask for the same literals
 * again and again. When both strings of a set have found their place nothing is stored any more. */
static inline uint64_t *px_key_hints(const struct px_store *store, const char *name)
{
    struct px_store *shared = (struct px_store *) (uintptr_t) store;
    uint64_t hash = (uint64_t) (uintptr_t) name * UINT64_C(0x9e3779b97f4a7c15);

    return &shared->key_hints[hash >> (64 - PX_KEY_BITS) & ~(uint64_t) (PX_KEY_WAYS - 1)];
}

#endif
