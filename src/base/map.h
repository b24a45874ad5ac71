/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_MAP_H
#define PX_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Hash map in process memory from bytes to a pointer. Keys are copied. Not thread-safe: its owner
 * says which thread or lock guards it. A zeroed struct is an empty map. Where a key falls depends
 * on a secret of the process (src/base/seed.h), so keys may come from peers. */
struct px_map_slot;

struct px_map {
    struct px_map_slot *slots;
    size_t cap;   /* a power of two, or 0 */
    size_t used;  /* live entries */
    size_t taken; /* live entries and tombstones */
};

/* The value, or NULL. */
void *px_map_find(const struct px_map *map, const void *key, size_t len);

/* Adds or replaces. 0 or PX_ERR_NOMEM (the map is as before). `value` is not NULL. */
int px_map_set(struct px_map *map, const void *key, size_t len, void *value);

/* Removes and returns the value, or NULL. */
void *px_map_remove(struct px_map *map, const void *key, size_t len);

/* Calls fn for every entry in no order; fn may not change the map. Stops and returns what fn
 * returned when that is not 0. */
int px_map_each(const struct px_map *map,
                int (*fn)(void *arg, const void *key, size_t len, void *value), void *arg);

/* Frees the map, not the values. */
void px_map_fini(struct px_map *map);

#endif
