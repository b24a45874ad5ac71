/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_HEADER_H
#define PX_SHMEM_HEADER_H

/* The header of a segment: written once by the creator, checked by each reader before it believes
 * anything else. Contents: docs/segment-format.md, sections 2 and 9. */

#include "shmem/layout.h"
#include "shmem/segment.h"

/* The identity of a new segment, as its creator gives it. All borrowed for the call. */
struct px_header_init {
    const char *name; /* at most 255 bytes */
    uint32_t uid;
    uint32_t gid;
    uint32_t generation;
    uint64_t fingerprint; /* of the structures that its user lays into it */
    uint64_t epoch;       /* of the generation before; 0: a new one */
};

/* Writes the header of a new segment, whose first 4096 bytes are committed. Afterwards the segment
 * is live and empty. Writer's thread, before the descriptor is handed out. 0, PX_ERR_BAD_PARAM (the
 * name is too long). */
int px_header_init(struct px_segment *seg, const struct px_header_init *init);

/* Checks that a mapped segment has this format, the structures with this fingerprint, and a header
 * that makes sense. Any thread. 0; PX_ERR_NOT_SUPPORTED: another version, byte order or layout;
 * PX_ERR_UNPACK_FAILURE: damaged. */
int px_header_check(const struct px_segment *seg, uint64_t fingerprint);

/* The header at the start of a mapped segment. */
static inline const struct px_header *px_segment_header(const struct px_segment *seg)
{
    return (const struct px_header *) (const void *) seg->base;
}

#endif
