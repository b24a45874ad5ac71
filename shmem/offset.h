/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_OFFSET_H
#define PX_SHMEM_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shmem/layout.h"
#include "src/base/atomic.h"

/* From locators to pointers, checked. A view is a reader's own, for one call: where the segment is
 * and how much of it may be touched. */
struct px_view {
    const unsigned char *base;
    uint64_t size;  /* of the mapping: nothing beyond is ever touched */
    uint64_t limit; /* the header's `used` as last seen, at most size */
    bool damaged;   /* a locator pointed outside, or a structure contradicts itself */
};

/* A test build counts how often a reader follows a locator or looks at a slot
 * (PX_SHM_STEP_HOOK). */
#ifdef PX_SHM_STEP_HOOK
void px_shm_step_hook(void);
#else
static inline void px_shm_step_hook(void)
{
}
#endif

static inline const struct px_header *px_view_header(const struct px_view *view)
{
    return (const struct px_header *) (const void *) view->base;
}

/* pairs with px_bump_publish */
static inline void px_view_refresh(struct px_view *view)
{
    uint64_t used = px_load_acquire(&px_view_header(view)->used);

    view->limit = used < view->size ? used : view->size;
}

static inline void px_view_init(struct px_view *view, const void *base, uint64_t size)
{
    view->base = base;
    view->size = size;
    view->damaged = false;
    px_view_refresh(view);
}

/* `need` bytes at a locator, or NULL when they are not all below the limit. need < 2^60. */
static inline const void *px_seen(const struct px_view *view, uint64_t loc, uint64_t need)
{
    return loc - 1 < PX_SHM_LOC_MASK && (loc << 3) + need <= view->limit ? view->base + (loc << 3)
                                                                         : NULL;
}

/* The same, but NULL (and `damaged`) only when they are not inside as the header says by now. */
static inline const void *px_at(struct px_view *view, uint64_t loc, uint64_t need)
{
    const void *at = px_seen(view, loc, need);

    px_shm_step_hook();
    if (__builtin_expect(!at, 0)) {
        px_view_refresh(view);
        at = px_seen(view, loc, need);
        view->damaged |= !at;
    }
    return at;
}

static inline uint64_t px_locator(const struct px_view *view, const void *at)
{
    return (uint64_t) ((const unsigned char *) at - view->base) >> 3;
}

static inline uint64_t px_round8(uint64_t n)
{
    return (n + 7) & ~UINT64_C(7);
}

#endif
