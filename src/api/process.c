/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Requests about processes and resources: spawn, job control, allocation, monitoring, logging,
 * sessions and resource blocks. Each call fills the arguments of its request (src/request/schema.h)
 * and starts or runs it; the server hands most of them to its host.
 *
 * Results of a blocking call are moved to the application, which frees them with PMIx_Info_free;
 * those of a non-blocking one belong to the library and are released by the callback's release
 * function. Which directives and operations are supported is the host's to decide. */

#include "call.h"
#include "src/request/reply.h"

/* The callback gets the namespace of the new job. At the server: call_spawn; spawn_answered adds
 * the job information of the new job to the reply (src/server/requests/requests.c). */
pmix_status_t PMIx_Spawn_nb(const pmix_info_t job_info[], size_t ninfo, const pmix_app_t apps[],
                            size_t napps, pmix_spawn_cbfunc_t cbfunc, void *cbdata)
{
    struct px_spawn_args args = {PX_DIRECTIVES_OF(job_info, ninfo), PX_BORROWED(apps), napps};

    return px_api_start(&px_request_spawn, &args.head, (px_callback) cbfunc, cbdata);
}

/* A failed request leaves *nspace alone. */
pmix_status_t PMIx_Spawn(const pmix_info_t job_info[], size_t ninfo, const pmix_app_t apps[],
                         size_t napps, pmix_nspace_t nspace)
{
    struct px_spawn_args args = {PX_DIRECTIVES_OF(job_info, ninfo), PX_BORROWED(apps), napps};
    struct px_reply reply = {0};
    pmix_status_t rc = px_api_run(&px_request_spawn, &args.head, &reply);

    if (nspace != NULL && rc == PMIX_SUCCESS) {
        PMIx_Load_nspace(nspace, reply.proc.nspace);
    }
    px_reply_fini(&reply);
    return rc;
}

/* targets NULL: the host decides which processes are meant (Standard: all of the caller's job). At
 * the server: call_job_control (src/server/requests/requests.c). */
pmix_status_t PMIx_Job_control_nb(const pmix_proc_t targets[], size_t ntargets,
                                  const pmix_info_t directives[], size_t ndirs,
                                  pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_job_control_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(targets),
                                       ntargets};

    return px_api_start(&px_request_job_control, &args.head, (px_callback) cbfunc, cbdata);
}

/* The results are the application's; NULL outputs drop them. */
pmix_status_t PMIx_Job_control(const pmix_proc_t targets[], size_t ntargets,
                               const pmix_info_t directives[], size_t ndirs, pmix_info_t **results,
                               size_t *nresults)
{
    struct px_job_control_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(targets),
                                       ntargets};

    return px_api_run_infos(&px_request_job_control, &args.head, results, nresults);
}

/* The kind of request travels with the directives; the results describe the allocation. At the
 * server: call_alloc (src/server/requests/requests.c). */
pmix_status_t PMIx_Allocation_request_nb(pmix_alloc_directive_t directive, pmix_info_t *info,
                                         size_t ninfo, pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_alloc_args args = {PX_DIRECTIVES_OF(info, ninfo), directive};

    return px_api_start(&px_request_alloc, &args.head, (px_callback) cbfunc, cbdata);
}

/* The blocking form, with results as PMIx_Job_control. */
pmix_status_t PMIx_Allocation_request(pmix_alloc_directive_t directive, pmix_info_t *info,
                                      size_t ninfo, pmix_info_t **results, size_t *nresults)
{
    struct px_alloc_args args = {PX_DIRECTIVES_OF(info, ninfo), directive};

    return px_api_run_infos(&px_request_alloc, &args.head, results, nresults);
}

/* The monitor is copied flat into the arguments, which are borrowed for the call. NULL:
 * PMIX_ERR_BAD_PARAM. At the server: call_monitor (src/server/requests/requests.c). */
pmix_status_t PMIx_Process_monitor_nb(const pmix_info_t *monitor, pmix_status_t error,
                                      const pmix_info_t directives[], size_t ndirs,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_monitor_args args = {.head = PX_DIRECTIVES_OF(directives, ndirs), .error = error};

    if (monitor != NULL) {
        args.monitor = *monitor;
    }
    return px_api_start(&px_request_monitor, monitor != NULL ? &args.head : NULL,
                        (px_callback) cbfunc, cbdata);
}

/* The blocking form, likewise. */
pmix_status_t PMIx_Process_monitor(const pmix_info_t *monitor, pmix_status_t error,
                                   const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_t **results, size_t *nresults)
{
    struct px_monitor_args args = {.head = PX_DIRECTIVES_OF(directives, ndirs), .error = error};

    if (monitor != NULL) {
        args.monitor = *monitor;
    }
    return px_api_run_infos(&px_request_monitor, monitor != NULL ? &args.head : NULL, results,
                            nresults);
}

#undef PMIx_Heartbeat

/* A monitor request with the key PMIX_SEND_HEARTBEAT, without a callback and without a result to
 * report. */
void PMIx_Heartbeat(void)
{
    pmix_info_t beat;

    PMIx_Info_construct(&beat);
    PMIx_Load_key(beat.key, PMIX_SEND_HEARTBEAT);
    (void) PMIx_Process_monitor_nb(&beat, PMIX_SUCCESS, NULL, 0, NULL, NULL);
}

/* The time of sending travels with the request. At the server: call_log
 * (src/server/requests/requests.c). */
pmix_status_t PMIx_Log_nb(const pmix_info_t data[], size_t ndata, const pmix_info_t directives[],
                          size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    struct px_log_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(data), ndata, 0};

    return px_api_start(&px_request_log, &args.head, (px_callback) cbfunc, cbdata);
}

/* The blocking form; it has no results. */
pmix_status_t PMIx_Log(const pmix_info_t data[], size_t ndata, const pmix_info_t directives[],
                       size_t ndirs)
{
    struct px_log_args args = {PX_DIRECTIVES_OF(directives, ndirs), PX_BORROWED(data), ndata, 0};

    return px_api_run(&px_request_log, &args.head, NULL);
}

/* Blocks if there is no callback; the results are then dropped. At the server: call_session_control
 * (src/server/requests/requests.c). */
pmix_status_t PMIx_Session_control(uint32_t sessionID, const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct px_session_args args = {PX_DIRECTIVES_OF(directives, ndirs), sessionID};

    return px_api_call(&px_request_session_control, &args.head, (px_callback) cbfunc, cbdata);
}

/* The units are borrowed for the call, as all arguments. At the server: call_block
 * (src/server/requests/requests.c). */
pmix_status_t PMIx_Resource_block_nb(pmix_resource_block_directive_t directive, char *block,
                                     const pmix_resource_unit_t *res, size_t nres,
                                     const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                     void *cbdata)
{
    struct px_block_args args = {PX_DIRECTIVES_OF(info, ninfo), directive, block, PX_BORROWED(res),
                                 nres};

    return px_api_start(&px_request_block, &args.head, (px_callback) cbfunc, cbdata);
}

/* The blocking form; it has no results. */
pmix_status_t PMIx_Resource_block(pmix_resource_block_directive_t directive, char *block,
                                  const pmix_resource_unit_t *res, size_t nres,
                                  const pmix_info_t *info, size_t ninfo)
{
    struct px_block_args args = {PX_DIRECTIVES_OF(info, ninfo), directive, block, PX_BORROWED(res),
                                 nres};

    return px_api_run(&px_request_block, &args.head, NULL);
}
