/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_OFFSET_H
#define PX_SHMEM_OFFSET_H

/* From locators to pointers, with bounds checks: the only way by which a reader follows a locator.
 * Nothing in a segment is believed before this check, so damaged bytes lead to a status and never
 * to an access outside the mapping. Any thread; each reader has its own view. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shmem/layout.h"
#include "src/base/atomic.h"

/* Where a segment is mapped and how much of it may be touched: one reader's own, for one pass. The
 * mapping is borrowed. */
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

/* The header at the start of the view. */
static inline const struct px_header *px_view_header(const struct px_view *view)
{
    return (const struct px_header *) (const void *) view->base;
}

/* Loads `used` again and bounds it by the size of the mapping: the header may be damaged. pairs
 * with px_bump_publish */
static inline void px_view_refresh(struct px_view *view)
{
    uint64_t used = px_load_acquire(&px_view_header(view)->used);

    view->limit = used < view->size ? used : view->size;
}

/* Starts a view of a mapping of `size` bytes, at least a header; the limit is what `used` says
 * now. */
static inline void px_view_init(struct px_view *view, const void *base, uint64_t size)
{
    view->base = base;
    view->size = size;
    view->damaged = false;
    px_view_refresh(view);
}

/* `need` bytes at a locator, or NULL if the locator is 0 or not all of them are below the limit.
 * Leaves `damaged` as it is. need < 2^60, so that the sum cannot wrap around. */
static inline const void *px_seen(const struct px_view *view, uint64_t loc, uint64_t need)
{
    return loc - 1 < PX_SHM_LOC_MASK && (loc << 3) + need <= view->limit ? view->base + (loc << 3)
                                                                         : NULL;
}

/* As px_seen, but against a stale limit it loads `used` again. NULL, with `damaged` set, only if
 * the bytes are not inside by then: a word never leads beyond the `used` stored before it. */
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

/* True if `need` bytes from the start of an object inside the view are inside; as px_at. */
static inline bool px_reaches(struct px_view *view, const void *object, uint64_t need)
{
    uint64_t end = (uint64_t) ((const unsigned char *) object - view->base) + need;

    px_shm_step_hook();
    if (__builtin_expect(end > view->limit, 0)) {
        px_view_refresh(view);
        view->damaged |= end > view->limit;
    }
    return end <= view->limit;
}

/* The locator of an object inside the view. */
static inline uint64_t px_locator(const struct px_view *view, const void *at)
{
    return (uint64_t) ((const unsigned char *) at - view->base) >> 3;
}

/* n, rounded up to a multiple of 8. */
static inline uint64_t px_round8(uint64_t n)
{
    return (n + 7) & ~UINT64_C(7);
}

#endif
