/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_MEM_H
#define PX_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* An arena: the memory of one namespace in a host daemon, given back in one call when the namespace
 * goes. In a program that links jemalloc each arena is a jemalloc arena of its own, so a daemon
 * that lives for months does not fragment; elsewhere it is libc's malloc with a list of what was
 * taken. One thread at a time per arena. */

struct px_arena;

/* NULL when memory is out. */
struct px_arena *px_arena_create(void);

/* n bytes, zeroed, aligned for any object; NULL when memory is out. */
void *px_arena_alloc(struct px_arena *arena, size_t n);

/* A copy of the string; NULL when memory is out. */
char *px_arena_strdup(struct px_arena *arena, const char *text);

/* Gives one piece back early. Takes NULL. */
void px_arena_free(struct px_arena *arena, void *mem);

/* Gives all of it back. Takes NULL. */
void px_arena_destroy(struct px_arena *arena);

/* True when jemalloc serves it. */
bool px_arena_native(const struct px_arena *arena);

#endif
