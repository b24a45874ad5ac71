/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_RESOLVE_H
#define PX_NSPACE_RESOLVE_H

#include "gds/store.h"

/* The library's own answers to PMIx_Resolve_peers and PMIx_Resolve_nodes from registered job
 * information. Used by a server whose host does not answer, and by a client that may or must answer
 * by itself. The caller chooses the stores: one for a named namespace, all it has for "every
 * namespace" (a NULL or empty name). Only reads; any thread. Results are malloc'd and the caller's;
 * they are set on PMIX_SUCCESS only. */

/* Processes on a node. node: name, alias, full or short name; NULL or "": the readers' own.
 * PMIX_SUCCESS (NULL and 0: no such node, or no processes on it), PMIX_ERR_INVALID_NAMESPACE (no
 * store), PMIX_ERR_DATA_VALUE_NOT_FOUND (the node exists, its peers were not given and cannot be
 * rebuilt), PMIX_ERR_UNPACK_FAILURE (the given list is malformed), PMIX_ERR_NOMEM. Of several
 * stores, one that fails does not hide the others; its error is the result only if none
 * succeeds. */
int px_resolve_peers(const struct px_store *const *stores, size_t n_stores, const char *node,
                     pmix_proc_t **ret_procs, size_t *ret_nprocs);

/* Comma-separated names of the nodes of the namespace, each once, in the order of its node map;
 * NULL: it has none. PMIX_SUCCESS, PMIX_ERR_INVALID_NAMESPACE (no store), PMIX_ERR_NOMEM. */
int px_resolve_nodes(const struct px_store *const *stores, size_t n_stores, char **ret_nodes);

#endif
