/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Entries of a server module, served here. Like those of any host they are called on the loop
 * thread, and answer before they return. What they do to processes is done for this user only:
 * PMIX_ERR_NO_PERMISSIONS to others, whom the launcher's own module may have let in. */

#include "local_host.h"

#include <signal.h>

#include "local_input.h"
#include "local_job.h"
#include "src/base/assert.h"
#include "src/context/context.h"
#include "src/request/args.h"
#include "src/request/schema.h"
#include "src/server/events/passed_events.h"
#include "src/server/peers/access.h"
#include "src/server/self/loop_call.h"
#include "src/value/infos.h"

/* The only server of the process, whose loop thread this is. */
static struct px_server *here(void)
{
    struct px_server *s = px_server_of(px_ctx());

    px_assert(s && px_loop_inside(s->loop));
    return s;
}

/* Asks the server that the launcher is connected to. PMIX_ERR_UNREACH: there is none. */
static pmix_status_t spawn_above(struct px_server *s, const struct px_spawn_args *args,
                                 pmix_spawn_cbfunc_t cbfunc, void *cbdata)
{
    const struct px_completion to = px_completion_of(&px_reply_spawn, (px_callback) cbfunc, cbdata);

    return s->above ? s->above->request(s->ctx, &px_request_spawn, &args->head, &to)
                    : PMIX_ERR_UNREACH;
}

/* A spawn of a client is served as one of the launcher itself is: by its server, if it has one. */
static pmix_status_t local_spawn(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                 const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t cbfunc,
                                 void *cbdata)
{
    const struct px_local_spawn spawn = {proc, info, ninfo, apps, napps};
    const struct px_spawn_args args = {PX_DIRECTIVES_OF(info, ninfo), PX_BORROWED(apps), napps};
    struct px_server *s = here();
    pmix_nspace_t nspace;
    int rc;

    if (!px_access_command(s, proc)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    rc = spawn_above(s, &args, cbfunc, cbdata);
    if (rc != PMIX_ERR_UNREACH) {
        return rc;
    }
    rc = px_local_job_start(s, &spawn, nspace);
    if (!rc) {
        cbfunc(PMIX_SUCCESS, nspace, cbdata);
        px_local_job_announce(s, nspace);
    }
    return rc;
}

/* PMIX_ERR_NOT_SUPPORTED: a process was not started here, and this host can end no other. */
static pmix_status_t local_abort(const pmix_proc_t *proc, void *object, int status,
                                 const char msg[], pmix_proc_t procs[], size_t nprocs,
                                 pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    pmix_proc_t all = {.rank = PMIX_RANK_WILDCARD};
    struct px_server *s = here();

    (void) object;
    (void) status;
    (void) msg;
    (void) cbfunc;
    (void) cbdata;
    if (!px_access_command(s, proc)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    PMIx_Load_nspace(all.nspace, proc->nspace);
    return px_local_jobs_signal(s, procs ? procs : &all, procs ? nprocs : 1, SIGKILL)
               ? PMIX_OPERATION_SUCCEEDED
               : PMIX_ERR_NOT_SUPPORTED;
}

/* The signal that the directives ask for; 0: they ask for something else, or for nothing. A value
 * of a wrong type is something else. */
static int signal_of(const pmix_info_t info[], size_t ninfo)
{
    const pmix_value_t *value = px_info_find(info, ninfo, PMIX_JOB_CTRL_SIGNAL);
    uint32_t number = 0;

    if (value) {
        return !px_value_u32(value, &number) && number < NSIG ? (int) number : 0;
    }
    if (px_infos_flag(info, ninfo, PMIX_JOB_CTRL_KILL)) {
        return SIGKILL;
    }
    if (px_infos_flag(info, ninfo, PMIX_JOB_CTRL_TERMINATE)) {
        return SIGTERM;
    }
    if (px_infos_flag(info, ninfo, PMIX_JOB_CTRL_PAUSE)) {
        return SIGSTOP;
    }
    return px_infos_flag(info, ninfo, PMIX_JOB_CTRL_RESUME) ? SIGCONT : 0;
}

/* Without targets: the processes of the requester's job; of all jobs if the requester is this tool.
 * PMIX_ERR_NOT_SUPPORTED: the directives ask for something else than a signal. */
static pmix_status_t local_control(const pmix_proc_t *proc, const pmix_proc_t targets[],
                                   size_t ntargets, const pmix_info_t directives[], size_t ndirs,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    pmix_proc_t all = {.rank = PMIX_RANK_WILDCARD};
    struct px_server *s = here();
    int number = signal_of(directives, ndirs);

    (void) cbfunc;
    (void) cbdata;
    if (!px_access_command(s, proc)) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    if (!PMIx_Check_nspace(proc->nspace, s->self.nspace)) {
        PMIx_Load_nspace(all.nspace, proc->nspace);
    }
    if (!number) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return px_local_jobs_signal(s, ntargets ? targets : &all, ntargets ? ntargets : 1, number)
               ? PMIX_OPERATION_SUCCEEDED
               : PMIX_ERR_NOT_FOUND;
}

/* Input for processes that were started here. It is answered when they have taken it, so that they
 * are not pushed to faster than they read; PMIX_ERR_IOF_COMPLETE if none of them reads any more. */
static pmix_status_t local_push(const pmix_proc_t *source, const pmix_proc_t targets[],
                                size_t ntargets, const pmix_info_t directives[], size_t ndirs,
                                const pmix_byte_object_t *bo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    bool last = bo->size == 0 || px_infos_flag(directives, ndirs, PMIX_IOF_COMPLETE);
    struct px_server *s = here();
    struct px_local_push *push;
    int rc = px_access_command(s, source) ? px_local_jobs_accept(s, targets, ntargets)
                                          : PMIX_ERR_NO_PERMISSIONS;

    if (rc) {
        return rc;
    }
    push = px_local_push_begin(bo, last, cbfunc, cbdata);
    if (!push) {
        return PMIX_ERR_NOMEM;
    }
    px_local_jobs_push(s, targets, ntargets, push);
    return PMIX_SUCCESS;
}

/* The server has checked the user. A tool without a name gets one from the server. */
static void local_tool(pmix_info_t *info, size_t ninfo, pmix_tool_connection_cbfunc_t cbfunc,
                       void *cbdata)
{
    const char *nspace = px_value_text(px_info_find(info, ninfo, PMIX_TOOL_NSPACE));
    const pmix_value_t *rank = px_info_find(info, ninfo, PMIX_TOOL_RANK);
    pmix_proc_t proc = {.rank = rank && rank->type == PMIX_PROC_RANK ? rank->data.rank : 0};

    if (nspace) {
        PMIx_Load_nspace(proc.nspace, nspace);
    }
    cbfunc(PMIX_SUCCESS, &proc, cbdata);
}

void px_local_host_fill(pmix_server_module_t *module, bool given)
{
    module->spawn = module->spawn ? module->spawn : local_spawn;
    module->abort = module->abort ? module->abort : local_abort;
    module->job_control = module->job_control ? module->job_control : local_control;
    module->push_stdin = module->push_stdin ? module->push_stdin : local_push;
    if (!given) {
        module->tool_connected = local_tool;
    }
}
