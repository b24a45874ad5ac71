/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_HEADER_H
#define PX_SHMEM_HEADER_H

#include "shmem/layout.h"
#include "shmem/segment.h"

/* What the creator says about a segment. */
struct px_header_init {
    const char *name; /* at most 255 bytes */
    uint32_t uid;
    uint32_t gid;
    uint32_t generation;
    uint64_t fingerprint; /* of the structures that its user lays into it */
    uint64_t epoch;       /* of the generation before; 0: a new one */
};

/* Writes the header of a new segment; it is live and empty afterwards. 0 or PX_ERR_BAD_PARAM. */
int px_header_init(struct px_segment *seg, const struct px_header_init *init);

/* Whether a mapped segment is of this format, with the structures of that fingerprint, and its
 * header makes sense. 0, PX_ERR_NOT_SUPPORTED
 * (another version, byte order or layout), PX_ERR_UNPACK_FAILURE (damaged). */
int px_header_check(const struct px_segment *seg, uint64_t fingerprint);

static inline const struct px_header *px_segment_header(const struct px_segment *seg)
{
    return (const struct px_header *) (const void *) seg->base;
}

#endif
