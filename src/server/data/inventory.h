/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_INVENTORY_H
#define PX_SERVER_INVENTORY_H

#include "src/server/state.h"

struct px_server;

/* What PMIx_server_deliver_inventory brought. Loop thread. */

/* Appends what is kept under the key for the node that the qualifiers name, by name or number;
 * this one when they name none. PMIX_ERR_NOT_FOUND or PMIX_ERR_NOMEM. */
int px_inventory_answer(struct px_server *s, const pmix_query_t *query, const char *key,
                        pmix_info_t **info, size_t *ninfo);

void px_inventory_drop_all(struct px_server *s);

int px_inventory_deliver(struct px_server *s, void *args);

#endif
