/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "config.h"

#include "heap.h"

#ifdef PX_HAVE_JEMALLOC

#include <jemalloc/jemalloc.h>

#define TEXT(number)    TEXT_OF(number)
#define TEXT_OF(number) #number

/* jemalloc reads it when the program begins. Blocks of up to 1 KiB are kept for a thread that
 * frees and allocates in turn. Pages are kept for a second: a server allocates a buffer of some KiB
 * for each message that it passes on, and must not get its pages from the kernel each time. */
__attribute__((visibility("default"))) const char *malloc_conf =
    "narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0,tcache_max:1024";

static size_t counter(const char *name)
{
    size_t value = 0;
    size_t len = sizeof(value);

    return mallctl(name, &value, &len, NULL, 0) == 0 ? value : 0;
}

struct px_heap px_heap_look(void)
{
    uint64_t epoch = 1; /* the counters are those of the last time that this was written */

    (void) mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
    return (struct px_heap){.used = counter("stats.allocated"), .held = counter("stats.resident")};
}

const char *px_heap_name(void)
{
    return "jemalloc " TEXT(JEMALLOC_VERSION_MAJOR) "." TEXT(JEMALLOC_VERSION_MINOR) "." TEXT(
        JEMALLOC_VERSION_BUGFIX);
}

#else

#include <malloc.h>

struct px_heap px_heap_look(void)
{
    struct mallinfo2 now = mallinfo2();

    return (struct px_heap){.used = now.uordblks + now.hblkhd, .held = now.arena + now.hblkhd};
}

const char *px_heap_name(void)
{
    return "libc";
}

#endif
