/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_THREAD_CACHE_H
#define PX_GDS_THREAD_CACHE_H

#include <string.h>

#include "gds/state.h"
#include "src/base/epoch.h"

/* What a thread was last told by a store, and when: good for as long as nothing has been published
 * since. For the answers that take more than a step to find: those of a node, an application, a
 * session, and what processes have posted. Each thread has its own, so nothing is written that
 * another one reads. */

/* Words, relaxed: the number of a thread that has ended goes to another one. */
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

struct px_thread_cache {
    struct px_cached_result at[1 << PX_THREAD_CACHE_BITS];
};

/* By the address of the string: callers ask for the same literals again and again. */
static inline size_t px_thread_cache_slot(const char *name, pmix_rank_t rank)
{
    return ((uintptr_t) name + rank) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PX_THREAD_CACHE_BITS);
}

/* What is the answer if its key has that name, which the caller compares; or NULL. By its thread;
 * inside a read-side critical section. */
static inline const struct px_cached_result *px_thread_cache_find(
    const struct px_store *store, const struct px_reader *reader, const char *name,
    pmix_rank_t rank, uint64_t sequence, uint64_t changes)
{
    const struct px_thread_cache *mine =
        /* pairs with px_thread_cache_put */
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

/* Whether it is that no key has this name. */
static inline bool px_thread_cache_is_absent(const struct px_cached_result *at, const char *name)
{
    uint64_t text[3] = {px_load_relaxed(&at->absent[0]), px_load_relaxed(&at->absent[1]),
                        px_load_relaxed(&at->absent[2])};

    return px_load_relaxed(&at->key) == 0 && strcmp((const char *) text, name) == 0;
}

/* Takes the place of what was there. Without memory nothing is noted. By its thread; inside a
 * read-side critical section. */
void px_thread_cache_put(const struct px_store *store, const struct px_reader *reader,
                         const char *name, const struct px_cached_result *what);

/* When the store goes. */
void px_thread_cache_fini(struct px_store *store);

#endif
