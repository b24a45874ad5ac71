/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and end of a tool, and its connections to servers. A tool may be attached to several
 * servers; one is the primary server, to which requests go. Calls that change the list of servers
 * are serialised by ctx->lock.
 *
 * Every call but PMIx_tool_init is PMIX_ERR_INIT in a process that is not a tool: a server cannot
 * act as a tool as well. The other way round, a launcher is a tool with a server (launcher.h). */

#include "src/client/tool/tool.h"

#include <string.h>

#include "api.h"
#include "launcher.h"
#include "src/base/probe.h"
#include "src/server/self/loop_call.h"
#include "src/server/server_start.h"
#include "src/value/directives.h"

/* True if the context is up in the role of a tool. Under ctx->lock with px_ctx_peek, or for a
 * context that the caller has entered. */
static bool is_tool(const struct px_ctx *ctx)
{
    return ctx != NULL && strcmp(ctx->ops->name, "tool") == 0;
}

/* The first check of a call that takes ctx->lock: as px_ctx_may_block; PMIX_ERR_INIT if this
 * process is no tool. It may have ended before the lock is taken. */
static pmix_status_t check_tool(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return is_tool(ctx) ? px_ctx_may_block(ctx) : PMIX_ERR_INIT;
}

/* A further init: counted. A tool without a server tries to connect by the new directives.
 * PMIX_ERR_INVALID_OPERATION if the process is a client or a server. Under ctx->lock. */
static pmix_status_t tool_again(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    if (strcmp(ctx->ops->name, "tool") != 0) {
        return PMIX_ERR_INVALID_OPERATION;
    }
    if (!px_tool_connected(ctx) && !px_infos_flag(info, ninfo, PMIX_TOOL_DO_NOT_CONNECT)) {
        pmix_status_t rc = px_tool_attach(ctx, info, ninfo, NULL);

        if (rc != PMIX_SUCCESS && !px_infos_flag(info, ninfo, PMIX_TOOL_CONNECT_OPTIONAL)) {
            return rc;
        }
    }
    ctx->refs++;
    return PMIX_SUCCESS;
}

/* Opens the context and starts the tool role, with a server if it is a launcher. Under
 * ctx->lock. */
static pmix_status_t tool_first(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    pmix_status_t rc = px_api_open(ctx, px_infos_flag(info, ninfo, PMIX_EXTERNAL_PROGRESS));

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rc = px_tool_start(ctx, info, ninfo);
    if (rc == PMIX_SUCCESS) {
        rc = px_launcher_start(ctx, info, ninfo);
        if (rc != PMIX_SUCCESS) {
            (void) px_tool_stop(ctx); /* it always succeeds */
        }
    }
    return px_api_started(ctx, rc, rc == PMIX_SUCCESS);
}

/* Inits are counted, each needs its finalize. The first one starts the role: px_tool_start
 * (src/client/tool/tool.c). */
pmix_status_t PMIx_tool_init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc;

    if (ninfo > 0 && info == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_directives_met(&px_call_tool_init, PX_ATTR_TOOL, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    PX_PROBE(call_begin, "tool_init", NULL);
    px_lock_take(&ctx->lock);
    (void) px_api_dropped_after_fork(ctx); /* then this is a first init */
    if (!px_launcher_met(ctx, info, ninfo)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    } else {
        rc = ctx->refs > 0 ? tool_again(ctx, info, ninfo) : tool_first(ctx, info, ninfo);
    }
    if (rc == PMIX_SUCCESS && proc != NULL) {
        px_tool_name(ctx, proc);
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "tool_init", rc);
    return rc;
}

/* Refused on the progress thread. If a thread does not leave its call in time, px_tool_stop keeps
 * the role, and the context stays open until the next init. A forked child only forgets the
 * parent's context. */
pmix_status_t PMIx_tool_finalize(void)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = check_tool();

    if (rc != PMIX_SUCCESS && rc != PMIX_ERR_UNREACH) {
        return rc;
    }
    rc = PMIX_SUCCESS;
    PX_PROBE(call_begin, "tool_finalize", NULL);
    px_lock_take(&ctx->lock);
    if (!is_tool(px_ctx_peek())) {
        rc = PMIX_ERR_INIT;
    } else if (ctx->refs > 1) {
        ctx->refs--;
    } else if (!px_api_dropped_after_fork(ctx)) {
        px_ctx_down(ctx);
        ctx->refs = 0;
        px_server_shut(ctx);
        rc = px_tool_stop(ctx);
        px_api_stopped(ctx);
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "tool_finalize", rc);
    return rc;
}

