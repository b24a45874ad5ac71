/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_TOOL_H
#define PX_CLIENT_TOOL_H

/* The tool role: a client that finds its servers itself (src/discovery), may have several, and may
 * have none. Calls of PMIx_tool_*; src/api has checked the arguments. */

#include <pmix_tool.h>

struct px_ctx;
struct px_set_server_directives;

/* Starts the tool role on a context whose loop and parameters are ready. PMIX_SUCCESS also without
 * a server where the directives allow that (PMIX_TOOL_DO_NOT_CONNECT, PMIX_TOOL_CONNECT_OPTIONAL).
 * Errors as px_tool_directives_read, px_tool_find and px_dial; they leave nothing behind. Blocks.
 * Under ctx->lock. */
pmix_status_t px_tool_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);
/* Sends FINALIZE to all servers and frees the role (px_session_end); the context is down already.
 * Always PMIX_SUCCESS. Under ctx->lock. */
pmix_status_t px_tool_stop(struct px_ctx *ctx);

/* Connects to one more server, or finds that a named one is connected already; *ret_server (NULL:
 * not wanted) is its name. It becomes the primary one if there is no other, or on request
 * (PMIX_PRIMARY_SERVER). PMIX_ERR_UNREACH: no other server was found. Blocks. Any thread but the
 * loop's. */
pmix_status_t px_tool_attach(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                             pmix_proc_t *ret_server);
/* Sends FINALIZE to a server and closes the connection. If it was the primary one, there is none
 * afterwards. PMIX_ERR_NOT_FOUND: it is not connected. Any thread but the loop's. */
pmix_status_t px_tool_detach(struct px_ctx *ctx, const pmix_proc_t *server);
/* The names of all connected servers, the primary one first, as an array of the caller's
 * (PMIx_Proc_free). PMIX_ERR_UNREACH with NULL and 0: there is none; PMIX_ERR_NOMEM. Any thread. */
pmix_status_t px_tool_servers(struct px_ctx *ctx, pmix_proc_t **ret, size_t *ret_n);
/* Makes a connected server the primary one, and registers our event codes there. PMIX_ERR_UNREACH:
 * it is not connected; with PMIX_WAIT_FOR_CONNECTION, as px_tool_await. Any thread but the loop's.
 */
pmix_status_t px_tool_choose(struct px_ctx *ctx, const pmix_proc_t *server,
                             const struct px_set_server_directives *directives);
/* The name of this process for its user: empty and PMIX_RANK_UNDEF while neither he nor a server
 * knows the name that it has for its own use. Under ctx->lock. */
void px_tool_name(struct px_ctx *ctx, pmix_proc_t *ret);
/* True if a primary server is connected. Any thread. */
bool px_tool_connected(struct px_ctx *ctx);

#endif
