/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_INVENTORY_H
#define PX_SERVER_INVENTORY_H

/* The inventory that PMIx_server_deliver_inventory delivered. Loop thread. */

#include "src/server/state.h"

struct px_server;

/* Appends to *info the value that is kept under the key for the node that the query's qualifiers
 * name; without qualifiers, this node. 0, PMIX_ERR_NOT_FOUND or PMIX_ERR_NOMEM. */
int px_inventory_answer(struct px_server *s, const pmix_query_t *query, const char *key,
                        pmix_info_t **info, size_t *ninfo);

/* Frees the inventory when the server stops. */
void px_inventory_drop_all(struct px_server *s);

/* PMIx_server_deliver_inventory; args: struct px_infos_args. The infos are copied. 0,
 * PMIX_ERR_BAD_PARAM (a node array that is none, or names no node) or PMIX_ERR_NOMEM; nodes before
 * the refused one stay. */
int px_inventory_deliver(struct px_server *s, void *args);

#endif
