/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_BUMP_H
#define PX_SHMEM_BUMP_H

/* The writer's bump allocator over a segment: it takes space from the front, in multiples of 8
 * bytes. Space beyond the published end belongs to the writer alone: it may be taken, filled and
 * given back. px_bump_publish makes it reachable for good. One thread, the writer's. */

#include <stdbool.h>
#include <stdint.h>

#include "shmem/segment.h"
#include "src/base/assert.h"

/* The allocator of one segment; part of the writer's px_store. It owns nothing. */
struct px_bump {
    struct px_segment *seg; /* borrowed */
    uint64_t next;          /* first free byte, a multiple of 8 */
    uint64_t published;     /* the header's `used` */
    uint64_t dirty;         /* bytes from here on were never written: they are zero */
    uint64_t beyond;        /* where the last request that did not fit would have ended; 0: none */
};

/* True if the invariant of the struct holds: the ends are multiples of 8, in order, inside the
 * segment and backed by memory. */
bool px_bump_is_valid(const struct px_bump *bump);

/* Starts an allocator behind the first `used` bytes of a writer's segment, which it borrows. These
 * bytes must be backed by memory. */
void px_bump_init(struct px_bump *bump, struct px_segment *seg, uint64_t used);

/* Takes n bytes: 8-aligned, backed by memory, contents undefined. 0; PX_ERR_OUT_OF_RESOURCE:
 * nothing was taken, because the segment is full (`beyond` is set) or memory is short. */
int px_bump_take(struct px_bump *bump, uint64_t n, void **ret);

/* Prepares memory for the next n bytes, but for at most `most` of them that are not prepared yet,
 * so that to take and fill them costs neither system calls nor page faults. *ret_more: how many it
 * has prepared; all n are ready if they are fewer than `most`. 0, PX_ERR_OUT_OF_RESOURCE. */
int px_bump_prepare(struct px_bump *bump, uint64_t n, uint64_t most, uint64_t *ret_more);

/* As px_bump_take, but the bytes are zero. */
int px_bump_take_zeroed(struct px_bump *bump, uint64_t n, void **ret);

/* Takes n bytes and copies `bytes` into them; *ret_loc is their locator. Statuses as
 * px_bump_take. */
int px_bump_copy(struct px_bump *bump, const void *bytes, uint64_t n, uint64_t *ret_loc);

/* Gives back all that was taken since the last publication. Pointers to it are invalid
 * afterwards. */
void px_bump_rollback(struct px_bump *bump);

/* Stores the header's `used`, so that readers may follow locators into all that was taken. There is
 * no way back. Cannot fail. */
void px_bump_publish(struct px_bump *bump);

/* The locator of an object in the segment; `at` is 8-aligned and behind the base. */
static inline uint64_t px_bump_locator(const struct px_bump *bump, const void *at)
{
    px_assert(((uintptr_t) at & 7) == 0 && (const unsigned char *) at > bump->seg->base);
    return (uint64_t) ((const unsigned char *) at - bump->seg->base) >> 3;
}

#endif
