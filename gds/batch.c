/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Batches: values, nodes and placements, collected for one publication. Nothing here touches a
 * segment; the store is read only for the nodes that it already has. Process-level values are filed
 * by key as they arrive, so publication need not sort millions of entries. */

#include "gds/batch.h"

#include <stdlib.h>
#include <string.h>

#include "gds/lookup.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "src/base/hash.h"
#include "nodes.h"

/* Longest probe for a key. Few keys collide by chance, but any number can be made to, and each
 * would be compared with all before it. */
enum { MOST_PROBES = 1024 };

/* All members are 0: an index is made when the first item arrives. Not calloc, which in glibc does
 * not reuse what this thread has just freed, as it has after each commit. */
struct px_batch *px_batch_create(void)
{
    struct px_batch *batch = malloc(sizeof(*batch));

    if (batch) {
        *batch = (struct px_batch){0};
    }
    return batch;
}

/* Names and values are borrowed; only the arrays are freed. */
void px_batch_destroy(struct px_batch *batch)
{
    size_t i;

    if (!batch) {
        return;
    }
    for (i = 0; i < batch->n_keys; i++) {
        free(batch->keys[i].procs);
    }
    free(batch->keys);
    free(batch->by_hash);
    free(batch->others);
    free(batch->defs);
    free(batch->by_name);
    free(batch->names);
    free(batch->places);
    free(batch);
}

/* Doubles an index of 1 + positions of n items; `hash_at` gives the hash of the item at a position.
 * The items themselves stay where they are. PMIX_ERR_NOMEM: the index is as before. */
static int grow_index(uint32_t **index, size_t *n_slots, size_t n, const void *items,
                      uint64_t (*hash_at)(const void *items, size_t i))
{
    size_t want = *n_slots ? *n_slots * 2 : 16;
    uint32_t *slots = calloc(want, sizeof(*slots));
    size_t i;

    px_assert((want & (want - 1)) == 0 && n * 2 <= want);
    if (!slots) {
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < n; i++) {
        size_t at = (size_t) hash_at(items, i) & (want - 1);

        while (slots[at]) {
            at = (at + 1) & (want - 1);
        }
        slots[at] = (uint32_t) i + 1;
    }
    free(*index);
    *index = slots;
    *n_slots = want;
    return 0;
}

/* For grow_index: the hash of a key of the batch. */
static uint64_t key_hash_at(const void *items, size_t i)
{
    return ((const struct px_batch_key *) items)[i].hash;
}

/* For grow_index: the hash of a node's name. */
static uint64_t name_hash_at(const void *items, size_t i)
{
    return ((const struct px_batch_name *) items)[i].hash;
}

/* The slot of a key in the index, which has slots: where the key is, or the empty one where it
 * would be. NULL: too many others are in the way. */
static uint32_t *slot_of(const struct px_batch *batch, const char *name, size_t len, uint64_t hash)
{
    size_t at = (size_t) hash & (batch->n_slots - 1);

    for (unsigned probes = 0; probes <= MOST_PROBES; probes++) {
        uint32_t *slot = &batch->by_hash[at];
        const struct px_batch_key *key = *slot ? &batch->keys[*slot - 1] : NULL;

        if (!key || (key->hash == hash && key->len == len && memcmp(key->name, name, len) == 0)) {
            return slot;
        }
        at = (at + 1) & (batch->n_slots - 1);
    }
    return NULL;
}

/* Finds or adds a key by its text; *ret is its position in `keys`. PMIX_ERR_BAD_PARAM (empty or too
 * long), PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE (too many collisions). */
