/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_START_H
#define PX_SERVER_SERVER_START_H

#include "src/context/role.h"

/* What the server process itself may call. */
extern const struct px_role_ops px_server_ops;

struct px_server;

/* Sets a new server up as the environment and the directives of PMIx_server_init have it. 0,
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
int px_server_configure(struct px_server *s, const pmix_info_t *info, size_t ninfo);

#endif
