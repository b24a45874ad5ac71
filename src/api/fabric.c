/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fabrics: what the host knows of one is asked for and kept in the caller's structure. */

#include "api.h"
#include "call.h"
#include "src/request/reply.h"

static pmix_status_t keep_info(pmix_fabric_t *fabric, struct px_reply *reply)
{
    if (reply->status == PMIX_SUCCESS) {
        PMIx_Info_free(fabric->info, fabric->ninfo);
        fabric->info = reply->info;
        fabric->ninfo = reply->ninfo;
        reply->info = NULL;
        reply->ninfo = 0;
    }
    return reply->status;
}

static void fabric_done(const struct px_completion *to, struct px_reply *reply)
{
    pmix_op_cbfunc_t cbfunc = (pmix_op_cbfunc_t) to->callback;

    cbfunc(keep_info(to->target, reply), to->cbdata);
}

static pmix_status_t start(const struct px_request *request, const struct px_fabric_args *args,
                           pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_completion to = {fabric_done, fabric, (px_callback) cbfunc, cbdata};

    return px_api_start_to(request, fabric != NULL ? &args->head : NULL, &to);
}

static pmix_status_t run(const struct px_request *request, const struct px_fabric_args *args,
                         pmix_fabric_t *fabric)
{
    struct px_reply reply = {.status = PMIX_ERROR};
    pmix_status_t rc = px_api_run(request, fabric != NULL ? &args->head : NULL, &reply);

    if (rc == PMIX_SUCCESS) {
        (void) keep_info(fabric, &reply);
    }
    px_reply_fini(&reply);
    return rc;
}

pmix_status_t PMIx_Fabric_register_nb(pmix_fabric_t *fabric, const pmix_info_t directives[],
                                      size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_fabric_args args = {PX_DIRECTIVES_OF(directives, ndirs), 0};

    return start(&px_request_fabric_register, &args, fabric, cbfunc, cbdata);
}

pmix_status_t PMIx_Fabric_register(pmix_fabric_t *fabric, const pmix_info_t directives[],
                                   size_t ndirs)
{
    struct px_fabric_args args = {PX_DIRECTIVES_OF(directives, ndirs), 0};

    return run(&px_request_fabric_register, &args, fabric);
}

pmix_status_t PMIx_Fabric_update_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_fabric_args args = {.index = fabric != NULL ? fabric->index : 0};

    return start(&px_request_fabric_update, &args, fabric, cbfunc, cbdata);
}

pmix_status_t PMIx_Fabric_update(pmix_fabric_t *fabric)
{
    struct px_fabric_args args = {.index = fabric != NULL ? fabric->index : 0};

    return run(&px_request_fabric_update, &args, fabric);
}

pmix_status_t PMIx_Fabric_deregister(pmix_fabric_t *fabric)
{
    if (px_ctx_peek() == NULL) {
        return PMIX_ERR_INIT;
    }
    if (fabric == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Info_free(fabric->info, fabric->ninfo);
    fabric->info = NULL;
    fabric->ninfo = 0;
    return PMIX_SUCCESS;
}

/* Nothing has to be waited for, so there is no callback. */
pmix_status_t PMIx_Fabric_deregister_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc,
                                        void *cbdata)
{
    pmix_status_t rc = PMIx_Fabric_deregister(fabric);

    (void) cbfunc;
    (void) cbdata;
    return rc == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : rc;
}
