/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The upcalls of the host. What needs nothing but its arguments is answered at once; everything
 * else becomes a task of the main thread. With one node nobody else need be asked. */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes.h"

static pmix_status_t abort_job(const pmix_proc_t *proc, void *server_object, int status,
                               const char msg[], pmix_proc_t procs[], size_t nprocs,
                               pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) server_object;
    return px_run_task_post(&(struct px_run_task){.run = px_run_abort,
                                                  .proc = *proc,
                                                  .number = status,
                                                  .args = procs,
                                                  .n_args = nprocs,
                                                  .more = msg,
                                                  .cb.op = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t fence_nb(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[],
                              size_t ninfo, char *data, size_t ndata, pmix_modex_cbfunc_t cbfunc,
                              void *cbdata)
{
    if (px_run.place == PX_RUN_ALONE) { /* what came from here is all there is */
        cbfunc(PMIX_SUCCESS, data, ndata, cbdata, free, data);
        return PMIX_SUCCESS;
    }
    return px_run_task_post(&(struct px_run_task){.run = px_run_fence,
                                                  .procs = procs,
                                                  .n_procs = nprocs,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .more = data,
                                                  .n_more = ndata,
                                                  .cb.modex = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  pmix_modex_cbfunc_t cbfunc, void *cbdata)
{
    if (px_run.place == PX_RUN_ALONE) { /* the library has all that is on this node */
        return PMIX_ERR_NOT_FOUND;
    }
    return px_run_task_post(&(struct px_run_task){.run = px_run_modex,
                                                  .proc = *proc,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.modex = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return px_run_task_post(&(struct px_run_task){.run = px_run_names,
                                                  .number = PX_RUN_PUBLISH,
                                                  .proc = *proc,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.op = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t lookup(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                            size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata)
{
    return px_run_task_post(&(struct px_run_task){.run = px_run_names,
                                                  .number = PX_RUN_LOOKUP,
                                                  .proc = *proc,
                                                  .keys = keys,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.lookup = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t unpublish(const pmix_proc_t *proc, char **keys, const pmix_info_t info[],
                               size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return px_run_task_post(&(struct px_run_task){.run = px_run_names,
                                                  .number = PX_RUN_UNPUBLISH,
                                                  .proc = *proc,
                                                  .keys = keys,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.op = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t spawn(const pmix_proc_t *proc, const pmix_info_t job_info[], size_t ninfo,
                           const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t cbfunc,
                           void *cbdata)
{
    bool alone = px_run.place == PX_RUN_ALONE;

    return px_run_task_post(&(struct px_run_task){.run = alone ? px_run_spawn : px_run_spawn_all,
                                                  .proc = *proc,
                                                  .args = job_info,
                                                  .n_args = ninfo,
                                                  .more = apps,
                                                  .n_more = napps,
                                                  .cb.spawn = cbfunc,
                                                  .cbdata = cbdata});
}

/* All participants on this node have come. */
static pmix_status_t join(bool connect, const pmix_proc_t procs[], size_t nprocs,
                          const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                          void *cbdata)
{
    if (px_run.place == PX_RUN_ALONE) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    return px_run_task_post(&(struct px_run_task){.run = px_run_connect,
                                                  .number = connect,
                                                  .procs = procs,
                                                  .n_procs = nprocs,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.op = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t connect_procs(const pmix_proc_t procs[], size_t nprocs,
                                   const pmix_info_t info[], size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata)
{
    return join(true, procs, nprocs, info, ninfo, cbfunc, cbdata);
}

static pmix_status_t disconnect_procs(const pmix_proc_t procs[], size_t nprocs,
                                      const pmix_info_t info[], size_t ninfo,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    return join(false, procs, nprocs, info, ninfo, cbfunc, cbdata);
}

/* The library has told the processes of this node. */
static pmix_status_t notify_event(pmix_status_t code, const pmix_proc_t *source,
                                  pmix_data_range_t range, pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    if (px_run.place == PX_RUN_ALONE || range == PMIX_RANGE_LOCAL || range == PMIX_RANGE_RM ||
        range == PMIX_RANGE_PROC_LOCAL) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    return px_run_task_post(&(struct px_run_task){.run = px_run_event,
                                                  .number = code,
                                                  .proc = *source,
                                                  .n_more = range,
                                                  .args = info,
                                                  .n_args = ninfo,
                                                  .cb.op = cbfunc,
                                                  .cbdata = cbdata});
}

static pmix_status_t register_events(pmix_status_t *codes, size_t ncodes, const pmix_info_t info[],
                                     size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) codes;
    (void) ncodes;
    (void) info;
    (void) ninfo;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t deregister_events(pmix_status_t *codes, size_t ncodes, pmix_op_cbfunc_t cbfunc,
                                       void *cbdata)
{
    (void) codes;
    (void) ncodes;
    (void) cbfunc;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t query(pmix_proc_t *proct, pmix_query_t *queries, size_t nqueries,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    if (!px_run_query_knows(queries, nqueries)) {
        return PMIX_ERR_NOT_SUPPORTED; /* leaves it to the library */
    }
    return px_run_task_post(&(struct px_run_task){.run = px_run_query,
                                                  .proc = *proct,
                                                  .args = queries,
                                                  .n_args = nqueries,
                                                  .cb.info = cbfunc,
                                                  .cbdata = cbdata});
}

static void log_one(const pmix_proc_t *client, const pmix_info_t *data)
{
    bool to_stderr = PMIX_CHECK_KEY(data, PMIX_LOG_STDERR);
    char tag[PMIX_MAX_NSLEN + 32] = "";

    if (px_run.options.tag_output) {
        snprintf(tag, sizeof(tag), "[%s,%u]<log>: ", client->nspace, client->rank);
    }
    /* One write: other threads write to the same descriptor. */
    dprintf(to_stderr ? STDERR_FILENO : STDOUT_FILENO, "%s%s\n", tag, data->value.data.string);
}

static bool can_log(const pmix_info_t *data)
{
    return (PMIX_CHECK_KEY(data, PMIX_LOG_STDOUT) || PMIX_CHECK_KEY(data, PMIX_LOG_STDERR)) &&
           data->value.type == PMIX_STRING && data->value.data.string != NULL;
}

static void log_data(const pmix_proc_t *client, const pmix_info_t data[], size_t ndata,
                     const pmix_info_t directives[], size_t ndirs, pmix_op_cbfunc_t cbfunc,
                     void *cbdata)
{
    size_t done = 0;

    (void) directives;
    (void) ndirs;
    for (size_t i = 0; i < ndata; i++) {
        if (can_log(&data[i])) {
            log_one(client, &data[i]);
            done++;
        }
    }
    cbfunc(done == ndata ? PMIX_SUCCESS
           : done > 0    ? PMIX_ERR_PARTIAL_SUCCESS
                         : PMIX_ERR_NOT_SUPPORTED,
           cbdata);
}

static pmix_status_t job_control(const pmix_proc_t *requestor, const pmix_proc_t targets[],
                                 size_t ntargets, const pmix_info_t directives[], size_t ndirs,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    return px_run_task_post(&(struct px_run_task){.run = px_run_control,
                                                  .proc = *requestor,
                                                  .args = directives,
                                                  .n_args = ndirs,
                                                  .more = targets,
                                                  .n_more = ntargets,
                                                  .cb.info = cbfunc,
                                                  .cbdata = cbdata});
}

/* ---- groups: when all members are here, the host's part is to number contexts */

struct group_answer {
    pmix_info_t info[2];
    size_t n;
};

static void release_group_answer(void *cbdata)
{
    struct group_answer *a = cbdata;

    for (size_t i = 0; i < a->n; i++) {
        PMIX_INFO_DESTRUCT(&a->info[i]);
    }
    free(a);
}

static bool wants_context(const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_ASSIGN_CONTEXT_ID)) {
            return PMIX_INFO_TRUE(&info[i]);
        }
    }
    return false;
}

static pmix_status_t group(pmix_group_operation_t op, char grp[], const pmix_proc_t procs[],
                           size_t nprocs, const pmix_info_t directives[], size_t ndirs,
                           pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    static size_t last_context; /* progress thread */

    if (px_run.place == PX_RUN_NODE) {
        return px_run_task_post(&(struct px_run_task){.run = px_run_group,
                                                      .number = op == PMIX_GROUP_CONSTRUCT,
                                                      .more = grp,
                                                      .procs = procs,
                                                      .n_procs = nprocs,
                                                      .args = directives,
                                                      .n_args = ndirs,
                                                      .cb.info = cbfunc,
                                                      .cbdata = cbdata});
    }
    if (op != PMIX_GROUP_CONSTRUCT) {
        cbfunc(PMIX_SUCCESS, NULL, 0, cbdata, NULL, NULL);
        return PMIX_SUCCESS;
    }
    struct group_answer *a = calloc(1, sizeof(*a));
    if (a == NULL) {
        return PMIX_ERR_NOMEM;
    }
    pmix_data_array_t members = {.type = PMIX_PROC, .size = nprocs, .array = (void *) procs};
    if (PMIx_Info_load(&a->info[a->n], PMIX_GROUP_MEMBERSHIP, &members, PMIX_DATA_ARRAY) ==
        PMIX_SUCCESS) {
        a->n++;
    }
    if (wants_context(directives, ndirs)) {
        last_context++;
        if (PMIx_Info_load(&a->info[a->n], PMIX_GROUP_CONTEXT_ID, &last_context, PMIX_SIZE) ==
            PMIX_SUCCESS) {
            a->n++;
        }
    }
    cbfunc(PMIX_SUCCESS, a->info, a->n, cbdata, release_group_answer, a);
    return PMIX_SUCCESS;
}

pmix_server_module_t px_run_module = {
    .abort = abort_job,
    .fence_nb = fence_nb,
    .direct_modex = direct_modex,
    .publish = publish,
    .lookup = lookup,
    .unpublish = unpublish,
    .spawn = spawn,
    .connect = connect_procs,
    .disconnect = disconnect_procs,
    .register_events = register_events,
    .deregister_events = deregister_events,
    .notify_event = notify_event,
    .query = query,
    .log = log_data,
    .job_control = job_control,
    .group = group,
};
