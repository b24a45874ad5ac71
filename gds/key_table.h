/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_KEY_TABLE_H
#define PX_GDS_KEY_TABLE_H

#include <string.h>

#include "gds/format.h"
#include "shmem/table.h"
#include "src/base/hash.h"

/* Key strings, stored once per segment. A key's identity is the locator of its struct px_key. */

/* The key, or NULL: not there, or damage (view->damaged). `table` is the header's `keys`. */
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

/* The key at a locator, its name known to be inside and NUL-terminated; NULL when damaged. */
const struct px_key *px_key_at(struct px_view *view, uint64_t loc);

/* Writes a key that is not there yet and files it. len below 2^16. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
int px_key_add(struct px_table_edit *edit, const char *name, size_t len, uint64_t hash,
               uint16_t realm, uint16_t derived, uint64_t *ret_loc);

/* For px_table_edit_init; arg is the segment's base. */
uint64_t px_key_hash_of(const void *arg, uint64_t loc);

#endif
