/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "src/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/list.h"

/* jemalloc is reached through weak symbols of its non-standard API only: the library must never
 * pull its malloc into an MPI program, whose memory we hand out and whose free() takes it back.
 * Where the program did not link it the symbols are NULL and libc serves. Thread caches are
 * bypassed, because a cache could keep pieces of an arena that is being destroyed. */

#ifdef PX_HAVE_JEMALLOC
#include <jemalloc/jemalloc.h>
#pragma weak mallocx
#pragma weak dallocx
#pragma weak mallctl
#endif

struct px_arena {
    struct px_list blocks; /* libc: what is out */
    unsigned number;       /* jemalloc's name of the arena */
    bool native;
};

struct block {
    struct px_list link;
    _Alignas(max_align_t) unsigned char bytes[];
};

#ifdef PX_HAVE_JEMALLOC

static bool native_open(struct px_arena *arena)
{
    size_t len = sizeof(arena->number);

    if (!mallocx || !dallocx || !mallctl) {
        return false;
    }
    return mallctl("arenas.create", &arena->number, &len, NULL, 0) == 0;
}

static int native_flags(const struct px_arena *arena)
{
    return MALLOCX_ARENA(arena->number) | MALLOCX_TCACHE_NONE;
}

static void *native_alloc(struct px_arena *arena, size_t n)
{
    return mallocx(n, native_flags(arena) | MALLOCX_ZERO);
}

static void native_free(struct px_arena *arena, void *mem)
{
    dallocx(mem, native_flags(arena));
}

static void native_close(struct px_arena *arena)
{
    char name[48];

    (void) snprintf(name, sizeof(name), "arena.%u.destroy", arena->number);
    (void) mallctl(name, NULL, NULL, NULL, 0); /* nothing else can be done with a refused arena */
}

#else

static bool native_open(struct px_arena *arena)
{
    (void) arena;
    return false;
}

static void *native_alloc(struct px_arena *arena, size_t n)
{
    (void) arena;
    (void) n;
    return NULL;
}

static void native_free(struct px_arena *arena, void *mem)
{
    (void) arena;
    (void) mem;
}

static void native_close(struct px_arena *arena)
{
    (void) arena;
}

#endif

struct px_arena *px_arena_create(void)
{
    struct px_arena *arena = calloc(1, sizeof(*arena));

    if (arena) {
        px_list_init(&arena->blocks);
        arena->native = native_open(arena);
    }
    return arena;
}

void *px_arena_alloc(struct px_arena *arena, size_t n)
{
    struct block *block;

    if (n > PTRDIFF_MAX - sizeof(*block)) {
        return NULL;
    }
    if (arena->native) {
        return native_alloc(arena, n ? n : 1);
    }
    block = calloc(1, sizeof(*block) + n);
    if (!block) {
        return NULL;
    }
    px_list_append(&arena->blocks, &block->link);
    return block->bytes;
}

char *px_arena_strdup(struct px_arena *arena, const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = px_arena_alloc(arena, len);

    if (copy) {
        memcpy(copy, text, len);
    }
    return copy;
}

void px_arena_free(struct px_arena *arena, void *mem)
{
    struct block *block;

    if (!mem) {
        return;
    }
    if (arena->native) {
        native_free(arena, mem);
        return;
    }
    block = px_container_of(mem, struct block, bytes);
    px_list_remove(&block->link);
    free(block);
}

void px_arena_destroy(struct px_arena *arena)
{
    struct px_list *item;

    if (!arena) {
        return;
    }
    if (arena->native) {
        native_close(arena);
    }
    for (item = px_list_shift(&arena->blocks); item; item = px_list_shift(&arena->blocks)) {
        free(px_container_of(item, struct block, link));
    }
    free(arena);
}

bool px_arena_native(const struct px_arena *arena)
{
    return arena->native;
}
