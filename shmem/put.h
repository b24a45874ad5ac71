/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_PUT_H
#define PX_SHMEM_PUT_H

#include <stdint.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/atomic.h"

/* Every store to a segment goes through one of these: a test build is told of each beforehand
 * (PX_SHM_STORE_HOOK), to stop the writer there and to see that there are no others. px_put and
 * px_put_zero fill bytes that no reader can reach yet; px_publish stores a word. */

#ifdef PX_SHM_STORE_HOOK
void px_shm_store_hook(const void *at, size_t len);
#else
static inline void px_shm_store_hook(const void *at, size_t len)
{
    (void) at;
    (void) len;
}
#endif

static inline void px_put(void *at, const void *bytes, size_t len)
{
    px_shm_store_hook(at, len);
    if (len) {
        memcpy(at, bytes, len);
    }
}

static inline void px_put_zero(void *at, size_t len)
{
    px_shm_store_hook(at, len);
    memset(at, 0, len);
}

/* A word of an object that no reader can reach yet. */
static inline void px_put_word(uint64_t *at, uint64_t value)
{
    px_assert(((uintptr_t) at & 7) == 0);
    px_shm_store_hook(at, sizeof(*at));
    *at = value;
}

/* A word that readers may load: docs/memory-model.md says who loads which. pairs with copy_words */
static inline void px_publish(const uint64_t *at, uint64_t value)
{
    px_assert(((uintptr_t) at & 7) == 0);
    px_shm_store_hook(at, sizeof(*at));
    px_store_release((uint64_t *) (uintptr_t) at, value);
}

#endif
