/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Start and end of a server. The process has one context; inits of a server are counted, and each
 * needs its finalize. All under ctx->lock. */

#include "api.h"
#include "src/value/directives.h"
#include "src/base/probe.h"
#include "src/server/server_start.h"

/* Opens the context and starts the server role on it. Nothing is left behind by a failure. */
static pmix_status_t init_first(struct px_ctx *ctx, const pmix_server_module_t *module,
                                const pmix_info_t *info, size_t ninfo)
{
    pmix_status_t rc;

    px_server_prepare();
    rc = px_api_open(ctx, px_infos_flag(info, ninfo, PMIX_EXTERNAL_PROGRESS));
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rc = px_server_start(ctx, module, info, ninfo);
    if (rc == PMIX_SUCCESS) {
        ctx->role = ctx->server;
        ctx->ops = &px_server_ops;
    }
    return px_api_started(ctx, rc, rc == PMIX_SUCCESS);
}

/* A further init of a server is only counted: its module and directives have no effect.
 * PMIX_ERR_INVALID_OPERATION in a client or tool. The role starts in px_server_start
 * (src/server/server_start.h). */
pmix_status_t PMIx_server_init(pmix_server_module_t *module, pmix_info_t info[], size_t ninfo)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = PMIX_SUCCESS;

    if (ninfo > 0 && info == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_directives_met(&px_call_server_init, PX_ATTR_SERVER, info, ninfo)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    PX_PROBE(call_begin, "server_init", NULL);
    px_lock_take(&ctx->lock);
    (void) px_api_dropped_after_fork(ctx); /* then this is a first init */
    if (ctx->refs == 0) {
        rc = init_first(ctx, module, info, ninfo);
    } else if (ctx->ops != &px_server_ops) {
        rc = PMIX_ERR_INVALID_OPERATION; /* a client or tool is running here */
    } else {
        ctx->refs++;
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "server_init", rc);
    return rc;
}

/* Refused on the progress thread, which it would have to stop. The context goes down before the
 * role stops, so that no new call enters; if a thread does not leave its call in time, the role and
 * the context stay open until the next init. A forked child only forgets the parent's context. */
pmix_status_t PMIx_server_finalize(void)
{
    struct px_ctx *ctx = px_ctx();
    pmix_status_t rc = px_api_may_finalize();

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    PX_PROBE(call_begin, "server_finalize", NULL);
    px_lock_take(&ctx->lock);
    if (ctx->refs == 0 || (!px_api_dropped_after_fork(ctx) && ctx->ops != &px_server_ops)) {
        rc = PMIX_ERR_INIT;
    } else if (ctx->refs > 1) {
        ctx->refs--;
    } else if (ctx->refs == 1) {
        px_ctx_down(ctx);
        ctx->refs = 0;
        px_api_stopped(ctx);
    }
    px_lock_give(&ctx->lock);
    PX_PROBE(call_end, "server_finalize", rc);
    return rc;
}
