/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONFIGURE_H
#define PX_SERVER_CONFIGURE_H

/* Settings of a server, read once when it starts. */

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* Sets name, host name, directories, modes of authentication, topology and tool support of a server
 * from the environment and the directives of PMIx_server_init. The strings are copied, except for
 * rendezvous_opts, which borrows from info. On failure the server can only be destroyed. 0,
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_SUPPORTED (a topology of another hwloc), PMIX_ERR_NOMEM. */
int px_server_configure(struct px_server *s, const pmix_info_t *info, size_t ninfo);

#endif
