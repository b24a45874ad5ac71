/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_STATE_H
#define PX_GDS_STATE_H

#include "gds/store.h"
#include "shmem/bump.h"
#include "shmem/header.h"
#include "shmem/segment.h"
#include "src/base/atomic.h"

struct px_memo;

enum { PX_KEY_CACHE_BITS = 8 };

/* What a store is behind gds/store.h. Constant after creation but for the writer's part. */
struct px_store {
    struct px_segment seg; /* writer: `committed` */
    char nspace[256];
    struct px_memo *memo; /* lock-free; readers of this process */
    /* Locators of keys by the address of the string that was asked for: a hint, compared before it
     * is believed, with room for the longest name behind it. Words, any thread; pairs with itself:
     * px_key_hint. */
    uint64_t key_cache[1 << PX_KEY_CACHE_BITS];
    /* How many words of the segment somebody has seen to be in use: at least a header. A word, any
     * thread; pairs with itself: px_store_saw_end. */
    uint64_t end;
    /* writer only */
    struct px_bump bump;
    uint64_t n_keys;    /* occupied slots of the key table */
    uint64_t n_records; /* occupied slots of the record table */
};

static inline const struct px_header *px_store_header(const struct px_store *store)
{
    return (const struct px_header *) (const void *) store->seg.base;
}

static inline void px_store_saw_end(const struct px_store *store, uint64_t end)
{
    if (end != px_load_relaxed(&store->end) && end >= PX_SHM_HEADER_LEN / 8) {
        px_store_release((uint64_t *) (uintptr_t) &store->end, end);
    }
}

/* The word for a string. Callers ask for the same literals again and again. */
static inline uint64_t *px_key_hint(const struct px_store *store, const char *name)
{
    struct px_store *shared = (struct px_store *) (uintptr_t) store;

    return &shared->key_cache[(uint64_t) (uintptr_t) name * UINT64_C(0x9e3779b97f4a7c15)
                              >> (64 - PX_KEY_CACHE_BITS)];
}

#endif
