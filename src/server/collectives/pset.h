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

struct px_pset {
    struct px_list link;
    char *name;
    pmix_proc_t *members;
    size_t n;
};

/* NULL when there is none. Loop thread. */
struct px_pset *px_pset_find(struct px_server *s, const char *name);

void px_psets_drop_all(struct px_server *s);

int px_pset_define(struct px_server *s, void *args);
int px_pset_delete(struct px_server *s, void *args);

#endif