/* What px_tool_attach does not look at: PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_SUPPORTED, or a status of
 * check_tool. */
static pmix_status_t check_attach(const pmix_info_t *info, size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = check_tool();

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_attach, info, ninfo) ? PMIX_SUCCESS
                                                                    : PMIX_ERR_NOT_SUPPORTED;
}

/* Blocks while it connects, with ctx->lock held. px_tool_attach decides by the directives whether
 * it becomes the primary server. */
pmix_status_t PMIx_tool_attach_to_server(pmix_proc_t *myproc, pmix_proc_t *server,
                                         pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = check_attach(info, ninfo);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    PX_PROBE(call_begin, "attach", NULL);
    px_lock_take(&ctx->lock);
    rc = is_tool(px_ctx_peek()) ? px_tool_attach(ctx, info, ninfo, server) : PMIX_ERR_INIT;
    if (rc == PMIX_SUCCESS && myproc != NULL) {
        *myproc = ctx->self;
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "attach", rc);
    return rc;
}

/* The older call: attach, and make that server the primary one. */
pmix_status_t PMIx_tool_connect_to_server(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    pmix_status_t rc;
    pmix_proc_t server;

    rc = PMIx_tool_attach_to_server(proc, &server, info, ninfo);
    return rc == PMIX_SUCCESS ? PMIx_tool_set_server(&server, NULL, 0) : rc;
}

/* Says goodbye to the server, which blocks, and closes the connection. PMIX_ERR_NOT_FOUND: not a
 * server of this tool. */
pmix_status_t PMIx_tool_disconnect(const pmix_proc_t *server)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = check_tool();

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (server == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    px_lock_take(&ctx->lock);
    rc = is_tool(px_ctx_peek()) ? px_tool_detach(ctx, server) : PMIX_ERR_INIT;
    px_lock_give(&ctx->lock);
    return rc;
}

/* The array is malloc'd and the caller's. */
pmix_status_t PMIx_tool_get_servers(pmix_proc_t *servers[], size_t *nservers)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (!is_tool(ctx)) {
        return PMIX_ERR_INIT;
    }
    if (servers == NULL || nservers == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    *servers = NULL;
    *nservers = 0;
    return px_tool_servers(ctx, servers, nservers);
}

/* PMIX_ERR_UNREACH: the tool is not attached to that server. With PMIX_WAIT_FOR_CONNECTION it
 * blocks until another thread has attached it. */
pmix_status_t PMIx_tool_set_server(const pmix_proc_t *server, pmix_info_t info[], size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_set_server_directives directives;

    if (!is_tool(ctx)) {
        return PMIX_ERR_INIT;
    }
    if (server == NULL || (info == NULL && ninfo > 0) ||
        px_set_server_read(info, ninfo, &directives) != 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_set_server, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (directives.wait && px_ctx_may_block(ctx) != PMIX_SUCCESS) {
        return px_ctx_may_block(ctx);
    }
    return px_tool_choose(ctx, server, &directives);
}

/* True if the tool has a primary server. */
bool PMIx_tool_is_connected(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return is_tool(ctx) && px_tool_connected(ctx);
}

/* The module is copied, as far as its layout is known (px_module_copy), and called from then on. A
 * tool that is no launcher has no clients, so its module is never called
 * (docs/decisions/0047-modules-of-tools.md). */
pmix_status_t PMIx_tool_set_server_module(pmix_server_module_t *module)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (!is_tool(ctx)) {
        return PMIX_ERR_INIT;
    }
    if (module == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->server != NULL ? px_server_run(ctx->server, px_server_set_module, module)
                               : PMIX_SUCCESS;
}
