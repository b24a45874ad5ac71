/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests about processes and resources. */

#include "api.h"

pmix_status_t PMIx_Spawn_nb(const pmix_info_t job_info[], size_t ninfo, const pmix_app_t apps[],
                            size_t napps, pmix_spawn_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, spawn_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (apps == NULL || napps == 0 || cbfunc == NULL || (job_info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->spawn_nb(ctx, job_info, ninfo, apps, napps, cbfunc, cbdata);
}

struct spawning {
    struct px_wait wait;
    char *nspace; /* the caller's, or NULL */
};

static void spawned(pmix_status_t status, pmix_nspace_t nspace, void *cbdata)
{
    struct spawning *spawning = cbdata;

    if (spawning->nspace != NULL && nspace != NULL) {
        PMIx_Load_nspace(spawning->nspace, nspace);
    }
    px_wait_done(&spawning->wait, status);
}

pmix_status_t PMIx_Spawn(const pmix_info_t job_info[], size_t ninfo, const pmix_app_t apps[],
                         size_t napps, pmix_nspace_t nspace)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct spawning spawning = {.nspace = nspace};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&spawning.wait);
    rc = PMIx_Spawn_nb(job_info, ninfo, apps, napps, spawned, &spawning);
    return px_api_await(ctx, &spawning.wait, rc);
}

pmix_status_t PMIx_Job_control_nb(const pmix_proc_t targets[], size_t ntargets,
                                  const pmix_info_t directives[], size_t ndirs,
                                  pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, job_control_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (directives == NULL || ndirs == 0 || (targets == NULL && ntargets > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->job_control_nb(ctx, targets, ntargets, directives, ndirs, cbfunc, cbdata);
}

pmix_status_t PMIx_Job_control(const pmix_proc_t targets[], size_t ntargets,
                               const pmix_info_t directives[], size_t ndirs, pmix_info_t **results,
                               size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Job_control_nb(targets, ntargets, directives, ndirs, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}

pmix_status_t PMIx_Allocation_request_nb(pmix_alloc_directive_t directive, pmix_info_t *info,
                                         size_t ninfo, pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, alloc_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (info == NULL && ninfo > 0) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->alloc_nb(ctx, directive, info, ninfo, cbfunc, cbdata);
}

pmix_status_t PMIx_Allocation_request(pmix_alloc_directive_t directive, pmix_info_t *info,
                                      size_t ninfo, pmix_info_t **results, size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Allocation_request_nb(directive, info, ninfo, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}

pmix_status_t PMIx_Process_monitor_nb(const pmix_info_t *monitor, pmix_status_t error,
                                      const pmix_info_t directives[], size_t ndirs,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, monitor_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (monitor == NULL || (directives == NULL && ndirs > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->monitor_nb(ctx, monitor, error, directives, ndirs, cbfunc, cbdata);
}

pmix_status_t PMIx_Process_monitor(const pmix_info_t *monitor, pmix_status_t error,
                                   const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_t **results, size_t *nresults)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = PMIx_Process_monitor_nb(monitor, error, directives, ndirs, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, results, nresults);
}

void PMIx_Heartbeat(void)
{
    pmix_info_t beat;

    PMIx_Info_construct(&beat);
    PMIx_Load_key(beat.key, PMIX_SEND_HEARTBEAT);
    (void) PMIx_Process_monitor_nb(&beat, PMIX_SUCCESS, NULL, 0, NULL, NULL); /* nobody to tell */
}

pmix_status_t PMIx_Log_nb(const pmix_info_t data[], size_t ndata, const pmix_info_t directives[],
                          size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, log_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (data == NULL || ndata == 0 || (directives == NULL && ndirs > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->log_nb(ctx, data, ndata, directives, ndirs, cbfunc, cbdata);
}

pmix_status_t PMIx_Log(const pmix_info_t data[], size_t ndata, const pmix_info_t directives[],
                       size_t ndirs)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Log_nb(data, ndata, directives, ndirs, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}

/* Without a callback the call is a blocking one. */
pmix_status_t PMIx_Session_control(uint32_t sessionID, const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_results kept = {0};
    pmix_status_t rc = PX_ENTER(ctx, session_control_nb);

    if (rc == PMIX_SUCCESS && directives == NULL && ndirs > 0) {
        rc = PMIX_ERR_BAD_PARAM;
    }
    if (rc == PMIX_SUCCESS && cbfunc != NULL) {
        return ctx->ops->session_control_nb(ctx, sessionID, directives, ndirs, cbfunc, cbdata);
    }
    if (rc == PMIX_SUCCESS) {
        rc = px_api_may_block(ctx);
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&kept.wait);
    rc = ctx->ops->session_control_nb(ctx, sessionID, directives, ndirs, px_api_info_done, &kept);
    return px_api_await_results(ctx, &kept, rc, NULL, NULL);
}

pmix_status_t PMIx_Resource_block_nb(pmix_resource_block_directive_t directive, char *block,
                                     const pmix_resource_unit_t *res, size_t nres,
                                     const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                     void *cbdata)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    pmix_status_t rc = PX_ENTER(ctx, resource_block_nb);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if ((res == NULL && nres > 0) || (info == NULL && ninfo > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    return ctx->ops->resource_block_nb(ctx, directive, block, res, nres, info, ninfo, cbfunc,
                                       cbdata);
}

pmix_status_t PMIx_Resource_block(pmix_resource_block_directive_t directive, char *block,
                                  const pmix_resource_unit_t *res, size_t nres,
                                  const pmix_info_t *info, size_t ninfo)
{
    PX_SCOPED struct px_ctx *ctx = px_ctx_enter();
    struct px_wait wait;
    pmix_status_t rc = px_api_may_block(ctx);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    px_wait_init(&wait);
    rc = PMIx_Resource_block_nb(directive, block, res, nres, info, ninfo, px_api_op_done, &wait);
    return px_api_await(ctx, &wait, rc);
}
