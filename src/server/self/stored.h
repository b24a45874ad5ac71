/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_STORED_H
#define PX_SERVER_STORED_H

/* What the host stores for itself with PMIx_Store_internal: values of processes and jobs that gets
 * of this process find, and no peer. One store in process memory for each namespace, apart from
 * what clients read. Loop thread. */

#include <pmix.h>

struct px_server;
struct px_store;

/* Stores a copy of the value; a later one of the same key replaces it. PMIX_RANK_WILDCARD: of the
 * job. 0, PMIX_ERR_NOMEM or a status of the store (PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_UNKNOWN_DATA_TYPE). */
int px_stored_put(struct px_server *s, const pmix_proc_t *proc, const char *key,
                  const pmix_value_t *value);

/* The store of a namespace, or NULL: nothing was stored. It lives until px_stored_drop. Also in a
 * forked child. */
const struct px_store *px_stored_of(const struct px_server *s, const char *nspace);

/* Forgets a namespace. */
void px_stored_drop(struct px_server *s, const char *nspace);

/* Forgets all: the server's last stores. Returns when the memory of all stores is given back, so
 * that no thread of a release is left. */
void px_stored_fini(struct px_server *s);

#endif
