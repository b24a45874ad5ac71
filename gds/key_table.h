/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_KEY_TABLE_H
#define PX_GDS_KEY_TABLE_H

/* Key names, stored once per segment and filed in the key table by their hash. A key is identified
 * by the locator of its struct px_key. */

#include <string.h>

#include "gds/format.h"
#include "shmem/table.h"
#include "src/base/hash.h"

/* Finds a key by name in the table at `table` (the header's `keys`; 0: no table yet). NULL: not
 * there, or damaged (view->damaged is set). The result's name is inside the view. Any thread. */
static inline const struct px_key *px_key_find(struct px_view *view, uint64_t table,
                                               const char *name, size_t len, uint64_t hash)
{
    struct px_probe probe;
    uint64_t loc;

    if (table == 0) {
        return NULL;
    }
    px_probe_start(view, table, hash, &probe);
    for (loc = px_probe_next(&probe); loc; loc = px_probe_next(&probe)) {
        const struct px_key *key = (const struct px_key *) px_at(view, loc, sizeof(*key));

        if (!key) {
            return NULL;
        }
        if (key->hash == hash && key->len == len) {
            if (!px_at(view, loc, sizeof(*key) + len + 1)) {
                return NULL;
            }
            if (memcmp(key->name, name, len) == 0) {
                return key;
            }
        }
    }
    return NULL;
}

/* The key at a locator, with its name checked to be inside and NUL-terminated. NULL: damaged,
 * view->damaged is set. Any thread. */
const struct px_key *px_key_at(struct px_view *view, uint64_t loc);

/* Writes a key that is not there yet and files it; *ret_loc is its locator. len is from 1 to 2^16 -
 * 1. Writer's thread. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_key_add(struct px_table_edit *edit, const char *name, size_t len, uint64_t hash,
               uint16_t realm, uint16_t derived, uint64_t *ret_loc);

/* The hash under which a key is filed, for px_table_edit_init; `arg` is the segment's base. */
uint64_t px_key_hash_of(const void *arg, uint64_t loc);

#endif
