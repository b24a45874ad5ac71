/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The per-thread caches of a store: one array for each thread that has cached a result, made when
 * it first does. Threads beyond the number of readers have none. An array stays for the next thread
 * with the same number and is freed with the store. */

#include "gds/thread_cache.h"

#include <stdlib.h>

/* The array is published with release because the next thread of this number will find it. Its
 * words are relaxed atomics: only the one thread that has the number now stores them. */
void px_thread_cache_put(const struct px_store *store, const struct px_reader *reader,
                         const char *name, const struct px_cached_result *what)
{
    void **place = &((struct px_store *) (uintptr_t) store)->thread_caches[reader->number];
    struct px_thread_cache *mine = px_load_ptr_acquire(place); /* pairs with px_thread_cache_put */
    struct px_cached_result *at;
    size_t i;

    px_assert(px_reader_is(reader, 1));
    if (!mine && reader->number < PX_READERS) {
        mine = calloc(1, sizeof(*mine));
        px_store_ptr_release(place, mine); /* pairs with px_thread_cache_find */
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
    for (i = 0; i < sizeof(at->absent) / sizeof(at->absent[0]); i++) {
        px_store_relaxed(&at->absent[i], what->absent[i]); /* the word and the pointer too */
    }
}

/* No thread reads the store any more. */
void px_thread_cache_fini(struct px_store *store)
{
    size_t i;

    for (i = 0; i < PX_READERS; i++) {
        free(store->thread_caches[i]);
    }
}
