/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_TOOL_H
#define PX_CLIENT_TOOL_H

#include <pmix_tool.h>

struct px_ctx;

/* The tool role on a context whose loop and parameters are ready. Under ctx->lock. PMIX_SUCCESS
 * also without a server where the directives allow that; other results leave nothing behind. */
pmix_status_t px_tool_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);
/* Says goodbye to all servers and frees the role; the context is down already. Under ctx->lock. */
pmix_status_t px_tool_stop(struct px_ctx *ctx);

/* Any thread but the loop's. */
pmix_status_t px_tool_attach(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                             pmix_proc_t *ret_server);
pmix_status_t px_tool_detach(struct px_ctx *ctx, const pmix_proc_t *server);
pmix_status_t px_tool_servers(struct px_ctx *ctx, pmix_proc_t **ret, size_t *ret_n);
pmix_status_t px_tool_choose(struct px_ctx *ctx, const pmix_proc_t *server);
bool px_tool_connected(struct px_ctx *ctx);

#endif
