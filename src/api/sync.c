/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fence, connect and disconnect. All three are collectives with the same arguments, so one function
 * of each form serves them, with the operation of the role as a parameter.
 *
 * A fence waits for all members and exchanges their committed data if asked to. The members of
 * a connect may be of several namespaces; they count as connected until they disconnect. */

#include "api.h"

/* The operation of the role (src/context/role.h). */
typedef pmix_status_t (*together_fn)(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                     const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                     void *cbdata);

/* An exported call in its non-blocking form. */
typedef pmix_status_t (*start_fn)(const pmix_proc_t procs[], size_t nprocs,
                                  const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                  void *cbdata);

/* The non-blocking form, which needs a callback. An array may be NULL only with a number of 0;
 * without procs the collective is over the caller's namespace. fn: NULL if the role lacks it, as in
 * a server, which is no member of a job, or if there is no context. */
static pmix_status_t start(struct px_ctx *ctx, together_fn fn, const pmix_proc_t *procs,
                           size_t nprocs, const pmix_info_t *info, size_t ninfo,
                           pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    if (fn == NULL) {
        return ctx == NULL ? PMIX_ERR_INIT : PMIX_ERR_NOT_SUPPORTED;
    }
    if ((procs == NULL && nprocs > 0) || (info == NULL && ninfo > 0) || cbfunc == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    return fn(ctx, procs, nprocs, info, ninfo, cbfunc, cbdata);
}

/* The blocking form: the other one and a wait on the caller's stack. The role never calls back from
 * within the operation, so the wait is in place when the callback ends it. */
static pmix_status_t run_collective(start_fn fn, const pmix_proc_t *procs, size_t nprocs,
                                    const pmix_info_t *info, size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = fn(procs, nprocs, info, ninfo, px_api_op_done, &wait);
    return px_ctx_await(ctx, &wait, rc);
}

pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                         size_t ninfo)
{
    return run_collective(PMIx_Fence_nb, procs, nprocs, info, ninfo);
}

/* The callback comes when all members have called, and data that were asked for can be read. In a
 * client or tool: px_client_fence_nb (src/client/sync.c). */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return start(ctx, ctx != NULL ? ctx->ops->fence_nb : NULL, procs, nprocs, info, ninfo, cbfunc,
                 cbdata);
}

/* Returns when all members have called connect. */
pmix_status_t PMIx_Connect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                           size_t ninfo)
{
    return run_collective(PMIx_Connect_nb, procs, nprocs, info, ninfo);
}

/* The non-blocking form. In a client or tool: px_client_connect_nb (src/client/sync.c). */
pmix_status_t PMIx_Connect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return start(ctx, ctx != NULL ? ctx->ops->connect_nb : NULL, procs, nprocs, info, ninfo, cbfunc,
                 cbdata);
}

/* Ends a connection of the same set of processes. */
pmix_status_t PMIx_Disconnect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo)
{
    return run_collective(PMIx_Disconnect_nb, procs, nprocs, info, ninfo);
}

/* The non-blocking form. In a client or tool: px_client_disconnect_nb (src/client/sync.c). */
pmix_status_t PMIx_Disconnect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                                 size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    return start(ctx, ctx != NULL ? ctx->ops->disconnect_nb : NULL, procs, nprocs, info, ninfo,
                 cbfunc, cbdata);
}
