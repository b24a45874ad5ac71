/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The per-thread caches of a store: one array for each thread that has cached a result, made when
 * it first does. Threads beyond the number of readers have none. An array stays for the next thread
 * with the same number and is freed with the store. */

#include "gds/thread_cache.h"

#include <stdlib.h>

/* The array is published with release because the next thread of this number will find it. Its
 * words are relaxed atomics: only the one thread that has the number now stores them. */
struct px_thread_cache *px_thread_cache_make(const struct px_store *store,
                                             const struct px_reader *reader)
{
    void **place = &((struct px_store *) (uintptr_t) store)->thread_caches[reader->number];
    struct px_thread_cache *mine = NULL;

    if (reader->number < PX_READERS) {
        mine = calloc(1, sizeof(*mine));
        /* pairs with px_thread_cache_find and px_thread_cache_put */
        px_store_ptr_release(place, mine);
    }
    return mine;
}

/* No thread reads the store any more. */
void px_thread_cache_fini(struct px_store *store)
{
    size_t i;

    for (i = 0; i < PX_READERS; i++) {
        free(store->thread_caches[i]);
    }
}
