/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_PUT_H
#define PX_SHMEM_PUT_H

/* Stores to a segment. All of them go through these functions, so that a test build can be called
 * before each one (PX_SHM_STORE_HOOK): it stops the writer there, and it checks that there are no
 * other stores. px_put, px_put_zero and px_put_word fill bytes that no reader can reach yet;
 * px_publish stores a word. Writer's thread. */

#include <stdint.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

#ifdef PX_SHM_STORE_HOOK
void px_shm_store_hook(const void *at, size_t len);
#else
static inline void px_shm_store_hook(const void *at, size_t len)
{
    (void) at;
    (void) len;
}
#endif

/* Copies bytes to where no reader looks yet. `bytes` may be NULL with len 0. */
static inline void px_put(void *at, const void *bytes, size_t len)
{
    px_shm_store_hook(at, len);
    if (len) {
        memcpy(at, bytes, len);
    }
}

/* Zeroes bytes that no reader can reach yet. */
static inline void px_put_zero(void *at, size_t len)
{
    px_shm_store_hook(at, len);
    memset(at, 0, len);
}

/* Stores a word of an object that no reader can reach yet; needs no order. */
static inline void px_put_word(uint64_t *at, uint64_t value)
{
    px_assert(((uintptr_t) at & 7) == 0);
    px_shm_store_hook(at, sizeof(*at));
    *at = value;
}

/* Stores a word that readers may load, whole and with release. docs/memory-model.md lists who loads
 * which. `at` is const because callers reach it through the read-only header or key. pairs with
 * copy_words */
static inline void px_publish(const uint64_t *at, uint64_t value)
{
    px_assert(((uintptr_t) at & 7) == 0);
    px_shm_store_hook(at, sizeof(*at));
    px_store_release((uint64_t *) (uintptr_t) at, value);
}

#endif
