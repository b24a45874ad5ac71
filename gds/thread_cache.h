/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_THREAD_CACHE_H
#define PX_GDS_THREAD_CACHE_H

/* The thread cache: the last results of gets that the fast path could not find by itself (values of
 * a node, an application or a session, and what processes have put). A result is good as long as
 * nothing has been published and the caller's own data have not changed since. Each thread has its
 * own array, so no thread writes what another one reads (docs/memory-model.md, section 8). */

#include <string.h>

#include "gds/memo.h"
#include "gds/state.h"
#include "src/base/epoch.h"

/* One cached result and the snapshot that it depends on. Words, relaxed: the number of a thread
 * that has ended goes to another one. */
struct px_cached_result {
    uint64_t rank;
    uint64_t sequence; /* of the segment, from before the answer was looked for */
    uint64_t changes;  /* the same of a count of the caller's: what he holds besides the store */
    uint64_t key;  /* const char *: its name, good for as long as the store is here; 0: no key */
    uint64_t type; /* of a scalar, else PMIX_UNDEF */
    union {
        struct {
            uint64_t word;
            uint64_t pointer; /* const pmix_value_t *: one of px_slice_pointer, or 0 */
        };
        uint64_t absent[3]; /* the name that no key has, and its NUL */
    };
};

enum { PX_THREAD_CACHE_BITS = 6 };

/* The results of one thread in one store; owned by the store. A direct-mapped cache: each string
 * and rank have one place. */
struct px_thread_cache {
    struct px_cached_result at[1 << PX_THREAD_CACHE_BITS];
};

/* The place of a string and a rank, by the string's address: callers ask for the same literals
 * again and again. A newer result replaces what is there. */
static inline size_t px_thread_cache_slot(const char *name, pmix_rank_t rank)
{
    return ((uintptr_t) name + rank) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PX_THREAD_CACHE_BITS);
}

/* The cached result for this rank and snapshot if its key has this name, which the caller compares;
 * or NULL. Called by its own thread, inside a read-side critical section. */
static inline const struct px_cached_result *px_thread_cache_find(
    const struct px_store *store, const struct px_reader *reader, const char *name,
    pmix_rank_t rank, uint64_t sequence, uint64_t changes)
{
    const struct px_thread_cache *mine =
        /* pairs with px_memo_thread_cache */
        px_load_ptr_acquire(&store->thread_caches[reader->number]);
    const struct px_cached_result *at;

    px_assert(px_reader_is(reader, 1));
    if (__builtin_expect(!mine, 0)) {
        return NULL;
    }
    at = &mine->at[px_thread_cache_slot(name, rank)];
    return px_load_relaxed(&at->rank) == rank && px_load_relaxed(&at->sequence) == sequence &&
                   px_load_relaxed(&at->changes) == changes
               ? at
               : NULL;
}

/* True if the result says that no key has this name. */
static inline bool px_thread_cache_is_absent(const struct px_cached_result *at, const char *name)
{
    uint64_t text[3] = {px_load_relaxed(&at->absent[0]), px_load_relaxed(&at->absent[1]),
                        px_load_relaxed(&at->absent[2])};

    return px_load_relaxed(&at->key) == 0 && strcmp((const char *) text, name) == 0;
}

/* Caches a result in the place of what was there. Without memory nothing is cached. Called by its
 * own thread, inside a read-side critical section. */
static inline void px_thread_cache_put(const struct px_store *store, const struct px_reader *reader,
                                       const char *name, const struct px_cached_result *what)
{
    struct px_thread_cache *mine =
        /* pairs with px_memo_thread_cache */
        px_load_ptr_acquire(&store->thread_caches[reader->number]);
    struct px_cached_result *at;

    px_assert(px_reader_is(reader, 1));
    if (__builtin_expect(!mine, 0)) {
        mine = px_memo_thread_cache(store, reader);
    }
    if (!mine) {
        return;
    }
    at = &mine->at[px_thread_cache_slot(name, (pmix_rank_t) what->rank)];
    px_store_relaxed(&at->rank, what->rank);
    px_store_relaxed(&at->sequence, what->sequence);
    px_store_relaxed(&at->changes, what->changes);
    px_store_relaxed(&at->key, what->key);
    px_store_relaxed(&at->type, what->type);
    px_store_relaxed(&at->absent[0], what->absent[0]); /* the word and the pointer too */
    px_store_relaxed(&at->absent[1], what->absent[1]);
    px_store_relaxed(&at->absent[2], what->absent[2]);
}

#endif
