/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_HEAP_HEAP_H
#define PX_HEAP_HEAP_H

/* The heap of a program of ours that lives long: jemalloc's, if the build has found it, and libc's
 * otherwise. A program that links libpx-heap.la gets that allocator, set up for a small daemon:
 * one arena, and a page goes back to the kernel when it has been free for a second and something
 * else is allocated or freed (decision 42); MALLOC_CONF in the environment changes it, as for any
 * program with jemalloc. libpmix is never linked with it: an application's allocator is the
 * application's. */

#include <stddef.h>
#include <stdint.h>

struct px_heap {
    size_t used; /* bytes of the blocks in use, as the allocator has rounded them */
    size_t held; /* bytes that the allocator has of the kernel for them, and for itself */
};

/* What the heap of this process is now, all threads together. Any thread; takes locks of the
 * allocator. Zeros if it does not count: jemalloc that was built without its counters, or a
 * sanitizer's. */
struct px_heap px_heap_look(void);

/* "jemalloc VERSION", or "libc". */
const char *px_heap_name(void);

#endif
