/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_NODES_H
#define PX_GDS_NODES_H

/* Reading the placement of a store: its nodes, and on which node and in which application each rank
 * runs. Results borrow from the store. Any thread; where the store may be unmapped meanwhile,
 * inside a read-side critical section. */

#include <stddef.h>
#include <stdint.h>

#include "store.h"

struct px_node;
struct px_placement;
struct px_rank_map;
struct px_read;
struct px_store;

/* A node as px_store_node describes it. */
struct px_node_view {
    const char *name; /* borrowed */
    uint32_t nodeid;
    uint32_t n_ranks; /* placed there */
};

/* The placement that this pass may see, or NULL: none yet, or damaged (view.damaged). */
const struct px_placement *px_read_placement(struct px_read *read);

/* The node index or application number of a rank by one of the placement's maps, which cover
 * n_ranks ranks. PX_NO_INDEX: not known. In a damaged segment any number. */
uint32_t px_placed(struct px_read *read, const struct px_rank_map *map, uint32_t n_ranks,
                   uint32_t rank);

/* The node with an index in a visible placement, which may be NULL. NULL: there is no such node, or
 * it is damaged. */
const struct px_node *px_placement_node(struct px_read *read, const struct px_placement *place,
                                        uint32_t index);

/* The index of the node with this name or alias, or PX_NO_NODE: none, or damaged (view.damaged). */
uint32_t px_placement_by_name(struct px_read *read, const struct px_placement *place,
                              const char *name);
/* The index of the node with this number (PMIX_NODEID), or PX_NO_NODE. */
uint32_t px_placement_by_id(struct px_read *read, const struct px_placement *place,
                            uint32_t nodeid);

/* The same for callers that have only the store: each call is a pass of its own. px_store_node
 * returns 0, PMIX_ERR_NOT_FOUND or PMIX_ERR_UNPACK_FAILURE; the others return PX_NO_NODE or
 * PX_NO_APP if there is no answer, also in a damaged segment. */
uint32_t px_store_local_node(const struct px_store *store); /* or PX_NO_NODE */
int px_store_node(const struct px_store *store, uint32_t index, struct px_node_view *ret);
uint32_t px_store_node_by_name(const struct px_store *store,
                               const char *name); /* name or alias; or PX_NO_NODE */
uint32_t px_store_node_by_id(const struct px_store *store, uint32_t nodeid);
/* The index of the node on which a rank runs, or PX_NO_NODE. */
uint32_t px_store_node_of(const struct px_store *store, uint32_t rank);
/* The number of the application to which a rank belongs, or PX_NO_APP. */
uint32_t px_store_app_of(const struct px_store *store, uint32_t rank);

/* Stores the ranks placed on a node, ascending, at most `room` of them. Returns how many there are,
 * which may be more; 0: no such node, or damaged. */
uint32_t px_store_node_ranks(const struct px_store *store, uint32_t index, uint32_t *ret_ranks,
                             uint32_t room);

/* The i-th alias of a node, borrowed from the store; NULL: it has no more, or damaged. */
const char *px_store_node_alias(const struct px_store *store, uint32_t index, uint32_t i);

#endif
