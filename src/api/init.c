/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and end of a client, and the calls about the library as a whole. One context serves the
 * process; inits are counted, and each needs its finalize. A child that was forked by a running
 * client has neither its thread nor its connection: its PMIx_Init starts a new context.
 *
 * The life of the context: down -> px_api_open (loop, events) -> px_client_start (role) -> up
 * -> px_ctx_down (new calls get PMIX_ERR_INIT) -> px_client_stop (waits for calls under way) ->
 * px_api_stopped -> down. Servers and tools go the same way in server_init.c and tool.c. */

#include <string.h>

#include "api.h"
#include "debug_stop.h"
#include "src/base/probe.h"
#include "src/base/version.h"
#include "src/value/directives.h"
#include "src/client/start.h"
#include "src/server/server_start.h"
#include "call.h"

/* May be called at any time, before PMIx_Init too. */
const char *PMIx_Get_version(void)
{
    return px_version_text();
}

/* True in every role: client, server and tool. */
int PMIx_Initialized(void)
{
    return px_ctx_peek() != NULL ? 1 : 0;
}

/* Reports the name of this process to a caller who asks for it. */
static void give_self(const struct px_ctx *ctx, pmix_proc_t *proc)
{
    if (proc != NULL) {
        *proc = ctx->self;
    }
}

/* A further init: counted, and its directives compared with the first one's. PMIX_ERR_BAD_PARAM if
 * the application wants to drive the loop now and did not before, or the reverse. Under
 * ctx->lock. */
static pmix_status_t init_again(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_init_directives directives;
    int rc = px_init_read(info, ninfo, &directives);

    if (rc != 0 || (directives.external_progress != PX_SWITCH_UNSET &&
                    (directives.external_progress == PX_SWITCH_ON) != ctx->external)) {
        return PMIX_ERR_BAD_PARAM;
    }
    ctx->refs++;
    return ctx->init_status;
}

/* The last finalize. The fence that PMIX_EMBED_BARRIER asks for comes before the context goes down.
 * If a thread does not leave its call in time, px_client_stop keeps the role, and the context stays
 * open until the next init. Under ctx->lock. */
static pmix_status_t finalize_last(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    pmix_status_t rc = PMIX_SUCCESS;
    pmix_status_t stopped;

    if (px_infos_flag(info, ninfo, PMIX_EMBED_BARRIER)) {
        rc = PMIx_Fence(NULL, 0, NULL, 0);
    }
    px_ctx_down(ctx);
    ctx->refs = 0;
    px_server_shut(ctx); /* of a launcher */
    stopped = px_client_stop(ctx, info, ninfo);
    px_api_stopped(ctx);
    return rc != PMIX_SUCCESS ? rc : stopped;
}

/* The first init: opens the context, starts the client role, and stays while a debugger wants it.
 * PMIX_ERR_UNREACH also leaves a working context, a singleton. Under ctx->lock. */
static pmix_status_t init_first(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_init_directives directives;
    pmix_status_t rc = px_init_read(info, ninfo, &directives);

    rc = rc != 0 ? rc : px_api_open(ctx, directives.external_progress == PX_SWITCH_ON);
    if (rc != 0) {
        return rc;
    }
    rc = px_client_start(ctx, info, ninfo);
    rc = px_api_started(ctx, rc, rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH);
    if (rc == PMIX_SUCCESS) {
        rc = px_api_stop_in_init(ctx);
        if (rc != PMIX_SUCCESS) {
            (void) finalize_last(ctx, NULL, 0); /* how the hold ended is what counts */
        }
    }
    return rc;
}

/* Inits of several threads are serialised by ctx->lock; all but the first are counted. In a server
 * or a tool the call is counted, too. The role starts in px_client_start (src/client/start.c). */
pmix_status_t PMIx_Init(pmix_proc_t *proc, pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc;

    if (ninfo > 0 && info == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_directives_met(&px_call_init, PX_ATTR_CLIENT, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    PX_PROBE(call_begin, "init", NULL);
    px_lock_take(&ctx->lock);
    (void) px_api_dropped_after_fork(ctx); /* then this is a first init */
    rc = ctx->refs > 0 ? init_again(ctx, info, ninfo) : init_first(ctx, info, ninfo);
    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH) {
        give_self(ctx, proc);
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "init", rc);
    return rc;
}

/* The arguments of PMIx_Finalize. PMIX_ERR_INIT, PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_SUPPORTED. */
static pmix_status_t check_finalize(const pmix_info_t *info, size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    return px_api_check_required(ctx, &px_call_finalize, info, ninfo) ? PMIX_SUCCESS
                                                                      : PMIX_ERR_NOT_SUPPORTED;
}

/* Refused on the progress thread, which it would have to stop, and as the last call in a server. In
 * a forked child it only forgets the parent's context. The role ends in px_client_stop
 * (src/client/start.c), which says goodbye to the server. */
pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = check_finalize(info, ninfo);

    rc = rc == PMIX_SUCCESS ? px_api_may_finalize() : rc;
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    PX_PROBE(call_begin, "finalize", NULL);
    px_lock_take(&ctx->lock);
    if (ctx->refs == 0) {
        rc = PMIX_ERR_INIT;
    } else if (px_api_dropped_after_fork(ctx)) {
        rc = PMIX_SUCCESS;
    } else if (ctx->refs > 1) {
        ctx->refs--;
    } else if (strcmp(ctx->ops->name, "server") == 0) {
        rc = PMIX_ERR_INVALID_OPERATION; /* PMIx_server_finalize is the call for that */
    } else {
        rc = finalize_last(ctx, info, ninfo);
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "finalize", rc);
    return rc;
}

/* Runs the loop once if the application drives it; without effect in a handler or a callback. */
void PMIx_Progress(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (ctx != NULL && px_loop_alive(ctx->loop) && !px_loop_inside(ctx->loop)) {
        px_loop_progress(ctx->loop);
    }
}

/* Does nothing: the thread ends with the last finalize and not before, because requests under way
 * would stay without an answer. */
void PMIx_Progress_thread_stop(const pmix_info_t *info, size_t ninfo)
{
    (void) info;
    (void) ninfo;
}

/* Blocks until the server has passed the request on. In a callback, where it must not block, it
 * only starts the request. At the server: call_abort (src/server/requests/requests.c). */
pmix_status_t PMIx_Abort(int status, const char msg[], pmix_proc_t procs[], size_t nprocs)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_abort_args args = {.status = status,
                                 .text = PX_BORROWED(msg),
                                 .procs = procs,
                                 .nprocs = procs != NULL ? nprocs : 0};

    return px_api_may_block(ctx) == PMIX_ERR_WOULD_BLOCK
               ? px_api_start(&px_request_abort, &args.head, NULL, NULL)
               : px_api_run(&px_request_abort, &args.head, NULL);
}
