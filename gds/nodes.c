/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Reading the placement: nodes by index, name, alias or number, ranks to nodes and back. A
 * placement is one immutable object, replaced by each publication that changes it, so answers from
 * one pass agree with each other. Any thread; every locator is checked, and damage is a status or
 * "none". */

#include "nodes.h"

#include "gds/read.h"

#include <string.h>

/* Only the head is checked to be inside; what it leads to is checked where it is used. */
const struct px_placement *px_read_placement(struct px_read *read)
{
    /* pairs with publish_all */
    uint64_t loc = px_load_acquire(&px_store_header(read->store)->place);

    return loc ? (const struct px_placement *) px_visible(read, loc, sizeof(struct px_placement))
               : NULL;
}

/* A damaged map answers "none" or any number; the caller compares an index with the number of
 * nodes. An unknown kind, which a newer writer may use, answers "none". */
uint32_t px_placed(struct px_read *read, const struct px_rank_map *map, uint32_t n_ranks,
                   uint32_t rank)
{
    const uint32_t *array;

    if (rank >= n_ranks) {
        return PX_NO_INDEX;
    }
    switch (map->kind) {
    case PX_MAP_CONST:
        return map->k;
    case PX_MAP_BLOCK:
        return map->k ? rank / map->k : PX_NO_INDEX;
    case PX_MAP_CYCLIC:
        return map->k ? rank % map->k : PX_NO_INDEX;
    case PX_MAP_ARRAY:
        array = px_at(&read->view, map->data, (uint64_t) n_ranks * 4);
        return array ? array[rank] : PX_NO_INDEX;
    default:
        return PX_NO_INDEX;
    }
}

/* The whole array is checked, so a damaged count cannot lead outside. An index beyond the nodes is
 * no damage. */
const struct px_node *px_placement_node(struct px_read *read, const struct px_placement *place,
                                        uint32_t index)
{
    const struct px_node *nodes;

    if (!place || index >= place->n_nodes) {
        return NULL;
    }
    nodes = px_at(&read->view, place->nodes, (uint64_t) place->n_nodes * sizeof(*nodes));
    return nodes ? &nodes[index] : NULL;
}

/* The NUL is checked, so the result is a C string inside the segment. */
/* The string in a TEXT cell, with its length; NULL, with view.damaged set, if there is none. */
static const char *text_at(struct px_read *read, uint64_t cell, size_t *ret_len)
{
    const struct px_cell *at = px_at(&read->view, cell, sizeof(*at));
    uint64_t len = at ? at->len : 0;

    if (len == 0 || at->form != PX_FORM_TEXT || !px_at(&read->view, cell, sizeof(*at) + len) ||
        at->payload[len - 1] != '\0') {
        read->view.damaged = true;
        return NULL;
    }
    *ret_len = len - 1;
    return (const char *) at->payload;
}

/* True if the text in a cell is `name`, of len bytes. A damaged cell sets view.damaged and is no
 * text. */
static bool text_is(struct px_read *read, uint64_t cell, const char *name, size_t len)
{
    size_t text_len;
    const char *text = text_at(read, cell, &text_len);

    return text && text_len == len && px_same_bytes(text, name, len);
}

/* The list of aliases at a locator: a count and that many locators of cells. NULL: no list, or
 * damaged (view.damaged is set). */
static const uint64_t *aliases_at(struct px_read *read, uint64_t loc)
{
    const uint64_t *list = loc ? px_at(&read->view, loc, 8) : NULL;

    if (list && (list[0] > PX_SHM_MAX_SLOTS || !px_at(&read->view, loc, 8 + list[0] * 8))) {
        read->view.damaged = true;
        return NULL;
    }
    return list;
}

/* True if the node has this name or alias. Stops at the first match; a damaged alias sets
 * view.damaged and counts as none. */
static bool node_is_named(struct px_read *read, const struct px_node *node, const char *name,
                          size_t len)
{
    const uint64_t *list;
    uint64_t i;

    if (text_is(read, node->name, name, len)) {
        return true;
    }
    list = aliases_at(read, node->aliases);
    for (i = 0; list && i < list[0]; i++) {
        if (text_is(read, list[1 + i], name, len)) {
            return true;
        }
    }
    return false;
}

/* The index of the node at a locator from one of the placement's tables. PX_NO_NODE, with
 * view.damaged set, if it is not one of the placement's nodes: a table must not lead into other
 * objects. */
static uint32_t index_of(struct px_read *read, const struct px_placement *place, uint64_t loc)
{
    uint64_t distance = loc - place->nodes;
    uint64_t index = distance / (sizeof(struct px_node) / 8);

    if (loc < place->nodes || distance % (sizeof(struct px_node) / 8) || index >= place->n_nodes) {
        read->view.damaged = true;
        return PX_NO_NODE;
    }
    return (uint32_t) index;
}

/* The table holds names and aliases alike; equal tags are settled by comparing the names. A locator
 * that leads to no node of this placement ends the search. */
