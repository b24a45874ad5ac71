/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and end of a client. One context serves the process; every init needs its finalize. A child
 * that was forked off a running client starts anew when it calls PMIx_Init: it has neither the
 * thread nor the connection. */

#include <string.h>

#include "api.h"
#include "src/base/version.h"
#include "src/value/directives.h"
#include "src/client/start.h"
#include "call.h"

const char *PMIx_Get_version(void)
{
    return px_version_text();
}

int PMIx_Initialized(void)
{
    return px_ctx_peek() != NULL ? 1 : 0;
}

static void give_self(const struct px_ctx *ctx, pmix_proc_t *proc)
{
    if (proc != NULL) {
        *proc = ctx->self;
    }
}

/* A later init may not ask for something else than the first. */
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

static pmix_status_t init_first(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    struct px_init_directives directives;
    pmix_status_t rc = px_init_read(info, ninfo, &directives);

    rc = rc != 0 ? rc : px_api_open(ctx, directives.external_progress == PX_SWITCH_ON);
    if (rc != 0) {
        return rc;
    }
    rc = px_client_start(ctx, info, ninfo);
    return px_api_started(ctx, rc, rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH);
}

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
    px_lock_take(&ctx->lock);
    (void) px_api_dropped_after_fork(ctx); /* then this is a first init */
    rc = ctx->refs > 0 ? init_again(ctx, info, ninfo) : init_first(ctx, info, ninfo);
    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_UNREACH) {
        give_self(ctx, proc);
    }
    px_lock_give(&ctx->lock);
    return rc;
}

static pmix_status_t finalize_last(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo)
{
    pmix_status_t rc = PMIX_SUCCESS;
    pmix_status_t stopped;

    if (px_infos_flag(info, ninfo, PMIX_EMBED_BARRIER)) {
        rc = PMIx_Fence(NULL, 0, NULL, 0);
    }
    px_ctx_down(ctx);
    ctx->refs = 0;
    stopped = px_client_stop(ctx, info, ninfo);
    if (ctx->role == NULL) {
        px_api_close(ctx);
    }
    return rc != PMIX_SUCCESS ? rc : stopped;
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx_peek();
    pmix_status_t rc = PMIX_SUCCESS;

    if (ctx == NULL) {
        return PMIX_ERR_INIT;
    }
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_api_check_required(ctx, &px_call_finalize, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (px_loop_alive(ctx->loop) && px_loop_inside(ctx->loop)) {
        return PMIX_ERR_WOULD_BLOCK;
    }
    px_lock_take(&ctx->lock);
    if (ctx->refs == 0) {
        rc = PMIX_ERR_INIT;
    } else if (px_api_dropped_after_fork(ctx)) {
        rc = PMIX_SUCCESS;
    } else if (ctx->refs > 1) {
        ctx->refs--;
    } else if (strcmp(ctx->ops->name, "server") == 0) {
        rc =
            PMIX_ERR_INVALID_OPERATION; /* what PMIx_server_init began, PMIx_server_finalize ends */
    } else {
        rc = finalize_last(ctx, info, ninfo);
    }
    px_lock_give(&ctx->lock);
    return rc;
}

void PMIx_Progress(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (ctx != NULL && px_loop_alive(ctx->loop) && !px_loop_inside(ctx->loop)) {
        px_loop_progress(ctx->loop);
    }
}

/* The thread ends with the last finalize and never before: a request under way would never be
 * answered. */
void PMIx_Progress_thread_stop(const pmix_info_t *info, size_t ninfo)
{
    (void) info;
    (void) ninfo;
}

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
