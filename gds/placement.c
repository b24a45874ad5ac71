/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Writing the placement. It changes seldom and is read often, so a change writes a whole new one;
 * names that were written before are referred to. Regular layouts (blocks, round robin) take no
 * memory per rank in either direction. Writer's thread; what was taken from the segment is given
 * back by the caller's rollback after a failure. */

#include "placement.h"

#include <stdlib.h>
#include <string.h>

#include "gds/writer.h"
#include "src/base/array.h"
#include "src/base/assert.h"
#include "garbage.h"
#include "nodes.h"

/* Bounds the memory for maps: beyond FREE_WIDTH ranks, a placement whose highest rank is more than
 * MAX_SPREAD times the number of ranks placed is refused. */
enum { FREE_WIDTH = 1 << 22, MAX_SPREAD = 64 };

/* The new placement in the making, on the stack of px_writer_placement, which frees the arrays.
 * `nodes`, `node_of` and `app_of` start as copies of the old placement's. */
struct draft {
    struct px_writer *writer;
    const struct px_placement *old; /* or NULL */
    struct px_placement place;
    struct px_node *nodes;
    uint32_t *node_of; /* n_ranks */
    uint32_t *app_of;  /* n_ranks */
    uint32_t *csr;
    uint32_t n_csr;
    uint64_t *hashes; /* for the tables of names and numbers */
    uint64_t *locs;
    size_t n_hashes;
    size_t cap_hashes;
    size_t cap_locs;
};

/* Writes a string as a TEXT cell without scope; *ret_loc is its locator. PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int write_text(struct px_writer *writer, const char *text, uint64_t *ret_loc)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) (uintptr_t) text};
    struct px_payload payload;
    int rc = px_payload_encode(&value, &payload);

    if (rc == 0) {
        rc = px_payload_cell(&payload, PMIX_SCOPE_UNDEF, writer->bump, ret_loc);
        px_payload_fini(&payload);
    }
    return rc;
}

/* The string in a cell that this writer or one before it wrote: trusted, and valid while the
 * segment is mapped. */
static const char *text_of(const struct draft *d, uint64_t loc)
{
    const struct px_cell *cell = px_writer_at(d->writer, loc);

    return (const char *) cell->payload;
}

/* The node's list of aliases (count, locators), or NULL. */
static const uint64_t *aliases_of(const struct draft *d, const struct px_node *node)
{
    return node->aliases ? px_writer_at(d->writer, node->aliases) : NULL;
}

