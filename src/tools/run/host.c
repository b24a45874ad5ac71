/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the host does with an upcall. What needs nothing but its arguments is answered at once;
 * everything else becomes a task of the main thread. With one node nobody else need be asked. What
 * --script says goes before (script.c). */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodes.h"

static pmix_status_t post(struct upcall *upcall, void (*run)(struct px_run_task *task))
{
    struct px_run_task task = {.run = run, .upcall = *upcall};

    if (upcall->proc != NULL) {
        task.proc = *upcall->proc;
    }
    return px_run_task_post(&task);
}

static pmix_status_t fence(struct upcall *upcall)
{
    pmix_status_t rc = post(upcall, px_run_fence);

    upcall->data_taken = rc == PMIX_SUCCESS;
    return rc;
}

/* The library has told the processes of this node. */
static pmix_status_t notify(struct upcall *upcall)
{
    if (px_run.place == PX_RUN_ALONE || upcall->range == PMIX_RANGE_LOCAL ||
        upcall->range == PMIX_RANGE_RM || upcall->range == PMIX_RANGE_PROC_LOCAL) {
        return PMIX_OPERATION_SUCCEEDED;
    }
    return post(upcall, px_run_event);
}

/* ---- log: written by the main thread, which may wait for the reader of our output */

/* PMIX_ERR_IOF_FAILURE: nothing can be written any more; PMIX_ERR_NOMEM. */
static pmix_status_t log_one(const pmix_proc_t *client, const pmix_info_t *data)
{
    char tag[PMIX_MAX_NSLEN + 32] = "";
    char *line;

    if (px_run.options.tag_output) {
        snprintf(tag, sizeof(tag), "[%s,%u]<log>: ", client->nspace, client->rank);
    }
    int len = asprintf(&line, "%s%s\n", tag, data->value.data.string);
    if (len < 0) {
        return PMIX_ERR_NOMEM;
    }
    px_run_write(PMIX_CHECK_KEY(data, PMIX_LOG_STDERR) ? STDERR_FILENO : STDOUT_FILENO, line,
                 (size_t) len);
    free(line);
    return px_run.muted ? PMIX_ERR_IOF_FAILURE : PMIX_SUCCESS;
}

static bool can_log(const pmix_info_t *data)
{
    return (PMIX_CHECK_KEY(data, PMIX_LOG_STDOUT) || PMIX_CHECK_KEY(data, PMIX_LOG_STDERR)) &&
           data->value.type == PMIX_STRING && data->value.data.string != NULL;
}

static void log_data(struct px_run_task *task)
{
    const struct upcall *upcall = &task->upcall;
    pmix_status_t rc = PMIX_SUCCESS;
    size_t done = 0;

    for (size_t i = 0; i < upcall->n_infos && rc == PMIX_SUCCESS; i++) {
        if (can_log(&upcall->infos[i])) {
            rc = log_one(&task->proc, &upcall->infos[i]);
            done += rc == PMIX_SUCCESS;
        }
    }
    px_host_reply_status(upcall, done == upcall->n_infos ? PMIX_SUCCESS
                                 : done > 0              ? PMIX_ERR_PARTIAL_SUCCESS
                                                         : rc);
}

/* PMIX_ERR_NOT_SUPPORTED: nothing of it is for our output or error stream. The library then logs it
 * itself. */
static pmix_status_t log_later(struct upcall *upcall)
{
    for (size_t i = 0; i < upcall->n_infos; i++) {
        if (can_log(&upcall->infos[i])) {
            return post(upcall, log_data);
        }
    }
    return PMIX_ERR_NOT_SUPPORTED;
}

/* ---- processes between PMIx_Init and PMIx_Finalize. The library gives back as the object what it
 * was given for the process at registration (job.c). */

static bool is_watched(enum entry entry)
{
    return entry == ON_CONNECTED || entry == ON_FINALIZED;
}

