/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Open addressing with linear probing. At least a quarter of the slots have neither entry nor
 * tombstone, so every probe ends; the table is rebuilt without tombstones before that changes. Keys
 * come from peers: a hash under a secret key of the process (seed.h) keeps them from choosing keys
 * that collide. */

#include "src/base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/seed.h"
#include "src/base/status.h"

enum { FIRST_CAP = 16 };

/* Empty: key is NULL. Tombstone: value is NULL, and key is any address, never dereferenced. Live:
 * key is malloc'd. */
struct px_map_slot {
    void *key;
    size_t len;
    void *value;
    uint64_t hash;
};

static bool is_live(const struct px_map_slot *slot)
{
    return slot->value != NULL;
}

/* The live slot of a key with that hash, or NULL. */
static struct px_map_slot *find_slot(const struct px_map *map, uint64_t hash, const void *key,
                                     size_t len)
{
    size_t i;

    if (map->cap == 0) {
        return NULL;
    }
    for (i = hash & (map->cap - 1); map->slots[i].key != NULL; i = (i + 1) & (map->cap - 1)) {
        struct px_map_slot *slot = &map->slots[i];

        if (is_live(slot) && slot->hash == hash && slot->len == len &&
            (len == 0 || memcmp(slot->key, key, len) == 0)) {
            return slot;
        }
    }
    return NULL;
}

void *px_map_find(const struct px_map *map, const void *key, size_t len)
{
    struct px_map_slot *slot = find_slot(map, px_seeded_hash(key, len), key, len);

    return slot == NULL ? NULL : slot->value;
}

/* The first slot without a live entry on the probe sequence of a hash: empty, or a tombstone to be
 * reused. The table must have one. */
static struct px_map_slot *free_slot(struct px_map_slot *slots, size_t cap, uint64_t hash)
{
    size_t i = hash & (cap - 1);

    px_assert(cap > 0 && (cap & (cap - 1)) == 0);
    while (is_live(&slots[i])) {
        i = (i + 1) & (cap - 1);
    }
    return &slots[i];
}

/* Moves the live entries to a new table of `cap` slots. PX_ERR_NOMEM: the map is unchanged. */
static int rebuild(struct px_map *map, size_t cap)
{
    struct px_map_slot *slots = calloc(cap, sizeof(*slots));

    if (slots == NULL) {
        return PX_ERR_NOMEM;
    }
    for (size_t i = 0; i < map->cap; i++) {
        if (is_live(&map->slots[i])) {
            *free_slot(slots, cap, map->slots[i].hash) = map->slots[i];
        }
    }
    free(map->slots);
    map->slots = slots;
    map->cap = cap;
    map->taken = map->used;
    return PX_OK;
}

/* Makes sure that one more entry leaves a quarter of the slots empty. A rebuilt table is at most
 * half full. */
static int make_room(struct px_map *map)
{
    size_t cap = map->cap == 0 ? FIRST_CAP : map->cap;

    px_assert(map->used <= map->taken && map->taken <= map->cap);
    if ((map->taken + 1) * 4 <= map->cap * 3) {
        return PX_OK;
    }
    while ((map->used + 1) * 2 > cap) {
        cap *= 2;
    }
    return rebuild(map, cap);
}

/* The copy of the key has one byte more than the key, so that an empty key is not malloc(0). */
int px_map_set(struct px_map *map, const void *key, size_t len, void *value)
{
    uint64_t hash = px_seeded_hash(key, len);
    struct px_map_slot *slot = find_slot(map, hash, key, len);
    void *copy;

    if (slot != NULL) {
        slot->value = value;
        return PX_OK;
    }
    copy = malloc(len + 1);
    if (copy == NULL) {
        return PX_ERR_NOMEM;
    }
    if (make_room(map) != PX_OK) {
        free(copy);
        return PX_ERR_NOMEM;
    }
    if (len > 0) {
        memcpy(copy, key, len);
    }
    slot = free_slot(map->slots, map->cap, hash);
    map->taken += slot->key == NULL ? 1 : 0;
    map->used++;
    *slot = (struct px_map_slot){.key = copy, .len = len, .value = value, .hash = hash};
    return PX_OK;
}

/* The map's own address marks the slot as a tombstone. */
void *px_map_remove(struct px_map *map, const void *key, size_t len)
{
    struct px_map_slot *slot = find_slot(map, px_seeded_hash(key, len), key, len);
    void *value;

    if (slot == NULL) {
        return NULL;
    }
    value = slot->value;
    free(slot->key);
    slot->key = map;
    slot->value = NULL;
    map->used--;
    return value;
}

int px_map_each(const struct px_map *map,
                int (*fn)(void *arg, const void *key, size_t len, void *value), void *arg)
{
    for (size_t i = 0; i < map->cap; i++) {
        const struct px_map_slot *slot = &map->slots[i];
        int rc = is_live(slot) ? fn(arg, slot->key, slot->len, slot->value) : 0;

        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

void px_map_fini(struct px_map *map)
{
    for (size_t i = 0; i < map->cap; i++) {
        if (is_live(&map->slots[i])) {
            free(map->slots[i].key);
        }
    }
    free(map->slots);
    memset(map, 0, sizeof(*map));
}