static int intern_text(struct px_batch *batch, const char *name, uint32_t *ret)
{
    size_t len = strnlen(name, PMIX_MAX_KEYLEN + 1);
    uint32_t *slot;
    uint64_t hash;
    int rc;

    if (len == 0 || len > PMIX_MAX_KEYLEN) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (batch->n_keys * 2 >= batch->n_slots) {
        rc = grow_index(&batch->by_hash, &batch->n_slots, batch->n_keys, batch->keys, key_hash_at);
        if (rc) {
            return rc;
        }
    }
    hash = px_hash_bytes(name, len);
    slot = slot_of(batch, name, len, hash);
    if (!slot) {
        return PMIX_ERR_OUT_OF_RESOURCE;
    }
    if (*slot) {
        *ret = *slot - 1;
        return 0;
    }
    rc = px_array_room(&batch->keys, batch->n_keys, &batch->cap_keys, sizeof(*batch->keys));
    if (rc) {
        return rc;
    }
    batch->keys[batch->n_keys] =
        (struct px_batch_key){.name = name, .len = (uint32_t) len, .hash = hash};
    *ret = (uint32_t) batch->n_keys++;
    *slot = *ret + 1;
    return 0;
}

/* As intern_text, but it first compares the key found last time for this pointer: callers name the
 * same few keys for every rank, mostly by the same literal. */
static int intern(struct px_batch *batch, const char *name, uint32_t *ret)
{
    uint32_t *recent =
        &batch->recent[((uintptr_t) name >> 4 ^ (uintptr_t) name >> 10) % PX_BATCH_RECENT];
    int rc;

    /* The cached position is a guess: text is compared, and an entry never used is 0, a valid
     * position. */
    if (name[0] && *recent < batch->n_keys && strcmp(batch->keys[*recent].name, name) == 0) {
        *ret = *recent;
        return 0;
    }
    rc = intern_text(batch, name, ret);
    if (rc == 0) {
        *recent = *ret;
    }
    return rc;
}

/* A reader must find the key before it looks at the placement. */
int px_batch_derived(struct px_batch *batch)
{
    uint32_t unused;
    size_t i;
    int rc = 0;

    for (i = 1; rc == 0 && i < PX_N_DERIVED && !batch->placed; i++) {
        rc = intern(batch, px_derived_names[i], &unused);
    }
    batch->placed = batch->placed || rc == 0;
    return rc;
}

/* A guess only: a key with more values grows like any other array. */
void px_batch_expect(struct px_batch *batch, size_t n_ranks)
{
    batch->expected = n_ranks;
}

/* The number stays valid while the batch lives; adding keys does not move them. */
int px_batch_key(struct px_batch *batch, const char *key, uint32_t *ret)
{
    return intern(batch, key, ret);
}

/* Makes room for one more value of a key. The second growth goes to one value for each expected
 * rank at once: a key that more than a few ranks have, nearly all have. */
static int grow_procs(const struct px_batch *batch, struct px_batch_key *key)
{
    struct px_datum *procs;

    /* The first growth is small, and so is every one beyond the expected number. */
    if (key->cap_procs == 0 || key->cap_procs >= batch->expected ||
        batch->expected > SIZE_MAX / sizeof(*procs)) {
        return px_array_room(&key->procs, key->n_procs, &key->cap_procs, sizeof(*key->procs));
    }
    procs = realloc(key->procs, batch->expected * sizeof(*procs));
    if (!procs) {
        return PMIX_ERR_NOMEM;
    }
    key->procs = procs;
    key->cap_procs = batch->expected;
    return 0;
}

bool px_batch_has_proc(const struct px_batch *batch, const char *key)
{
    size_t len = strlen(key);
    const uint32_t *slot =
        batch->n_slots ? slot_of(batch, key, len, px_hash_bytes(key, len)) : NULL;

    return slot && *slot && batch->keys[*slot - 1].n_procs > 0;
}

/* No sorting and no check for duplicates here: px_writer_procs does both. The common case is one
 * comparison and one store of 16 bytes. */
int px_batch_add_proc(struct px_batch *batch, uint32_t key, uint32_t rank, pmix_scope_t scope,
                      const pmix_value_t *value)
{
    struct px_batch_key *to;
    int rc;

    px_assert(key < batch->n_keys && rank <= PMIX_RANK_VALID);
    to = &batch->keys[key];
    px_assert(to->n_procs <= to->cap_procs);
    rc = to->n_procs == to->cap_procs ? grow_procs(batch, to) : 0;
    if (rc == 0) {
        to->procs[to->n_procs++] = px_datum_make(rank, scope, value);
    }
    return rc;
}

