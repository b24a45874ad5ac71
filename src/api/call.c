/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The calls that src/request describes: arguments are checked by the description, the role does the
 * rest. A blocking call is the non-blocking one with a completion that keeps the reply. */

#include "call.h"

#include "api.h"

static pmix_status_t check(const struct px_ctx *ctx, const struct px_request *request,
                           const struct px_args *args)
{
    pmix_status_t rc = PX_ENTER(ctx, request);

    if (rc == PMIX_SUCCESS && (args == NULL || !px_args_valid(request, args))) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc;
}

pmix_status_t px_api_start_to(const struct px_request *request, const struct px_args *args,
                              const struct px_completion *to)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = check(ctx, request, args);

    if (rc == PMIX_SUCCESS && request->needs_callback && to->callback == NULL) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    return rc == PMIX_SUCCESS ? ctx->ops->request(ctx, request, args, to) : rc;
}

pmix_status_t px_api_start(const struct px_request *request, const struct px_args *args,
                           px_callback callback, void *cbdata)
{
    struct px_completion to = px_completion_of(request->reply, callback, cbdata);

    return px_api_start_to(request, args, &to);
}

/* --- blocking --- */

struct call {
    struct px_wait wait;
    struct px_reply reply;
};

static void keep(const struct px_completion *to, struct px_reply *reply)
{
    struct call *call = to->target;
    pmix_status_t status = reply->status;

    call->reply = *reply;
    *reply = (struct px_reply){.status = status};
    px_wait_done(&call->wait, status);
}

pmix_status_t px_api_run(const struct px_request *request, const struct px_args *args,
                         struct px_reply *ret)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct call call = {.reply = {0}};
    struct px_completion to = {.done = keep, .target = &call};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&call.wait);
    rc = check(ctx, request, args);
    if (rc == PMIX_SUCCESS) {
        rc = ctx->ops->request(ctx, request, args, &to);
    }
    rc = px_api_await(ctx, &call.wait, rc);
    if (ret != NULL) {
        *ret = call.reply;
    } else {
        px_reply_fini(&call.reply);
    }
    return rc;
}

pmix_status_t px_api_run_infos(const struct px_request *request, const struct px_args *args,
                               pmix_info_t **ret, size_t *ret_n)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_reply reply = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    rc = px_api_run(request, args, &reply);
    if (ret != NULL && ret_n != NULL) {
        *ret = reply.info;
        *ret_n = reply.ninfo;
        reply.info = NULL;
        reply.ninfo = 0;
    }
    px_reply_fini(&reply);
    return rc;
}

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
