/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_LAUNCHER_H
#define PX_API_LAUNCHER_H

/* Launchers: tools that were initialised with PMIX_LAUNCHER. Such a process has two halves, the
 * session of a tool (src/client) and a server (src/server), with one name, one loop and one set of
 * event handlers. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_common.h>

struct px_ctx;

/* False: a directive of PMIx_tool_init that is required is for the server of a launcher, and the
 * tool neither is a launcher nor becomes one by these directives. Under ctx->lock. */
bool px_launcher_met(const struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

/* Starts the server of a tool whose session is up, by the directives of PMIx_tool_init, if they say
 * that it is a launcher; else without effect. 0, or a status of px_server_start: the session is
 * left to the caller. Under ctx->lock, before the context is up. */
pmix_status_t px_launcher_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

#endif
