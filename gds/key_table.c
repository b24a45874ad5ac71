/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Keys in a segment. A key carries the words that lead to its job-level value and to its column, so
 * that the commonest reads end one load after the key is found. A key without values is invisible
 * to a get, so it needs no version. */

#include "gds/key_table.h"

#include "shmem/put.h"

/* The length is read once: in a damaged segment it could be changed between check and use. */
const struct px_key *px_key_at(struct px_view *view, uint64_t loc)
{
    const struct px_key *key = (const struct px_key *) px_at(view, loc, sizeof(*key));
    uint64_t len;

    if (!key) {
        return NULL;
    }
    len = key->len;
    if (!px_at(view, loc, sizeof(*key) + len + 1) || key->name[len] != '\0') {
        view->damaged = true;
        return NULL;
    }
    return key;
}

/* True for a locator that no key may have: the values of one key for indices in a row are filed by
 * the mix of index and locator, and a locator close to the factor of that mix would file them in
 * neighbouring slots (docs/segment-format.md, section 5). */
static bool crowds(uint64_t loc)
{
    /* Only the low bits decide about neighbouring slots. */
    enum { LOW = 4095, NEAR = 16 };

    return (((loc ^ PX_HASH_FACTOR) + NEAR) & LOW) < 2 * NEAR;
}

/* Takes unused words until the next locator is one that a key may have. At most 32 words. */
static int pass_crowded(struct px_bump *bump)
{
    void *at;
    int rc = 0;

    while (rc == 0 && crowds(bump->next >> 3)) {
        rc = px_bump_take_zeroed(bump, 8, &at);
    }
    return rc;
}

/* The words of the key are 0: no value is visible before they are published. */
int px_key_add(struct px_table_edit *edit, const char *name, size_t len, uint64_t hash,
               uint16_t realm, uint16_t derived, uint64_t *ret_loc)
{
    struct px_key head = {.hash = hash, .len = (uint32_t) len, .realm = realm, .derived = derived};
    struct px_key *key;
    void *at;
    int rc;

    px_assert(len > 0 && len < 1 << 16 && memchr(name, '\0', len) == NULL);
    px_assert(hash == px_hash_bytes(name, len));
    rc = pass_crowded(edit->bump);

    if (rc == 0) {
        rc = px_bump_take_zeroed(edit->bump, sizeof(head) + len + 1, &at);
    }
    if (rc) {
        return rc;
    }
    key = at;
    px_put(key, &head, sizeof(head));
    px_put(key->name, name, len);
    px_assert(key->name[len] == '\0');
    *ret_loc = px_bump_locator(edit->bump, key);
    return px_table_edit_add(edit, hash, *ret_loc);
}

/* The key is the writer's own and trusted. */
uint64_t px_key_hash_of(const void *arg, uint64_t loc)
{
    const struct px_key *key =
        (const struct px_key *) (const void *) ((const unsigned char *) arg + (loc << 3));

    return key->hash;
}
