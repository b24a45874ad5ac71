/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fence, connect and disconnect. All three are collectives with the same arguments, so one function
 * of each form serves them, with the request as a parameter. PMIX_ERR_NOT_SUPPORTED in a server,
 * which is no member of a job. In a client or tool: px_client_collective (src/client/sync.c).
 *
 * A fence waits for all members and exchanges their committed data if asked to. The members of
 * a connect may be of several namespaces; they count as connected until they disconnect. */

#include "call.h"

/* The non-blocking form, which needs a callback. */
static pmix_status_t start(const struct px_request *request, const pmix_proc_t *procs,
                           size_t nprocs, const pmix_info_t *info, size_t ninfo,
                           pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_coll_args args = {PX_DIRECTIVES_OF(info, ninfo), NULL, PX_BORROWED(procs), nprocs};

    return px_api_start(request, &args.head, (px_callback) cbfunc, cbdata);
}

/* The blocking form. */
static pmix_status_t run(const struct px_request *request, const pmix_proc_t *procs, size_t nprocs,
                         const pmix_info_t *info, size_t ninfo)
{
    struct px_coll_args args = {PX_DIRECTIVES_OF(info, ninfo), NULL, PX_BORROWED(procs), nprocs};

    return px_api_run(request, &args.head, NULL);
}

/* Without procs the fence is over the caller's namespace; so the other two. */
pmix_status_t PMIx_Fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                         size_t ninfo)
{
    return run(&px_request_fence, procs, nprocs, info, ninfo);
}

/* The callback comes when all members have called, and data that were asked for can be read. */
pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                            size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return start(&px_request_fence, procs, nprocs, info, ninfo, cbfunc, cbdata);
}

/* Returns when all members have called connect. */
pmix_status_t PMIx_Connect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                           size_t ninfo)
{
    return run(&px_request_connect, procs, nprocs, info, ninfo);
}

pmix_status_t PMIx_Connect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return start(&px_request_connect, procs, nprocs, info, ninfo, cbfunc, cbdata);
}

/* Ends a connection of the same set of processes. */
pmix_status_t PMIx_Disconnect(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo)
{
    return run(&px_request_disconnect, procs, nprocs, info, ninfo);
}

pmix_status_t PMIx_Disconnect_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                                 size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return start(&px_request_disconnect, procs, nprocs, info, ninfo, cbfunc, cbdata);
}