/* Appends a value of another level, or a qualified one; key is its number in the batch. All values
 * of the job level have index 0, whatever the entry says. PMIX_ERR_NOMEM. */
static int add_other(struct px_batch *batch, const struct px_store_entry *entry, uint32_t key)
{
    int rc =
        px_array_room(&batch->others, batch->n_others, &batch->cap_others, sizeof(*batch->others));

    if (rc == 0) {
        px_assert(key < batch->n_keys && batch->n_others < batch->cap_others);
        batch->others[batch->n_others++] = (struct px_batch_entry){
            .level = entry->level,
            .index = entry->level == PX_LEVEL_JOB ? 0 : entry->index,
            .key = key,
            .scope = entry->scope,
            .value = entry->value,
            .quals = entry->n_quals ? entry->quals : NULL,
            .n_quals = entry->quals ? entry->n_quals : 0,
        };
    }
    return rc;
}

/* Unqualified process-level values go to their key, all others to one list. */
int px_batch_add(struct px_batch *batch, const struct px_store_entry *entry)
{
    uint32_t key;
    int rc;

    if (!entry->key || (unsigned) entry->level > PX_LEVEL_PROC ||
        (entry->level == PX_LEVEL_PROC && entry->index > PMIX_RANK_VALID)) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = intern(batch, entry->key, &key);
    if (rc) {
        return rc;
    }
    if (entry->level == PX_LEVEL_PROC && (!entry->quals || entry->n_quals == 0)) {
        return px_batch_add_proc(batch, key, entry->index, entry->scope, entry->value);
    }
    return add_other(batch, entry, key);
}

/* --- nodes and placement --- */

/* The node that this batch knows under a name or alias, or PX_NO_NODE. The index is at most half
 * full, so each probe ends at an empty slot. */
static uint32_t name_find(const struct px_batch *batch, const char *name)
{
    uint64_t hash = px_hash_bytes(name, strlen(name));
    size_t at;

    if (batch->n_name_slots == 0) {
        return PX_NO_NODE;
    }
    for (at = (size_t) hash & (batch->n_name_slots - 1); batch->by_name[at];
         at = (at + 1) & (batch->n_name_slots - 1)) {
        const struct px_batch_name *found = &batch->names[batch->by_name[at] - 1];

        if (found->hash == hash && strcmp(found->name, name) == 0) {
            return found->node;
        }
    }
    return PX_NO_NODE;
}

/* Files a name for a node; the first node that has a name keeps it, so that a name means one node
 * only. The name is borrowed. PMIX_ERR_NOMEM. */
static int name_add(struct px_batch *batch, const char *name, uint32_t node)
{
    uint64_t hash = px_hash_bytes(name, strlen(name));
    size_t at;
    int rc;

    if (name_find(batch, name) != PX_NO_NODE) {
        return 0;
    }
    if (batch->n_names * 2 >= batch->n_name_slots) {
        rc = grow_index(&batch->by_name, &batch->n_name_slots, batch->n_names, batch->names,
                        name_hash_at);
        if (rc) {
            return rc;
        }
    }
    rc = px_array_room(&batch->names, batch->n_names, &batch->cap_names, sizeof(*batch->names));
    if (rc) {
        return rc;
    }
    px_assert(batch->n_names * 2 < batch->n_name_slots);
    batch->names[batch->n_names++] =
        (struct px_batch_name){.name = name, .hash = hash, .node = node};
    at = (size_t) hash & (batch->n_name_slots - 1);
    while (batch->by_name[at]) {
        at = (at + 1) & (batch->n_name_slots - 1);
    }
    batch->by_name[at] = (uint32_t) batch->n_names;
    return 0;
}

