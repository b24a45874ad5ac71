/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_START_H
#define PX_SERVER_SERVER_START_H

#include <pmix_server.h>

#include "src/context/role.h"

struct px_ctx;
struct px_server;

/* What the server process itself may call. */
extern const struct px_role_ops px_server_ops;

/* The server role: starts it on a context whose loop and parameters are ready. The module may be
 * NULL and is read only as far as its caller's generation reaches (docs/decisions). Under
 * ctx->lock. */
pmix_status_t px_server_start(struct px_ctx *ctx, const pmix_server_module_t *module,
                              const pmix_info_t *info, size_t ninfo);
void px_server_stop(struct px_ctx *ctx);

#endif
