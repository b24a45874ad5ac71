/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Put, commit, get. The role's operations do the work. PMIx_Get is the call that the library is
 * made fast for: it has no code of its own here.
 *
 * A value's way: PMIx_Put keeps it here, PMIx_Commit sends it to the server, which publishes it
 * to the processes of its scope; those on other nodes get it by a fence with data or on demand. */

#include "api.h"
#include "src/context/reply_after.h"
#include "src/base/probe.h"

/* The role keeps a copy of the value in this process until PMIx_Commit. A server has no such
 * operation: it is no member of a job. In a client or tool: px_client_put (src/client/data/put.c).
 */
pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *val)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, put);

    return rc == PMIX_SUCCESS ? ctx->ops->put(ctx, scope, key, val) : rc;
}

/* Nothing is sent: a client stores a copy in its private store, a server in the store of the
 * namespace. px_client_store_internal (src/client/data/put.c) and px_self_store
 * (src/server/self/self_data.c). */
pmix_status_t PMIx_Store_internal(const pmix_proc_t *proc, const char key[], pmix_value_t *val)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, store_internal);

    return rc == PMIX_SUCCESS ? ctx->ops->store_internal(ctx, proc, key, val) : rc;
}

/* Sends the put values to the server and does not wait for its reply; messages on a connection keep
 * their order, so a later fence or get of this process follows the commit. In a client or tool:
 * px_client_commit (src/client/data/put.c). In a server it has nothing to do. */
pmix_status_t PMIx_Commit(void)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, commit);

    PX_PROBE(call_begin, "commit", NULL);
    rc = rc == PMIX_SUCCESS ? ctx->ops->commit(ctx) : rc;
    PX_PROBE(call_end, "commit", rc);
    return rc;
}

/* One acquire load gives the function: the role's get while the context is up, else one that
 * returns PMIX_ERR_INIT. So the fast path pays for no check of the state. px_client_get_fast
 * (src/client/data/get_fast.c), px_self_get (src/server/self/self_data.c). */
pmix_status_t PMIx_Get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                       size_t ninfo, pmix_value_t **val)
{
    return px_ctx_get(px_ctx())(proc, key, info, ninfo, val);
}

/* Always by the role's non-blocking operation, whose callback runs on the loop thread; a forked
 * child has none and gets PMIX_ERR_UNREACH. px_client_get_nb (src/client/data/get.c),
 * px_self_get_nb (src/server/self/self_data.c). */
pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t ninfo, pmix_value_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_completion kept;
    struct px_value_after *after;
    pmix_status_t rc = PX_ENTER(ctx, get_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (cbfunc == NULL || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    after = px_value_after_begin(ctx->loop, cbfunc, cbdata, &kept);
    return px_value_after_end(after, after != NULL
                                         ? ctx->ops->get_nb(ctx, proc, key, info, ninfo, &kept)
                                         : PMIX_ERR_NOMEM);
}
