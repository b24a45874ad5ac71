/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_H
#define PX_SERVER_SELF_H

#include "src/server/state.h"

struct px_lookup_key;
struct px_slice;

/* What the server process knows of itself, for gets of its own. Loop thread. */

/* Makes s->own, when the listeners are open. 0, PMIX_ERR_NOMEM or another error of the store. */
int px_self_publish(struct px_server *s);
void px_self_fini(struct px_server *s);

/* Does a get's process mean this one? A rank that is none does, too. */
bool px_self_is(const struct px_server *s, const pmix_proc_t *proc);

/* The value under ask->key of this process. 0 or PMIX_ERR_NOT_FOUND; the slice lives as long as the
 * server. */
int px_self_find(const struct px_server *s, const struct px_lookup_key *spec, struct px_slice *ret);

#endif
