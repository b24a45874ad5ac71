/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SHMEM_SEGMENT_H
#define PX_SHMEM_SEGMENT_H

/* The memory of a segment: a range with a fixed virtual size that fills from the front. It is a
 * sealed memfd that other processes map read-only (shared form), or plain process memory with
 * the same bytes (private form). This layer knows the header's size and nothing else of the
 * contents. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One mapping of a segment: the writer's or a reader's. Part of a px_store, which owns it;
 * px_segment_close releases it. */
struct px_segment {
    unsigned char *base;
    uint64_t size;          /* bytes of address space */
    uint64_t committed;     /* writer: bytes from the front that are backed by memory */
    uint64_t populated;     /* writer: bytes from the front whose pages are mapped already */
    uint64_t reserve_ahead; /* writer: at most so many are backed before they are asked for */
    uint64_t prefaulted;    /* reader: bytes from the front that were mapped at once */
    int fd;                 /* -1: process memory, or a reader's */
    bool shared;
    bool writer;
};

/* Virtual size of a segment unless its creator gives another: address space only, memory follows
 * use. */
#define PX_SEGMENT_DEFAULT_SIZE (UINT64_C(64) << 30)

/* How a segment gets its memory. All zero means the defaults, and so does NULL in place of a
 * pointer. No hint changes what can be read; where the system refuses one, nothing fails. */
struct px_segment_hints {
    uint64_t initial_commit; /* writer: bytes backed from the beginning; 0: 64 KiB */
    uint64_t reserve_ahead;  /* writer: most bytes backed before they are asked for; 0: 1 MiB */
    uint64_t prefault; /* reader: bytes from the front that are mapped at once, not when touched */
    bool huge;         /* both: pages may be huge ones */
    /* writer: says where the range's memory shall come from, before it has any; or NULL */
    void (*set_numa_policy)(void *at, size_t len);
    const char *label; /* writer: the memfd's name in /proc; NULL: "shmix" */
};

/* Makes an empty segment of zero bytes, `size` rounded up to pages (0: the default). Where address
 * space or file size is limited the segment becomes smaller, but not below 64 KiB. Shared: the
 * descriptor is sealed against shrinking, growing, further seals and every write but through this
 * mapping. The caller owns *ret, which is set only with 0. 0, PX_ERR_NOMEM, PX_ERR_OUT_OF_RESOURCE,
 * PX_ERR_NOT_SUPPORTED (the system has no memfd or no seals). */
int px_segment_create(bool shared, uint64_t size, const struct px_segment_hints *hints,
                      struct px_segment *ret);

/* The limit on this process's address space in bytes (RLIMIT_AS); UINT64_MAX: no limit. */
uint64_t px_segment_address_space(void);

/* Maps a descriptor read-only, at any address, left out of core dumps. Takes over fd, which is
 * closed in every case. The caller owns *ret, which is set only with 0. 0; PX_ERR_NO_PERMISSIONS:
 * not sealed, so it could change or shrink under the reader; PX_ERR_NOMEM; PX_ERR_UNPACK_FAILURE:
 * too small for a header; PX_ERR_NOT_SUPPORTED: not a memfd. */
int px_segment_open(int fd, struct px_segment *ret);

/* Applies the hints to a reader's mapping, of which `used` bytes hold data; no page beyond them is
 * mapped. May be called again when more is in use: it continues where it ended. One thread. */
void px_segment_prefault(struct px_segment *seg, const struct px_segment_hints *hints,
                         uint64_t used);

/* Prepares the first `upto` bytes for stores: backs them with memory, and some more ahead, so that
 * no store can fail, and maps their pages, so that stores take few faults. Writer's thread. 0, or
 * PX_ERR_OUT_OF_RESOURCE: `upto` is beyond the size, or there is no memory. Bytes that an earlier
 * call has prepared stay prepared. */
int px_segment_commit(struct px_segment *seg, uint64_t upto);

/* Unmaps and closes, a large one in its own time (src/base/release.h); keeps errno. Takes what
 * px_segment_create has half made. A zeroed struct counts as closed only with fd -1. */
void px_segment_close(struct px_segment *seg);

#endif