static pmix_status_t connected(const struct upcall *upcall)
{
    struct px_run_proc *proc = (void *) upcall->object;

    if (proc != NULL && px_run_script_how(ON_FINALIZED) != MISSING) {
        atomic_fetch_add(&proc->n_open, 1);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

/* Whatever a script then answers: the process has called PMIx_Finalize. */
static const struct answer *script(struct upcall *upcall)
{
    struct px_run_proc *proc = (void *) upcall->object;

    if (upcall->entry == ON_FINALIZED && proc != NULL) {
        atomic_fetch_sub(&proc->n_open, 1);
    }
    return px_run_script(upcall);
}

/* ---- the module */

bool px_run_host_can(enum entry entry)
{
    static const bool all[N_ENTRIES] = {
        [ON_ABORT] = true,      [ON_FENCE] = true,  [ON_MODEX] = true,   [ON_PUBLISH] = true,
        [ON_LOOKUP] = true,     [ON_SPAWN] = true,  [ON_CONNECT] = true, [ON_UNPUBLISH] = true,
        [ON_DISCONNECT] = true, [ON_NOTIFY] = true, [ON_QUERY] = true,   [ON_REGISTER] = true,
        [ON_DEREGISTER] = true, [ON_LOG] = true,    [ON_GROUP] = true,   [ON_CONTROL] = true,
        [ON_TOOL] = true,       [ON_PULL] = true,   [ON_PUSH] = true,
    };

    return all[entry];
}

static pmix_status_t sound(struct upcall *upcall)
{
    bool alone = px_run.place == PX_RUN_ALONE;

    switch (upcall->entry) {
    case ON_ABORT:
        return post(upcall, px_run_abort);
    case ON_FENCE:
        return alone ? px_host_fence_alone(upcall) : fence(upcall);
    case ON_MODEX: /* alone, the library has all that there is */
        return alone ? PMIX_ERR_NOT_FOUND : post(upcall, px_run_modex);
    case ON_PUBLISH:
    case ON_LOOKUP:
    case ON_UNPUBLISH:
        return post(upcall, px_run_names);
    case ON_SPAWN:
        return post(upcall, alone ? px_run_spawn : px_run_spawn_all);
    case ON_CONNECT:
    case ON_DISCONNECT:
        return alone ? px_host_connect_alone(upcall) : post(upcall, px_run_connect);
    case ON_NOTIFY:
        return notify(upcall);
    case ON_REGISTER:
    case ON_DEREGISTER:
        return PMIX_OPERATION_SUCCEEDED;
    case ON_QUERY: /* what we do not know is left to the library */
        return px_run_query_knows(upcall->queries, upcall->n_queries) ? post(upcall, px_run_query)
                                                                      : PMIX_ERR_NOT_SUPPORTED;
    case ON_LOG:
        return log_later(upcall);
    case ON_CONTROL:
        return post(upcall, px_run_control);
    case ON_GROUP:
        return post(upcall, px_run_group);
    case ON_TOOL:
        return px_run_tool(upcall);
    case ON_PULL:
        return post(upcall, px_run_pull);
    case ON_PUSH:
        return post(upcall, px_run_push);
    case ON_CONNECTED:
        return connected(upcall);
    case ON_CONNECTED1:
    case ON_FINALIZED:
        return PMIX_OPERATION_SUCCEEDED;
    default:
        return PMIX_ERR_NOT_SUPPORTED;
    }
}

static bool has(enum entry entry)
{
    enum how how = px_run_script_how(entry);

    return how != MISSING && (how != BY_DEFAULT || px_run_host_can(entry) || is_watched(entry));
}

pmix_server_module_t *px_run_host_open(void)
{
    static const struct px_host host = {.has = has,
                                        .script = script,
                                        .sound = sound,
                                        .wait = px_run_script_wait,
                                        .frees_data = true};

    return px_host_module(&host);
}
