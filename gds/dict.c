/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A column's dictionary. Cells enter in two ways and share one numbering: new values are compared
 * by content, cells of an older version by locator. A value that enters in both ways has two cells,
 * which costs space and nothing else. */

#include "gds/dict.h"

#include <stdlib.h>
#include <string.h>

#include "shmem/bump.h"
#include "src/base/assert.h"
#include "src/base/hash.h"

/* Number of values after which the dictionary decides whether comparing pays. */
enum { TRIAL = 4096 };

/* Doubles the arrays, or stops comparing if fewer than one value in eight was equal to one before.
 * The index is rebuilt from the hashes. PMIX_ERR_NOMEM: the dictionary is still sound. */
static int grow(struct px_dict *dict)
{
    uint32_t cap = dict->cap ? dict->cap * 2 : 16;
    uint64_t *locs = realloc(dict->locs, cap * sizeof(*locs));
    uint64_t *hashes;
    uint32_t *slots;
    uint32_t i;

    if (!locs) {
        return PMIX_ERR_NOMEM;
    }
    dict->locs = locs;
    /* Without comparing, neither hashes nor slots are needed any more. */
    if (dict->apart || (dict->n >= TRIAL && dict->n_equal < dict->n / 8)) {
        dict->apart = true;
        dict->cap = cap;
        return 0;
    }
    hashes = realloc(dict->hashes, cap * sizeof(*hashes));
    if (!hashes) {
        return PMIX_ERR_NOMEM;
    }
    dict->hashes = hashes;
    slots = calloc((size_t) cap * 2, sizeof(*slots));
    if (!slots) {
        return PMIX_ERR_NOMEM;
    }
    free(dict->slots);
    dict->slots = slots;
    dict->n_slots = cap * 2;
    dict->cap = cap;
    for (i = 0; i < dict->n; i++) {
        uint32_t at = (uint32_t) dict->hashes[i] & (dict->n_slots - 1);

        while (slots[at]) {
            at = (at + 1) & (dict->n_slots - 1);
        }
        slots[at] = i + 1;
    }
    return 0;
}

/* True if the cell at `loc`, which this process wrote, holds this payload under this scope. The
 * form is compared with its flags, so a hidden cell equals only a hidden one. */
static bool same_cell(const struct px_dict *dict, uint64_t loc, const struct px_payload *payload,
                      pmix_scope_t scope)
{
    const struct px_cell *cell =
        (const struct px_cell *) (const void *) (dict->bump->seg->base + (loc << 3));

    return cell->len == px_payload_len(payload) && cell->type == payload->type &&
           cell->scope == scope && cell->form == payload->form &&
           (payload->head_len == 0 ||
            memcmp(cell->payload, payload->head, payload->head_len) == 0) &&
           (payload->body_len == 0 ||
            memcmp(cell->payload + payload->head_len, payload->body, payload->body_len) == 0);
}

/* Enters a cell as the next number; there is room for it. While the dictionary compares, also files
 * it under its hash; the slots are at most half full. */
static void add_cell(struct px_dict *dict, uint64_t hash, uint64_t loc, uint32_t *ret)
{
    uint32_t at = (uint32_t) hash & (dict->n_slots - 1);

    px_assert(dict->n < dict->cap);
    if (dict->apart) {
        dict->locs[dict->n] = loc;
        *ret = dict->n++;
        return;
    }
    while (dict->slots[at]) {
        at = (at + 1) & (dict->n_slots - 1);
    }
    dict->locs[dict->n] = loc;
    dict->hashes[dict->n] = hash;
    *ret = dict->n++;
    dict->slots[at] = *ret + 1;
}

/* The payload is hashed only while the dictionary still compares. Equal hashes are settled by the
 * bytes, so a collision costs a comparison and nothing else. */
int px_dict_payload(struct px_dict *dict, const struct px_payload *payload, pmix_scope_t scope,
                    uint32_t *ret)
{
    uint64_t hash = 0;
    uint64_t loc;
    uint32_t at;
    int rc = dict->n == dict->cap ? grow(dict) : 0;

    if (rc) {
        return rc;
    }
    /* The cell is hashed with its scope: equal values of different scopes are different cells. */
    if (!dict->apart) {
        hash = px_payload_hash(payload, scope);
    }
    for (at = (uint32_t) hash & (dict->n_slots - 1); !dict->apart && dict->slots[at];
         at = (at + 1) & (dict->n_slots - 1)) {
        uint32_t i = dict->slots[at] - 1;

        if (dict->hashes[i] == hash && same_cell(dict, dict->locs[i], payload, scope)) {
            dict->n_equal++;
            *ret = i;
            return 0;
        }
    }
    rc = px_payload_cell(payload, scope, dict->bump, &loc);
    if (rc == 0) {
        add_cell(dict, hash, loc, ret);
    }
    return rc;
}

/* Locators are hashed by themselves, so an equal new value does not find the cell; comparing
 * contents would cost a read of every old cell. */
int px_dict_cell(struct px_dict *dict, uint64_t loc, uint32_t *ret)
{
    uint64_t hash = px_hash_mix(loc, 0);
    uint32_t at;
    int rc = dict->n == dict->cap ? grow(dict) : 0;

    if (rc) {
        return rc;
    }
    for (at = (uint32_t) hash & (dict->n_slots - 1); !dict->apart && dict->slots[at];
         at = (at + 1) & (dict->n_slots - 1)) {
        uint32_t i = dict->slots[at] - 1;

        if (dict->locs[i] == loc) {
            *ret = i;
            return 0;
        }
    }
    add_cell(dict, hash, loc, ret);
    return 0;
}

/* Takes one that is empty, too. */
void px_dict_fini(struct px_dict *dict)
{
    free(dict->locs);
    free(dict->hashes);
    free(dict->slots);
}
