/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_NODES_H
#define PX_GDS_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "store.h"

struct px_node;
struct px_placement;
struct px_rank_map;
struct px_read;
struct px_store;

struct px_node_view {
    const char *name; /* borrowed */
    uint32_t nodeid;
    uint32_t n_ranks; /* placed there */
};

/* The visible placement, or NULL. */
const struct px_placement *px_read_placement(struct px_read *read);

/* On which node and in which application a rank runs. */
uint32_t px_placed(struct px_read *read, const struct px_rank_map *map, uint32_t n_ranks,
                   uint32_t rank);

/* A node of a visible placement (or NULL), or NULL. */
const struct px_node *px_placement_node(struct px_read *read, const struct px_placement *place,
                                        uint32_t index);

/* Its name as a cell that holds a string, or NULL. */
const char *px_text_at(struct px_read *read, uint64_t cell, size_t *ret_len);
uint32_t px_placement_by_name(struct px_read *read, const struct px_placement *place,
                              const char *name);
uint32_t px_placement_by_id(struct px_read *read, const struct px_placement *place,
                            uint32_t nodeid);

uint32_t px_store_local_node(const struct px_store *store); /* or PX_NO_NODE */
int px_store_node(const struct px_store *store, uint32_t index, struct px_node_view *ret);
uint32_t px_store_node_by_name(const struct px_store *store,
                               const char *name); /* name or alias; or PX_NO_NODE */
uint32_t px_store_node_by_id(const struct px_store *store, uint32_t nodeid);
uint32_t px_store_node_of(const struct px_store *store, uint32_t rank);
uint32_t px_store_app_of(const struct px_store *store, uint32_t rank);

/* Ranks placed on a node, ascending, at most `room`; returns how many there are. */
uint32_t px_store_node_ranks(const struct px_store *store, uint32_t index, uint32_t *ret_ranks,
                             uint32_t room);

/* i-th alias of a node (borrowed), or NULL. */
const char *px_store_node_alias(const struct px_store *store, uint32_t index, uint32_t i);

#endif
