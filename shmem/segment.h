/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_SEGMENT_H
#define PX_SHMEM_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of memory with a fixed virtual size that fills from the front: a sealed memfd that other
 * processes map read-only, or plain process memory with the same bytes. */
struct px_segment {
    unsigned char *base;
    uint64_t size;          /* bytes of address space */
    uint64_t committed;     /* writer: bytes from the front that are backed by memory */
    uint64_t reserve_ahead; /* writer: at most so many are backed before they are asked for */
    uint64_t prefaulted;    /* reader: bytes from the front that were mapped at once */
    int fd;                 /* -1: process memory, or a reader's */
    bool shared;
    bool writer;
};

#define PX_SEGMENT_DEFAULT_SIZE (UINT64_C(64) << 30)

/* How memory is got. All zero: the defaults, which NULL in place of a pointer means too. None of it
 * changes what can be read, and where the system cannot do it nothing fails. */
struct px_segment_hints {
    uint64_t initial_commit; /* writer: bytes backed from the beginning; 0: 64 KiB */
    uint64_t reserve_ahead;  /* writer: most bytes backed before they are asked for; 0: 4 MiB */
    uint64_t prefault; /* reader: bytes from the front that are mapped at once, not when touched */
    bool huge;         /* both: pages may be huge ones */
    /* writer: says where the range's memory shall come from, before it has any; or NULL */
    void (*set_numa_policy)(void *at, size_t len);
};

/* Makes an empty segment of zero bytes, `size` rounded to pages (0: the default). Where address
 * space or file size is limited it becomes smaller, but not below 64 KiB. Shared: the descriptor is
 * sealed against shrinking, growing, further seals and every write but through this mapping. 0,
 * PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE, PX_ERR_NOT_SUPPORTED (no memfd or no seals here). */
int px_segment_create(bool shared, uint64_t size, const struct px_segment_hints *hints,
                      struct px_segment *ret);

/* Bytes of address space that a process may have; UINT64_MAX: no limit. */
uint64_t px_segment_address_space(void);

/* Maps a descriptor read-only, at any address, left out of core dumps. Takes over fd: it is closed
 * in any case. 0, PX_ERR_NO_PERMISSIONS (not sealed: it could change or shrink under the reader),
 * PX_ERR_NOMEM, PX_ERR_UNPACK_FAILURE (too small for a header), PX_ERR_NOT_SUPPORTED (not a
 * memfd). */
int px_segment_open(int fd, struct px_segment *ret);

/* Does what the hints say to a reader's mapping, of which `used` bytes hold something: no memory is
 * taken for more. Again, when more is in use: to that. */
void px_segment_prefault(struct px_segment *seg, const struct px_segment_hints *hints,
                         uint64_t used);

/* Backs the first `upto` bytes with memory, and some more ahead, so that no store there can fail.
 * 0, PX_ERR_OUT_OF_RESOURCE (beyond the size, or no memory); what was committed stays. */
int px_segment_commit(struct px_segment *seg, uint64_t upto);

/* Unmaps and closes. A zeroed struct is a closed segment only with fd -1; takes half-made ones from
 * create. */
void px_segment_close(struct px_segment *seg);

#endif
