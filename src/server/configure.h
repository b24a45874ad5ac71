/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_CONFIGURE_H
#define PX_SERVER_CONFIGURE_H

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* Sets a new server up as the environment and the directives of PMIx_server_init have it. 0,
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
int px_server_configure(struct px_server *s, const pmix_info_t *info, size_t ninfo);

#endif
