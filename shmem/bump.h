/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_BUMP_H
#define PX_SHMEM_BUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "shmem/segment.h"
#include "src/base/assert.h"

/* The writer's bump allocator. Space beyond the published end is the writer's alone: it may be
 * taken, filled and given back; px_bump_publish makes it reachable for good. One writer. */
struct px_bump {
    struct px_segment *seg; /* borrowed */
    uint64_t next;          /* first free byte, a multiple of 8 */
    uint64_t published;     /* the header's `used` */
    uint64_t dirty;         /* bytes from here on were never written: they are zero */
    uint64_t beyond;        /* what was asked for last would end here, beyond the segment; or 0 */
};

/* The invariant of the struct: 8-aligned ends in order, inside the segment and backed by memory. */
bool px_bump_is_valid(const struct px_bump *bump);

void px_bump_init(struct px_bump *bump, struct px_segment *seg, uint64_t used);

/* n bytes, 8-aligned, uninitialised, backed by memory. 0 or PX_ERR_OUT_OF_RESOURCE (nothing
 * taken). */
int px_bump_take(struct px_bump *bump, uint64_t n, void **ret);

/* The same, zeroed. */
int px_bump_take_zeroed(struct px_bump *bump, uint64_t n, void **ret);

/* Takes n bytes and fills them; *ret_loc is their locator. */
int px_bump_copy(struct px_bump *bump, const void *bytes, uint64_t n, uint64_t *ret_loc);

/* Gives back all that was taken since the last publication. */
void px_bump_rollback(struct px_bump *bump);

/* Lets readers reach all that was taken. */
void px_bump_publish(struct px_bump *bump);

static inline uint64_t px_bump_locator(const struct px_bump *bump, const void *at)
{
    px_assert(((uintptr_t) at & 7) == 0 && (const unsigned char *) at > bump->seg->base);
    return (uint64_t) ((const unsigned char *) at - bump->seg->base) >> 3;
}

#endif
