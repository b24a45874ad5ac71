/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
/* A key carries the words that lead to its job-level value and its column, so that the commonest
 * reads end one load after the key is found. A key without values is invisible: it needs no
 * version. */

#include "shmem/intern.h"

#include "shmem/put.h"

const struct px_key *px_key_at(struct px_view *view, uint64_t loc)
{
    const struct px_key *key = (const struct px_key *) px_at(view, loc, sizeof *key);
    uint64_t len;

    if (!key) {
        return NULL;
    }
    len = key->len;
    if (!px_at(view, loc, sizeof *key + len + 1) || key->name[len] != '\0') {
        view->damaged = true;
        return NULL;
    }
    return key;
}

int px_key_add(struct px_table_edit *edit, const char *name, size_t len, uint64_t hash,
               uint16_t realm, uint16_t derived, uint64_t *ret_loc)
{
    struct px_key head = {
        .hash = hash, .len = (uint32_t) len, .realm = realm, .derived = derived};
    struct px_key *key;
    void *at;
    int rc = px_bump_take_zeroed(edit->bump, sizeof head + len + 1, &at);

    if (rc) {
        return rc;
    }
    key = at;
    px_put(key, &head, sizeof head);
    px_put(key->name, name, len);
    *ret_loc = px_bump_locator(edit->bump, key);
    return px_table_edit_add(edit, hash, *ret_loc);
}

uint64_t px_key_hash_of(const void *arg, uint64_t loc)
{
    const struct px_key *key =
        (const struct px_key *) (const void *) ((const unsigned char *) arg + (loc << 3));

    return key->hash;
}
