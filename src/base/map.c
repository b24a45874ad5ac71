/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Open addressing with linear probing. At least a quarter of the slots have neither entry nor
 * tombstone, so every probe ends; the table is rebuilt without tombstones before that changes. When
 * a large table is full, the entries stay in it, and each addition moves some of them to the new
 * one; both are searched meanwhile. Keys come from peers: a hash under a secret key of the process
 * (seed.h) keeps them from choosing keys that collide. */

#include "src/base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/assert.h"
#include "src/base/seed.h"
#include "src/base/status.h"

enum { FIRST_CAP = 16 };

/* Keys that are not longer lie in their slot: most are numbers. */
enum { SHORT_KEY = 8 };

/* Empty: zeros. Tombstone: value is NULL, size is not 0. Live: size is 1 + the key's length. */
struct px_map_slot {
    union {
        void *key; /* malloc'd, of a long key */
        unsigned char bytes[SHORT_KEY];
    };
    size_t size;
    void *value;
    uint64_t hash;
};

static bool is_live(const struct px_map_slot *slot)
{
    return slot->value != NULL;
}

static bool is_empty(const struct px_map_slot *slot)
{
    return slot->size == 0;
}

static size_t len_of(const struct px_map_slot *slot)
{
    px_assert(is_live(slot));
    return slot->size - 1;
}

static const void *key_of(const struct px_map_slot *slot)
{
    return len_of(slot) > SHORT_KEY ? slot->key : slot->bytes;
}

/* Frees the key of a live slot. */
static void free_key(struct px_map_slot *slot)
{
    if (len_of(slot) > SHORT_KEY) {
        free(slot->key);
    }
}

/* The live slot of a key with that hash in a table, or NULL. */
static struct px_map_slot *find_in(struct px_map_slot *slots, size_t cap, uint64_t hash,
                                   const void *key, size_t len)
{
    size_t i;

    for (i = hash & (cap - 1); !is_empty(&slots[i]); i = (i + 1) & (cap - 1)) {
        struct px_map_slot *slot = &slots[i];

        if (is_live(slot) && slot->hash == hash && len_of(slot) == len &&
            (len == 0 || memcmp(key_of(slot), key, len) == 0)) {
            return slot;
        }
    }
    return NULL;
}

/* The live slot of a key with that hash, or NULL. */
static struct px_map_slot *find_slot(const struct px_map *map, uint64_t hash, const void *key,
                                     size_t len)
{
    struct px_map_slot *slot = map->cap > 0 ? find_in(map->slots, map->cap, hash, key, len) : NULL;

    return slot == NULL && map->old != NULL ? find_in(map->old, map->old_cap, hash, key, len)
                                            : slot;
}

void *px_map_find(const struct px_map *map, const void *key, size_t len)
{
    struct px_map_slot *slot =
        map->used > 0 ? find_slot(map, px_seeded_hash(key, len), key, len) : NULL;

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

/* A table of so many slots is emptied little by little, so many with each addition: it is empty
 * before the new one is full. */
enum { LARGE = 8192, AT_ONCE = 16 };

/* Moves the live entries of so many slots of the old table to the new one, which has counted them
 * as taken, and frees the old one when it is empty. */
static void move(struct px_map *map, size_t n_slots)
{
    for (; n_slots > 0 && map->n_moved < map->old_cap; n_slots--) {
        struct px_map_slot *slot = &map->old[map->n_moved++];

        if (is_live(slot)) {
            *free_slot(map->slots, map->cap, slot->hash) = *slot;
            slot->value = NULL; /* those behind it are found across it */
        }
    }
    if (map->n_moved == map->old_cap) {
        free(map->old);
        map->old = NULL;
        map->old_cap = 0;
        map->n_moved = 0;
    }
}

/* Begins to move the live entries to a new table of `cap` slots. PX_ERR_NOMEM: the map is
 * unchanged. */
static int rebuild(struct px_map *map, size_t cap)
{
    struct px_map_slot *slots = calloc(cap, sizeof(*slots));

    if (slots == NULL) {
        return PX_ERR_NOMEM;
    }
    move(map, map->old_cap);
    px_assert(map->old == NULL);
    map->old = map->slots;
    map->old_cap = map->cap;
    map->slots = slots;
    map->cap = cap;
    map->taken = map->used;
    move(map, map->old_cap < LARGE ? map->old_cap : AT_ONCE);
    return PX_OK;
}

/* Makes sure that one more entry leaves a quarter of the slots empty. A new table will be at most
 * half full. */
static int make_room(struct px_map *map)
{
    size_t cap = map->cap == 0 ? FIRST_CAP : map->cap;

    px_assert(map->used <= map->taken && map->taken <= map->cap);
    move(map, AT_ONCE);
    if ((map->taken + 1) * 4 <= map->cap * 3) {
        return PX_OK;
    }
    while ((map->used + 1) * 2 > cap) {
        cap *= 2;
    }
    return rebuild(map, cap);
}

int px_map_set(struct px_map *map, const void *key, size_t len, void *value)
{
    uint64_t hash = px_seeded_hash(key, len);
    struct px_map_slot *slot = find_slot(map, hash, key, len);
    struct px_map_slot made = {.size = len + 1, .value = value, .hash = hash};

    if (slot != NULL) {
        slot->value = value;
        return PX_OK;
    }
    if (len > SHORT_KEY) {
        made.key = malloc(len);
        if (made.key == NULL) {
            return PX_ERR_NOMEM;
        }
    }
    if (make_room(map) != PX_OK) {
        free_key(&made);
        return PX_ERR_NOMEM;
    }
    if (len > 0) {
        memcpy(len > SHORT_KEY ? made.key : made.bytes, key, len);
    }
    slot = free_slot(map->slots, map->cap, hash);
    map->taken += is_empty(slot) ? 1 : 0;
    map->used++;
    *slot = made;
    return PX_OK;
}

void *px_map_remove(struct px_map *map, const void *key, size_t len)
{
    struct px_map_slot *slot = find_slot(map, px_seeded_hash(key, len), key, len);
    void *value;

    if (slot == NULL) {
        return NULL;
    }
    value = slot->value;
    free_key(slot);
    slot->value = NULL;
    map->used--;
    return value;
}

int px_map_each(const struct px_map *map,
                int (*fn)(void *arg, const void *key, size_t len, void *value), void *arg)
{
    for (size_t i = 0; i < map->cap + map->old_cap; i++) {
        const struct px_map_slot *slot = i < map->cap ? &map->slots[i] : &map->old[i - map->cap];
        int rc = is_live(slot) ? fn(arg, key_of(slot), len_of(slot), slot->value) : 0;

        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

/* Frees a table and its keys. */
static void free_table(struct px_map_slot *slots, size_t cap)
{
    for (size_t i = 0; i < cap; i++) {
        if (is_live(&slots[i])) {
            free_key(&slots[i]);
        }
    }
    free(slots);
}

void px_map_fini(struct px_map *map)
{
    free_table(map->slots, map->cap);
    free_table(map->old, map->old_cap);
    memset(map, 0, sizeof(*map));
}
