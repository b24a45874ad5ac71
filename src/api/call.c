/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The exported calls that src/request describes. Arguments are checked by the description of the
 * request, the role does the rest. A blocking call is the non-blocking one with a completion that
 * keeps the reply. */

#include "call.h"

#include "api.h"
#include "src/context/reply_after.h"
#include "src/context/reply_wait.h"
#include "src/base/probe.h"
#include "src/request/reply.h"

/* The checks of both forms: context, role, and the arguments that the application must give; for a
 * call that the library alone serves, also its required directives. */
static pmix_status_t check(const struct px_ctx *ctx, const struct px_request *request,
                           const struct px_args *args)
{
    pmix_status_t rc = PX_ENTER(ctx, request);

    if (rc == PMIX_SUCCESS && request->member && ctx->ops->put == NULL) {
        rc = PMIX_ERR_NOT_SUPPORTED; /* a server is of no job */
    }
    if (rc == PMIX_SUCCESS && (args == NULL || !px_args_valid(request, args))) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == PMIX_SUCCESS && request->alone &&
        !px_api_check_required(ctx, request->call, args->info, args->ninfo)) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    }
    return rc;
}

/* Hands the request to the role with a completion that calls the application when this call has
 * returned. If the application gave no callback, there is nothing to hold, and the role gets the
 * completion as it is. */
static pmix_status_t start(struct px_ctx *ctx, const struct px_request *request,
                           const struct px_args *args, const struct px_completion *to)
{
    struct px_completion kept;
    struct px_reply_after *after;

    if (to->callback == NULL) {
        return ctx->ops->request(ctx, request, args, to);
    }
    after = px_reply_after_begin(ctx->loop, to, &kept);
    return px_reply_after_end(after, after != NULL ? ctx->ops->request(ctx, request, args, &kept)
                                                   : PMIX_ERR_NOMEM);
}

/* A request whose result is useless without a callback is refused here, before anything is sent; so
 * is one whose callback would never be called, in a forked child. */
pmix_status_t px_api_start_to(const struct px_request *request, const struct px_args *args,
                              const struct px_completion *to)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = check(ctx, request, args);

    PX_PROBE(call_begin, request->name, to->cbdata);
    if (rc == PMIX_SUCCESS && request->needs_callback && to->callback == NULL) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == PMIX_SUCCESS && to->callback != NULL && !px_loop_alive(ctx->loop)) {
        rc = PMIX_ERR_UNREACH;
    }
    rc = rc == PMIX_SUCCESS ? start(ctx, request, args, to) : rc;
    PX_PROBE(call_end, request->name, rc);
    return rc;
}

pmix_status_t px_api_start(const struct px_request *request, const struct px_args *args,
                           px_callback callback, void *cbdata)
{
    struct px_completion to = px_completion_of(request->reply, callback, cbdata);

    return px_api_start_to(request, args, &to);
}

/* --- blocking --- */

/* A refusal of the check goes through px_reply_wait_end too, which then does not wait. */
pmix_status_t px_api_run(const struct px_request *request, const struct px_args *args,
                         struct px_reply *ret)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_reply_wait waiting;
    struct px_completion to;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    PX_PROBE(call_begin, request->name, NULL);
    to = px_reply_wait_begin(&waiting);
    rc = check(ctx, request, args);
    if (rc == PMIX_SUCCESS) {
        rc = ctx->ops->request(ctx, request, args, &to);
    }
    rc = px_reply_wait_end(ctx, &waiting, rc);
    PX_PROBE(call_end, request->name, rc);
    if (ret != NULL) {
        *ret = waiting.reply;
    } else {
        px_reply_fini(&waiting.reply);
    }
    return rc;
}

/* Infos that come with a failure are for the callback of the non-blocking form only: an application
 * does not look at, nor free, the results of a call that has failed. */
pmix_status_t px_api_give_infos(pmix_status_t status, struct px_reply *reply, pmix_info_t **ret,
                                size_t *ret_n)
{
    if (px_status_has_results(status) && ret != NULL && ret_n != NULL) {
        *ret = reply->info;
        *ret_n = reply->ninfo;
        reply->info = NULL;
        reply->ninfo = 0;
    }
    px_reply_fini(reply);
    return status;
}

pmix_status_t px_api_run_infos(const struct px_request *request, const struct px_args *args,
                               pmix_info_t **ret, size_t *ret_n)
{
    struct px_reply reply = {0};
    pmix_status_t rc = px_api_run(request, args, &reply);

    return px_api_give_infos(rc, &reply, ret, ret_n);
}

/* Wrong arguments are reported before PMIX_ERR_WOULD_BLOCK. */
pmix_status_t px_api_call(const struct px_request *request, const struct px_args *args,
                          px_callback callback, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc;

    if (callback != NULL) {
        return px_api_start(request, args, callback, cbdata);
    }
    rc = check(ctx, request, args);
    return rc == PMIX_SUCCESS ? px_api_run(request, args, NULL) : rc;
}
