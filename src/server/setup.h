/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SETUP_H
#define PX_SERVER_SETUP_H

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* What the exported calls ask for: args points to the structure that goes before, borrowed until
 * the function has run. Loop thread. */

struct px_fork_args {
    const pmix_proc_t *proc;
    char ***env;
};

int px_local_support(struct px_server *s, void *args);

int px_setup_fork(struct px_server *s, void *args);

/* PMIx_server_setup_application: what the host should ship with the application; the array is the
 * caller's. */
int px_setup_application(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret, size_t *ret_n);

#endif
