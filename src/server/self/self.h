/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_H
#define PX_SERVER_SELF_H

/* Data of the server process about itself, for its own gets: name, node, addresses. Published
 * once, in a store of the server's own (s->self_store), and read like any other store. Loop thread.
 */

#include "src/server/state.h"

struct px_lookup_key;
struct px_slice;

/* Creates and fills s->self_store; called when the listeners are open, since it holds their
 * addresses. 0, PMIX_ERR_NOMEM or another status of the store; px_self_fini has to follow in any
 * case. */
int px_self_publish(struct px_server *s);
/* Destroys s->self_store. Called by the server's end, also if px_self_publish failed. */
void px_self_fini(struct px_server *s);

/* True if a get of `proc` means this process or its namespace: with its rank, without a valid rank
 * (PMIX_RANK_UNDEF, PMIX_RANK_INVALID), or with PMIX_RANK_WILDCARD. */
bool px_self_is(const struct px_server *s, const pmix_proc_t *proc);

/* Finds the value under spec->key of this process, or (PMIX_RANK_WILDCARD) of its namespace: the
 * name of the namespace, the node, the version. PMIX_ERR_NOT_FOUND also if the lookup names
 * another realm than the process's, a node or qualifiers. The slice borrows from s->self_store and
 * lives as long as the server. */
int px_self_find(const struct px_server *s, const struct px_lookup_key *spec, struct px_slice *ret);

#endif