/* The node of a name in the batch or, failing that, in the store; or PX_NO_NODE. */
static uint32_t find_node_by_name(const struct px_batch *batch, const struct px_store *store,
                                  const char *name)
{
    uint32_t node = name_find(batch, name);

    return node == PX_NO_NODE ? px_store_node_by_name(store, name) : node;
}

/* The node that a definition means: the first match of its name, then of its aliases; or
 * PX_NO_NODE. A definition that matches several nodes thus means one of them. */
static uint32_t find_node(const struct px_batch *batch, const struct px_store *store,
                          const struct px_node_def *def)
{
    uint32_t node = find_node_by_name(batch, store, def->name);
    size_t i;

    for (i = 0; node == PX_NO_NODE && def->aliases && def->aliases[i]; i++) {
        node = find_node_by_name(batch, store, def->aliases[i]);
    }
    return node;
}

/* Records a definition for a node and files its names, so that later definitions in this batch find
 * it. PMIX_ERR_NOMEM: names may be filed whose definition is not recorded; the caller drops the
 * batch. */
static int note_def(struct px_batch *batch, const struct px_node_def *def, uint32_t node)
{
    size_t i;
    int rc = px_array_room(&batch->defs, batch->n_defs, &batch->cap_defs, sizeof(*batch->defs));

    if (rc == 0) {
        rc = name_add(batch, def->name, node);
    }
    for (i = 0; rc == 0 && def->aliases && def->aliases[i]; i++) {
        rc = name_add(batch, def->aliases[i], node);
    }
    if (rc == 0) {
        batch->defs[batch->n_defs++] = (struct px_batch_node_def){.index = node, .def = *def};
    }
    return rc;
}

/* Indices of new nodes count on from the store's at the first definition. Publishing refuses the
 * batch if the store has got other nodes since (draft_nodes). A definition that adds nothing to a
 * known node is dropped. */
int px_batch_node(struct px_batch *batch, const struct px_store *store,
                  const struct px_node_def *def, uint32_t *ret_index)
{
    struct px_store_info info;
    uint32_t node;
    int rc;

    if (!def->name || def->name[0] == '\0') {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = px_batch_derived(batch);
    if (rc) {
        return rc;
    }
    /* The first definition fixes the index of the first new node. */
    if (!batch->based) {
        px_store_info(store, &info);
        batch->base_nodes = info.n_nodes;
        batch->based = true;
    }
    node = find_node(batch, store, def);
    if (node == PX_NO_NODE) {
        px_assert(batch->based);
        node = batch->base_nodes + batch->n_new_nodes;
        rc = note_def(batch, def, node);
        if (rc) {
            return rc;
        }
        batch->n_new_nodes++;
    } else if ((def->aliases && def->aliases[0]) || def->nodeid != PX_NO_NODEID) {
        rc = note_def(batch, def, node);
        if (rc) {
            return rc;
        }
    }
    *ret_index = node;
    return 0;
}

/* A later placement of the same rank wins; draft_ranks applies them in order. */
int px_batch_place_rank(struct px_batch *batch, uint32_t rank, uint32_t node_index, uint32_t appnum)
{
    int rc;

    if (rank > PMIX_RANK_VALID) {
        return PMIX_ERR_BAD_PARAM;
    }
    rc = px_batch_derived(batch);
    if (rc == 0) {
        rc = px_array_room(&batch->places, batch->n_places, &batch->cap_places,
                           sizeof(*batch->places));
    }
    if (rc == 0) {
        batch->places[batch->n_places++] =
            (struct px_batch_placement){.rank = rank, .node = node_index, .app = appnum};
    }
    return rc;
}

/* The index is checked when the batch is published, against the nodes that there are then. */
int px_batch_local_node(struct px_batch *batch, uint32_t node_index)
{
    int rc = px_batch_derived(batch);

    if (rc == 0) {
        batch->local_set = true;
        batch->local_node = node_index;
    }
    return rc;
}