/* True if the node has this name or alias. */
static bool named(const struct draft *d, const struct px_node *node, const char *name)
{
    const uint64_t *list = aliases_of(d, node);
    uint64_t i;

    if (strcmp(text_of(d, node->name), name) == 0) {
        return true;
    }
    for (i = 0; list && i < list[0]; i++) {
        if (strcmp(text_of(d, list[1 + i]), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends those names to a node's aliases that it does not have; the list is then written anew, and
 * the old one stays for readers of the old placement. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int add_aliases(struct draft *d, struct px_node *node, const char *name,
                       const char *const *aliases)
{
    const uint64_t *list = aliases_of(d, node);
    uint64_t n_old = list ? list[0] : 0;
    uint64_t n_max = n_old + 1;
    uint64_t *fresh;
    size_t i;
    int rc = 0;

    for (i = 0; aliases && aliases[i]; i++) {
        n_max++;
    }
    fresh = malloc((1 + n_max) * sizeof(*fresh));
    if (!fresh) {
        return PMIX_ERR_NOMEM;
    }
    fresh[0] = n_old;
    if (list) {
        memcpy(fresh + 1, list + 1, n_old * sizeof(*fresh));
    }
    /* The defining name differs from the node's: it was found by an alias. */
    if (!named(d, node, name)) {
        rc = write_text(d->writer, name, &fresh[1 + fresh[0]]);
        fresh[0]++;
    }
    for (i = 0; rc == 0 && aliases && aliases[i]; i++) {
        if (!named(d, node, aliases[i])) {
            rc = write_text(d->writer, aliases[i], &fresh[1 + fresh[0]]);
            fresh[0]++;
        }
    }
    if (rc == 0 && fresh[0] > n_old) {
        rc = px_bump_copy(d->writer->bump, fresh, (1 + fresh[0]) * sizeof(*fresh), &node->aliases);
    }
    free(fresh);
    return rc;
}

/* Applies one definition. A new node gets its index as its number unless the definition gives one;
 * a known node keeps its name, and another name becomes an alias. PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE. */
static int apply_def(struct draft *d, const struct px_batch_node_def *def)
{
    struct px_node *node = &d->nodes[def->index];
    int rc = 0;

    px_assert(def->index < d->place.n_nodes);
    if (node->name == 0) {
        rc = write_text(d->writer, def->def.name, &node->name);
        node->nodeid = def->index;
    }
    if (def->def.nodeid != PX_NO_NODEID) {
        node->nodeid = def->def.nodeid;
    }
    return rc ? rc : add_aliases(d, node, def->def.name, def->def.aliases);
}

/* Copies the old nodes, so that indices stay, and applies the batch's definitions.
 * PMIX_ERR_BAD_PARAM: another batch has added nodes since this one looked, or an index is out of
 * range. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int draft_nodes(struct draft *d)
{
    const struct px_batch *batch = d->writer->batch;
    uint32_t n_old = d->old ? d->old->n_nodes : 0;
    size_t i;
    int rc = 0;

    if (batch->n_new_nodes && batch->base_nodes != n_old) {
        return PMIX_ERR_BAD_PARAM; /* another batch has added nodes meanwhile: indices would be
                                      wrong */
    }
    d->place.n_nodes = n_old + batch->n_new_nodes;
    if (d->place.n_nodes == 0) {
        return 0;
    }
    d->nodes = calloc(d->place.n_nodes, sizeof(*d->nodes));
    if (!d->nodes) {
        return PMIX_ERR_NOMEM;
    }
    if (n_old) {
        memcpy(d->nodes, px_writer_at(d->writer, d->old->nodes), n_old * sizeof(*d->nodes));
    }
    for (i = 0; rc == 0 && i < batch->n_defs; i++) {
        rc = batch->defs[i].index < d->place.n_nodes ? apply_def(d, &batch->defs[i])
                                                     : PMIX_ERR_BAD_PARAM;
    }
    return rc;
}

/* Expands the old maps to one number per rank and applies the batch's placements, in which "not
 * given" keeps what was known. PMIX_ERR_NOMEM; PMIX_ERR_BAD_PARAM: a node that does not exist, or
 * ranks too far apart. */
static int draft_ranks(struct draft *d)
{
    const struct px_batch *batch = d->writer->batch;
    uint32_t n_old = d->old ? d->old->n_ranks : 0;
    uint32_t n = n_old;
    uint32_t rank;
    size_t i;

    for (i = 0; i < batch->n_places; i++) {
        n = batch->places[i].rank >= n ? batch->places[i].rank + 1 : n;
        if (batch->places[i].node != PX_NO_NODE && batch->places[i].node >= d->place.n_nodes) {
            return PMIX_ERR_BAD_PARAM;
        }
    }
    /* One rank far beyond the others would cost memory for all ranks below it. */
    if (n > FREE_WIDTH && n / MAX_SPREAD > batch->n_places + n_old) {
        return PMIX_ERR_BAD_PARAM;
    }
    d->place.n_ranks = n;
    d->node_of = malloc((size_t) n * 4 + 4);
    d->app_of = malloc((size_t) n * 4 + 4);
    if (!d->node_of || !d->app_of) {
        return PMIX_ERR_NOMEM;
    }
    /* The state before; ranks that it does not cover are on no node. */
    for (rank = 0; rank < n; rank++) {
        d->node_of[rank] =
            d->old ? px_placed(&d->writer->read, &d->old->node_of, n_old, rank) : PX_NO_NODE;
        d->app_of[rank] =
            d->old ? px_placed(&d->writer->read, &d->old->app_of, n_old, rank) : PX_NO_APP;
    }
    for (i = 0; i < batch->n_places; i++) {
        const struct px_batch_placement *at = &batch->places[i];

        d->node_of[at->rank] = at->node != PX_NO_NODE ? at->node : d->node_of[at->rank];
        d->app_of[at->rank] = at->app != PX_NO_APP ? at->app : d->app_of[at->rank];
    }
    return 0;
}

/* The map without memory per rank that fits all of `to` (no number, one number, rank / k, rank %
 * k), or the kind ARRAY, for which the caller writes the data. */
static struct px_rank_map regular(const uint32_t *to, uint32_t n)
{
    struct px_rank_map map = {.kind = PX_MAP_ARRAY};
    uint32_t run = 1;
    uint32_t period = 1;
    bool block;
    bool cyclic;
    uint32_t i;

    if (n == 0) {
        map.kind = PX_MAP_NONE;
        return map;
    }
    /* The length of the first run is the only possible block size. */
    while (run < n && to[run] == to[0]) {
        run++;
    }
    if (run == n) {
        map.kind = to[0] == PX_NO_INDEX ? PX_MAP_NONE : PX_MAP_CONST;
        map.k = to[0];
        return map;
    }
    /* The distance to the next rank on the same node is the only possible period. */
    while (period < n && to[period] != to[0]) {
        period++;
    }
    block = cyclic = true;
    for (i = 0; i < n && (block || cyclic); i++) {
        block = block && to[i] == i / run;
        cyclic = cyclic && to[i] == i % period;
    }
    if (block || cyclic) {
        map.kind = block ? PX_MAP_BLOCK : PX_MAP_CYCLIC;
        map.k = block ? run : period;
    }
    return map;
}

/* Chooses the map's kind and writes its array if it needs one. PMIX_ERR_OUT_OF_RESOURCE. */
static int write_map(struct draft *d, const uint32_t *to, struct px_rank_map *map)
{
    *map = regular(to, d->place.n_ranks);
    if (map->kind != PX_MAP_ARRAY) {
        return 0;
    }
    return px_bump_copy(d->writer->bump, to, (uint64_t) d->place.n_ranks * 4, &map->data);
}

/* For each node: its ranks as first + i * stride if they are evenly spaced, else listed in csr. One
 * pass finds the strides, a second one fills the lists; `last` is first the previous rank of each
 * node, then where its next one is listed. */
static int draft_lists(struct draft *d)
{
    uint32_t n = d->place.n_ranks;
    uint32_t *last = calloc((size_t) d->place.n_nodes + 1, sizeof(*last));
    uint32_t rank;
    uint32_t i;

    d->csr = malloc((size_t) n * 4 + 4);
    if (!d->csr || !last) {
        free(last);
        return PMIX_ERR_NOMEM;
    }
    for (i = 0; i < d->place.n_nodes; i++) {
        d->nodes[i].count = d->nodes[i].first = 0;
        d->nodes[i].stride = 1;
    }
    /* The first two ranks of a node give its stride; a later one that does not fit sets it to 0. */
    for (rank = 0; rank < n; rank++) {
        struct px_node *node =
            d->node_of[rank] < d->place.n_nodes ? &d->nodes[d->node_of[rank]] : NULL;

        if (!node) {
            continue;
        }
        if (node->count == 0) {
            node->first = rank;
        } else if (node->count == 1) {
            node->stride = rank - node->first;
        } else if (node->stride && rank - last[d->node_of[rank]] != node->stride) {
            node->stride = 0;
        }
        last[d->node_of[rank]] = rank;
        node->count++;
    }
    for (i = 0; i < d->place.n_nodes; i++) {
        /* Unevenly spaced ranks: reserve a range of csr for them. */
        if (d->nodes[i].stride == 0) {
            d->nodes[i].first = last[i] = d->n_csr;
            d->n_csr += d->nodes[i].count;
        }
    }
    /* Ranks are entered in ascending order, so each list is sorted. */
    for (rank = 0; d->n_csr && rank < n; rank++) {
        i = d->node_of[rank];
        if (i < d->place.n_nodes && d->nodes[i].stride == 0) {
            px_assert(last[i] < d->n_csr);
            d->csr[last[i]++] = rank;
        }
    }
    free(last);
    return 0;
}

/* Notes an object for the next call of px_table_build. Several names may lead to one node.
 * PMIX_ERR_NOMEM. */
static int add_hash(struct draft *d, uint64_t hash, uint64_t loc)
{
    int rc = px_array_room(&d->hashes, d->n_hashes, &d->cap_hashes, sizeof(*d->hashes));

    if (rc == 0) {
        rc = px_array_room(&d->locs, d->n_hashes, &d->cap_locs, sizeof(*d->locs));
    }
    if (rc == 0) {
        d->hashes[d->n_hashes] = hash;
        d->locs[d->n_hashes++] = loc;
    }
    return rc;
}

/* Files a node at `loc` under the name in a cell. */
static int add_name(struct draft *d, uint64_t cell, uint64_t loc)
{
    const char *text = text_of(d, cell);

    return add_hash(d, px_hash_bytes(text, strlen(text)), loc);
}

/* Writes the tables of nodes by name and alias, and by number. Both lead to the node objects, which
 * are in the segment by then. PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
static int write_indices(struct draft *d)
{
    uint32_t i;
    uint64_t k;
    int rc = 0;

    for (i = 0; rc == 0 && i < d->place.n_nodes; i++) {
        uint64_t loc = d->place.nodes + i * (sizeof(struct px_node) / 8);
        const uint64_t *list = aliases_of(d, &d->nodes[i]);

        rc = add_name(d, d->nodes[i].name, loc);
        for (k = 0; rc == 0 && list && k < list[0]; k++) {
            rc = add_name(d, list[1 + k], loc);
        }
    }
    if (rc == 0) {
        rc = px_table_build(d->writer->bump, d->hashes, d->locs, d->n_hashes, &d->place.names);
    }
    /* The same arrays serve for the second table. */
    d->n_hashes = 0;
    for (i = 0; rc == 0 && i < d->place.n_nodes; i++) {
        rc = add_hash(d, px_hash_mix(d->nodes[i].nodeid, 0),
                      d->place.nodes + i * (sizeof(struct px_node) / 8));
    }
    return rc ? rc
              : px_table_build(d->writer->bump, d->hashes, d->locs, d->n_hashes, &d->place.ids);
}

/* Writes everything that the placement object refers to: maps, csr, nodes and the tables that find
 * them. */
static int write_all(struct draft *d)
{
    struct px_bump *bump = d->writer->bump;
    int rc = write_map(d, d->node_of, &d->place.node_of);

    if (rc == 0) {
        rc = write_map(d, d->app_of, &d->place.app_of);
    }
    if (rc == 0 && d->n_csr) {
        d->place.n_csr = d->n_csr;
        rc = px_bump_copy(bump, d->csr, (uint64_t) d->n_csr * 4, &d->place.csr);
    }
    if (rc == 0 && d->place.n_nodes) {
        px_assert(d->nodes[d->place.n_nodes - 1].name != 0);
        rc = px_bump_copy(bump, d->nodes, d->place.n_nodes * sizeof(*d->nodes), &d->place.nodes);
        rc = rc ? rc : write_indices(d);
    }
    return rc;
}

/* Sets n_apps to the highest application number + 1; ranks whose application is not known do not
 * count. */
static void count_apps(struct draft *d)
{
    uint32_t rank;

    for (rank = 0; rank < d->place.n_ranks; rank++) {
        uint32_t app = d->app_of[rank];

        if (app != PX_NO_APP && app >= d->place.n_apps) {
            d->place.n_apps = app + 1;
        }
    }
}

/* True if the batch sets at most the readers' own node: the new placement then refers to all parts
 * of the old one. */
static bool only_local(const struct px_batch *batch)
{
    return batch->n_defs == 0 && batch->n_places == 0;
}

/* Fills d->place but for version and local node, and writes what it refers to. The old placement
 * counts as garbage unless the new one refers to all of its parts. */
static int draft_all(struct draft *d)
{
    int rc;

    if (d->old && only_local(d->writer->batch)) {
        d->place = *d->old;
        return 0;
    }
    if (d->old) {
        px_writer_count_garbage_placement(d->writer, d->old);
    }
    rc = draft_nodes(d);
    if (rc == 0) {
        rc = draft_ranks(d);
    }
    if (rc == 0) {
        rc = draft_lists(d);
    }
    if (rc == 0) {
        count_apps(d);
        rc = write_all(d);
    }
    return rc;
}

/* Sets the rest and writes the object; publish_all stores the word that leads to it.
 * PMIX_ERR_BAD_PARAM: the readers' own node does not exist. */
static int placement_finish(struct draft *d)
{
    struct px_writer *writer = d->writer;
    const struct px_batch *batch = writer->batch;

    d->place.local_node = d->old ? d->old->local_node : PX_NO_INDEX;
    if (batch->local_set) {
        if (batch->local_node >= d->place.n_nodes) {
            return PMIX_ERR_BAD_PARAM;
        }
        d->place.local_node = batch->local_node;
    }
    /* Indices of nodes never change, so nodes are never removed. */
    px_assert(!d->old || d->old->version.seq < writer->seq);
    px_assert(!d->old || d->place.n_nodes >= d->old->n_nodes);
    d->place.version =
        (struct px_version){.seq = writer->seq, .prev = px_store_header(writer->store)->place};
    writer->n_ranks = d->place.n_ranks > writer->n_ranks ? d->place.n_ranks : writer->n_ranks;
    writer->n_apps = d->place.n_apps > writer->n_apps ? d->place.n_apps : writer->n_apps;
    writer->changed = true;
    return px_bump_copy(writer->bump, &d->place, sizeof(d->place), &writer->place);
}

/* A batch that changes nothing about the placement writes none. Everything in the draft is process
 * memory and is freed here, whatever happened. */
int px_writer_placement(struct px_writer *writer)
{
    const struct px_batch *batch = writer->batch;
    struct draft d = {.writer = writer, .old = px_read_placement(&writer->read)};
    int rc;

    if (only_local(batch) &&
        (!batch->local_set || (d.old && d.old->local_node == batch->local_node))) {
        return 0;
    }
    rc = draft_all(&d);
    if (rc == 0) {
        rc = placement_finish(&d);
    }
    free(d.nodes);
    free(d.node_of);
    free(d.app_of);
    free(d.csr);
    free(d.hashes);
    free(d.locs);
    return rc;
}
