/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fabrics. The host has the information about a fabric; a register or update call fetches it into
 * the caller's pmix_fabric_t, which owns the infos. Nothing about fabrics is stored in the library,
 * so deregistering only frees those infos.
 *
 * The life of a pmix_fabric_t: register fills it, update fetches its infos again, deregister frees
 * them. It must not be used by two calls at once: the infos are replaced without a lock. */

#include "api.h"
#include "call.h"
#include "src/request/reply.h"
#include "src/value/infos.h"

/* Replaces the infos of the fabric by those of a successful reply, which gives them up, and takes
 * its index from there if the host gives it. Returns the status of the reply; after a failure the
 * fabric is unchanged. */
static pmix_status_t keep_info(pmix_fabric_t *fabric, struct px_reply *reply)
{
    const pmix_value_t *index = px_info_find(reply->info, reply->ninfo, PMIX_FABRIC_INDEX);

    if (reply->status == PMIX_SUCCESS) {
        if (index != NULL && index->type == PMIX_SIZE) {
            fabric->index = index->data.size;
        }
        PMIx_Info_free(fabric->info, fabric->ninfo);
        fabric->info = reply->info;
        fabric->ninfo = reply->ninfo;
        reply->info = NULL;
        reply->ninfo = 0;
    }
    return reply->status;
}

/* Completion of the non-blocking calls: fills the fabric before it calls the application. Loop
 * thread; the fabric has to be valid until then. */
static void fabric_done(const struct px_completion *to, struct px_reply *reply)
{
    pmix_op_cbfunc_t cbfunc = (pmix_op_cbfunc_t) to->callback;

    cbfunc(keep_info(to->target, reply), to->cbdata);
}

/* The non-blocking form of both requests. fabric NULL: PMIX_ERR_BAD_PARAM. */
static pmix_status_t start(const struct px_request *request, const struct px_fabric_args *args,
                           pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_completion to = {fabric_done, fabric, (px_callback) cbfunc, cbdata};

    return px_api_start_to(request, fabric != NULL ? &args->head : NULL, &to);
}

/* The blocking form, likewise. */
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

/* The fabric is identified by the directives; the index is sent as 0. At the server: call_fabric
 * (src/server/requests/requests.c). */
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

/* The fabric is identified by the index that its registration has set, or the application. At the
 * server: add_fabric_index, then call_fabric (src/server/requests/requests.c). */
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

/* Local: neither server nor host is asked. */
pmix_status_t PMIx_Fabric_deregister(pmix_fabric_t *fabric)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();

    if (ctx == NULL) {
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

/* Done within the call, so the callback is not called: PMIX_OPERATION_SUCCEEDED. */
pmix_status_t PMIx_Fabric_deregister_nb(pmix_fabric_t *fabric, pmix_op_cbfunc_t cbfunc,
                                        void *cbdata)
{
    pmix_status_t rc = PMIx_Fabric_deregister(fabric);

    (void) cbfunc;
    (void) cbdata;
    return rc == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : rc;
}
