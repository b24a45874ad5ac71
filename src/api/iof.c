/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Forwarding of standard input and output between a tool and the processes of a job.
 *
 * Pull: output of processes is delivered to cbfunc until the subscription is deregistered.
 * Push: bytes are handed to the host, which writes them to the standard input of the targets. */

#include <pmix_tool.h>

#include "api.h"
#include "src/value/directives.h"
#include "call.h"

/* A pmix_hdlr_reg_cbfunc_t that ends the wait with the number of the subscription or a negative
 * status. Loop thread. */
static void pulled(pmix_status_t status, size_t refid, void *wait)
{
    px_wait_done(wait, status == PMIX_SUCCESS ? (int) refid : status);
}

/* With regcbfunc the result goes there. Without one the call blocks, and its result is the number
 * of the subscription or a negative status. Standard input cannot be pulled. px_client_iof_pull
 * (src/client/iof.c), px_self_iof_pull (src/server/self/self_events.c). */
pmix_status_t PMIx_IOF_pull(const pmix_proc_t procs[], size_t nprocs,
                            const pmix_info_t directives[], size_t ndirs,
                            pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                            pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_iof_pull_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(procs), nprocs,
                                    channel, 0};
    struct px_wait wait;
    pmix_status_t rc = PX_ENTER(ctx, iof_pull);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (!px_args_valid(&px_request_iof_pull, &args.head)) {
        return PMIX_ERR_BAD_PARAM;
    }
    if ((channel & PMIX_FWD_STDIN_CHANNEL) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (!px_loop_alive(ctx->loop)) {
        return PMIX_ERR_UNREACH;
    }
    if (regcbfunc != NULL) {
        return ctx->ops->iof_pull(ctx, &args, cbfunc, regcbfunc, regcbdata);
    }
    rc = px_api_may_block(ctx);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = ctx->ops->iof_pull(ctx, &args, cbfunc, pulled, &wait);
    return px_ctx_await(ctx, &wait, rc);
}

/* Without a callback the call blocks. Required directives are checked here because the library
 * serves the call alone. At the server: px_iof_deregister_call (src/server/events/server_iof.c). */
pmix_status_t PMIx_IOF_deregister(size_t iofhdlr, const pmix_info_t directives[], size_t ndirs,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_iof_deregister_args args = {PX_DIRECTIVES_OF(directives, ndirs), iofhdlr};

    if (ctx != NULL && px_args_valid(&px_request_iof_deregister, &args.head) &&
        !px_api_check_required(ctx, &px_call_iof_deregister, directives, ndirs)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return px_api_call(&px_request_iof_deregister, &args.head, (px_callback) cbfunc, cbdata);
}

/* Without a callback the call blocks. bo NULL sends no bytes, only the directives. At the server:
 * call_iof_push (src/server/requests/requests.c). The host delivers the bytes. */
pmix_status_t PMIx_IOF_push(const pmix_proc_t targets[], size_t ntargets, pmix_byte_object_t *bo,
                            const pmix_info_t directives[], size_t ndirs, pmix_op_cbfunc_t cbfunc,
                            void *cbdata)
{
    struct px_iof_push_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(targets),
                                    ntargets, bo != NULL ? *bo : (pmix_byte_object_t){0}};

    return px_api_call(&px_request_iof_push, &args.head, (px_callback) cbfunc, cbdata);
}
