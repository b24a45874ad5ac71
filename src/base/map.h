/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_MAP_H
#define PX_BASE_MAP_H

#include <stddef.h>

/* Hash map in process memory from byte strings to pointers. Keys are copied; values are borrowed
 * and never NULL. Not thread-safe: the owner of a map documents the thread or lock that guards it.
 * A zeroed struct is an empty map. The slot of a key depends on a secret of the process
 * (src/base/seed.h), so keys may come from peers. A large map grows little by little: an addition
 * costs no more than a few others. */
struct px_map_slot;

/* Embedded in its owner, who ends it with px_map_fini. */
struct px_map {
    struct px_map_slot *slots;
    size_t cap;   /* a power of two, or 0 */
    size_t used;  /* live entries */
    size_t taken; /* live entries and tombstones */
    struct px_map_slot
        *old; /* NULL, or a smaller table, whose first n_moved slots are empty by now */
    size_t old_cap;
    size_t n_moved;
};

/* The value of the key, or NULL. */
void *px_map_find(const struct px_map *map, const void *key, size_t len);

/* Adds the key, or replaces its value. 0 or PX_ERR_NOMEM (the map is unchanged). */
int px_map_set(struct px_map *map, const void *key, size_t len, void *value);

/* Removes the key and returns its value; NULL: the map does not have it. */
void *px_map_remove(struct px_map *map, const void *key, size_t len);

/* Calls fn for every entry, in no particular order; fn must not change the map. Stops at the first
 * result of fn that is not 0, and returns it; else 0. */
int px_map_each(const struct px_map *map,
                int (*fn)(void *arg, const void *key, size_t len, void *value), void *arg);

/* Frees the map, not the values. */
void px_map_fini(struct px_map *map);

#endif
