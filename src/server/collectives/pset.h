/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PSET_H
#define PX_SERVER_PSET_H

#include "src/server/state.h"

struct px_server;

/* What the exported calls ask for: args points to the structure that goes before, borrowed until
 * the function has run. Loop thread. */

struct px_pset_args {
    const char *name;
    const pmix_proc_t *members;
    size_t n;
};

int px_pset_define(struct px_server *s, void *args);
int px_pset_delete(struct px_server *s, void *args);

/* A namespace is not found any more: groups that nobody has taken apart, and sets that nobody has
 * disconnected, go with the last namespace of their members. */
void px_proc_sets_nspace_removed(struct px_server *s);

#endif
