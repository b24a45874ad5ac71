/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_SEGMENT_H
#define PX_SHMEM_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

/* A range of memory with a fixed virtual size that fills from the front: a sealed memfd that other
 * processes map read-only, or plain process memory with the same bytes. */
struct px_segment {
    unsigned char *base;
    uint64_t size;      /* bytes of address space */
    uint64_t committed; /* writer: bytes from the front that are backed by memory */
    int fd;             /* -1: process memory, or a reader's */
    bool shared;
    bool writer;
};

#define PX_SEGMENT_DEFAULT_SIZE (UINT64_C(64) << 30)

/* Makes an empty segment of zero bytes, `size` rounded to pages (0: the default). Where address
 * space or file size is limited it becomes smaller, but not below 64 KiB. Shared: the descriptor is
 * sealed against shrinking, growing, further seals and every write but through this mapping. 0,
 * PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE, PX_ERR_NOT_SUPPORTED (no memfd or no seals here). */
int px_segment_create(bool shared, uint64_t size, struct px_segment *ret);

/* Bytes of address space that a process may have; UINT64_MAX: no limit. */
uint64_t px_segment_room(void);

/* Maps a descriptor read-only, at any address, left out of core dumps. Takes over fd: it is closed
 * in any case. 0, PX_ERR_NO_PERMISSIONS (not sealed: it could change or shrink under the reader),
 * PX_ERR_NOMEM, PX_ERR_UNPACK_FAILURE (too small for a header), PX_ERR_NOT_SUPPORTED (not a memfd).
 */
int px_segment_open(int fd, struct px_segment *ret);

/* Backs the first `upto` bytes with memory, and some more ahead, so that no store there can fail.
 * 0, PX_ERR_OUT_OF_RESOURCE (beyond the size, or no memory); what was committed stays. */
int px_segment_commit(struct px_segment *seg, uint64_t upto);

/* Unmaps and closes. A zeroed struct is a closed segment only with fd -1; takes half-made ones from
 * create. */
void px_segment_close(struct px_segment *seg);

#endif
