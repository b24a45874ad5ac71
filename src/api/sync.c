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

/* An array may be NULL only with a number of 0. Without procs the collective is over the caller's
 * namespace. */
static pmix_status_t check_procs(const pmix_proc_t *procs, size_t nprocs, const pmix_info_t *info,
                                 size_t ninfo)
{
    return (procs == NULL && nprocs > 0) || (info == NULL && ninfo > 0) ? PMIX_ERR_BAD_PARAM
                                                                        : PMIX_SUCCESS;
}

/* The non-blocking form, which needs a callback. */
static pmix_status_t start(struct px_ctx *ctx, together_fn fn, const pmix_proc_t *procs,
                           size_t nprocs, const pmix_info_t *info, size_t ninfo,
                           pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    pmix_status_t rc = check_procs(procs, nprocs, info, ninfo);

    if (rc == PMIX_SUCCESS && cbfunc == NULL) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc == PMIX_SUCCESS ? fn(ctx, procs, nprocs, info, ninfo, cbfunc, cbdata) : rc;
}

/* The blocking form: the operation and a wait on the caller's stack. The role never calls back from
 * within the operation, so the wait is in place when the callback ends it. */
static pmix_status_t run_collective(struct px_ctx *ctx, together_fn fn, const pmix_proc_t *procs,
                                    size_t nprocs, const pmix_info_t *info, size_t ninfo)
{
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc == PMIX_SUCCESS) {
        rc = check_procs(procs, nprocs, info, ninfo);
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = fn(ctx, procs, nprocs, info, ninfo, px_api_op_done, &wait);
    return px_ctx_await(ctx, &wait, rc);
}

/* PMIX_ERR_NOT_SUPPORTED in a server, which is no member of a job; so the other five. */
pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                         size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, fence_nb);

    return rc == PMIX_SUCCESS ? run_collective(ctx, ctx->ops->fence_nb, procs, nprocs, info, ninfo)
                              : rc;
}

/* The callback comes when all members have called, and data that were asked for can be read. In a
 * client or tool: px_client_fence_nb (src/client/sync.c). */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, fence_nb);

    return rc == PMIX_SUCCESS
               ? start(ctx, ctx->ops->fence_nb, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : rc;
}

/* Returns when all members have called connect. */
pmix_status_t PMIx_Connect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                           size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, connect_nb);

    return rc == PMIX_SUCCESS
               ? run_collective(ctx, ctx->ops->connect_nb, procs, nprocs, info, ninfo)
               : rc;
}

/* The non-blocking form. In a client or tool: px_client_connect_nb (src/client/sync.c). */
pmix_status_t PMIx_Connect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, connect_nb);

    return rc == PMIX_SUCCESS
               ? start(ctx, ctx->ops->connect_nb, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : rc;
}

/* Ends a connection of the same set of processes. */
pmix_status_t PMIx_Disconnect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, disconnect_nb);

    return rc == PMIX_SUCCESS
               ? run_collective(ctx, ctx->ops->disconnect_nb, procs, nprocs, info, ninfo)
               : rc;
}

/* The non-blocking form. In a client or tool: px_client_disconnect_nb (src/client/sync.c). */
pmix_status_t PMIx_Disconnect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                                 size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, disconnect_nb);

    return rc == PMIX_SUCCESS
               ? start(ctx, ctx->ops->disconnect_nb, procs, nprocs, info, ninfo, cbfunc, cbdata)
               : rc;
}