uint32_t px_placement_by_name(struct px_read *read, const struct px_placement *place,
                              const char *name)
{
    size_t len = strlen(name);
    struct px_probe probe;
    uint64_t loc;

    if (place->names == 0) {
        return PX_NO_NODE;
    }
    px_probe_start(&read->view, place->names, px_hash_bytes(name, len), &probe);
    for (loc = px_probe_next(&probe); loc; loc = px_probe_next(&probe)) {
        uint32_t index = index_of(read, place, loc);
        const struct px_node *node = px_placement_node(read, place, index);

        if (!node || read->view.damaged) {
            break;
        }
        if (node_is_named(read, node, name, len)) {
            return index;
        }
    }
    return PX_NO_NODE;
}

/* The first node with the number counts. */
uint32_t px_placement_by_id(struct px_read *read, const struct px_placement *place, uint32_t nodeid)
{
    struct px_probe probe;
    uint64_t loc;

    if (place->ids == 0) {
        return PX_NO_NODE;
    }
    px_probe_start(&read->view, place->ids, px_hash_mix(nodeid, 0), &probe);
    for (loc = px_probe_next(&probe); loc; loc = px_probe_next(&probe)) {
        uint32_t index = index_of(read, place, loc);
        const struct px_node *node = px_placement_node(read, place, index);

        if (!node || node->nodeid == nodeid) {
            return node ? index : PX_NO_NODE;
        }
    }
    return PX_NO_NODE;
}

/* Starts a pass over a store and returns the visible placement, NULL if there is none. */
static const struct px_placement *begin(const struct px_store *store, struct px_read *ret)
{
    px_read_begin(store, ret);
    px_assert(ret->view.limit <= store->seg.size);
    return px_read_placement(ret);
}

/* An index beyond the nodes means that none was given, or damage. */
uint32_t px_store_local_node(const struct px_store *store)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);

    return place && place->local_node < place->n_nodes ? place->local_node : PX_NO_NODE;
}

/* The name is borrowed from the segment, where nothing changes it. */
int px_store_node(const struct px_store *store, uint32_t index, struct px_node_view *ret)
{
    struct px_read read;
    const struct px_node *node = px_placement_node(&read, begin(store, &read), index);
    const char *name;
    size_t len;

    if (!node) {
        return px_read_miss(&read);
    }
    name = text_at(&read, node->name, &len);
    if (!name) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret = (struct px_node_view){.name = name, .nodeid = node->nodeid, .n_ranks = node->count};
    return 0;
}

/* A hostile name costs a bounded probe. */
uint32_t px_store_node_by_name(const struct px_store *store, const char *name)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);

    return place ? px_placement_by_name(&read, place, name) : PX_NO_NODE;
}

/* The host's number of a node, not its index. */
uint32_t px_store_node_by_id(const struct px_store *store, uint32_t nodeid)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);

    return place ? px_placement_by_id(&read, place, nodeid) : PX_NO_NODE;
}

/* The index is compared with the number of nodes, because a damaged map may hold any number. */
uint32_t px_store_node_of(const struct px_store *store, uint32_t rank)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);
    uint32_t index = place ? px_placed(&read, &place->node_of, place->n_ranks, rank) : PX_NO_NODE;

    return place && index < place->n_nodes ? index : PX_NO_NODE;
}

/* Applications have no objects in a placement, so any number is an answer. */
uint32_t px_store_app_of(const struct px_store *store, uint32_t rank)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);

    return place ? px_placed(&read, &place->app_of, place->n_ranks, rank) : PX_NO_APP;
}

/* The ranks are either computed (first + i * stride) or listed in csr, which is checked as far as
 * this node's part of it reaches. */
uint32_t px_store_node_ranks(const struct px_store *store, uint32_t index, uint32_t *ret_ranks,
                             uint32_t room)
{
    struct px_read read;
    const struct px_placement *place = begin(store, &read);
    const struct px_node *node = px_placement_node(&read, place, index);
    const uint32_t *csr = NULL;
    uint32_t i;

    /* A damaged count would make the caller allocate or loop without bound. */
    if (!node || node->count > place->n_ranks) {
        return 0;
    }
    if (node->stride == 0 && node->count) {
        csr = px_at(&read.view, place->csr, ((uint64_t) node->first + node->count) * 4);
        if (!csr) {
            return 0;
        }
    }
    for (i = 0; i < node->count && i < room; i++) {
        ret_ranks[i] = csr ? csr[node->first + i] : node->first + i * node->stride;
    }
    return node->count;
}

/* The i-th entry of the list; there is no order among aliases but that of arrival. */
const char *px_store_node_alias(const struct px_store *store, uint32_t index, uint32_t i)
{
    struct px_read read;
    const struct px_node *node = px_placement_node(&read, begin(store, &read), index);
    const uint64_t *list = node ? aliases_at(&read, node->aliases) : NULL;
    size_t len;

    return list && i < list[0] ? text_at(&read, list[1 + i], &len) : NULL;
}
