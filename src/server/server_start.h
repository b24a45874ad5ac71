/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_START_H
#define PX_SERVER_SERVER_START_H

/* Start and stop of the server role. */

#include <pmix_server.h>

#include "src/context/role.h"

struct px_ctx;
struct px_server;

/* The calls of the interface that the server's own process may make. */
extern const struct px_role_ops px_server_ops;

/* Starts the server role on a context whose loop and parameters are ready. The host's module may be
 * NULL and is read only as far as its caller's generation reaches (docs/decisions). Directives are
 * borrowed for the call. Under ctx->lock. 0, a status of px_server_configure, of opening the
 * listeners or of px_rendezvous_write; then the context has no role. */
pmix_status_t px_server_start(struct px_ctx *ctx, const pmix_server_module_t *module,
                              const pmix_info_t *info, size_t ninfo);

/* Stops the role and frees the server: answers or drops all requests, closes connections, removes
 * rendezvous files. In a forked child only the role is removed. No effect without a server. Under
 * ctx->lock. */
void px_server_stop(struct px_ctx *ctx);

#endif
