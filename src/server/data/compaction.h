/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMPACTION_H
#define PX_SERVER_COMPACTION_H

/* The compaction of the stores of namespaces: px_store_compact, a piece of one store in each turn
 * of the loop, so that nobody waits for all of it. Loop thread. */

#include <stdbool.h>

struct px_nspace;
struct px_server;

/* To be called after something was published in the namespace's store, when nothing borrowed from
 * it is in use. If there is enough garbage the first piece is copied at once; the others follow by
 * themselves. */
void px_nspace_compact(struct px_server *s, struct px_nspace *ns);

/* True between two pieces. */
bool px_nspace_is_moving(const struct px_nspace *ns);

/* The namespace is going to be freed: no piece follows. */
void px_nspace_compact_no_more(struct px_server *s, struct px_nspace *ns);

#endif
