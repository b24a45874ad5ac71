/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PSET_H
#define PX_SERVER_PSET_H

#include "src/server/priv.h"

struct px_pset {
    struct px_list link;
    char *name;
    pmix_proc_t *members;
    size_t n;
};

/* NULL when there is none. Loop thread. */
struct px_pset *px_pset_find(struct px_server *s, const char *name);

#endif
