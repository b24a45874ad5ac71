/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Spawn: a process starts another job under this pmixrun. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"

#define MAX_SPAWNED 65536 /* processes of one request */

struct wishes {
    bool notify;
    const char *cwd;
};

/* "VAR" with `value` before or after what it holds already. */
static pmix_status_t join_envar(char ***env, const pmix_envar_t *e, bool in_front)
{
    const char *old = px_run_env_get(*env, e->envar);
    char separator = e->separator != '\0' ? e->separator : ':';
    char *joined;

    if (old == NULL) {
        return px_run_env_set(env, e->envar, e->value);
    }
    int n = in_front ? asprintf(&joined, "%s%c%s", e->value, separator, old)
                     : asprintf(&joined, "%s%c%s", old, separator, e->value);
    if (n < 0) {
        return PMIX_ERR_NOMEM;
    }
    pmix_status_t rc = px_run_env_set(env, e->envar, joined);
    free(joined);
    return rc;
}

static pmix_status_t change_env(const pmix_info_t *info, char ***env, bool *ret_known)
{
    const pmix_envar_t *e = &info->value.data.envar;

    *ret_known = true;
    if (PMIX_CHECK_KEY(info, PMIX_UNSET_ENVAR) && info->value.type == PMIX_STRING) {
        px_run_env_unset(*env, info->value.data.string);
        return PMIX_SUCCESS;
    }
    if (info->value.type != PMIX_ENVAR || e->envar == NULL || e->value == NULL) {
        *ret_known = false;
        return PMIX_SUCCESS;
    }
    if (PMIX_CHECK_KEY(info, PMIX_SET_ENVAR)) {
        return px_run_env_set(env, e->envar, e->value);
    }
    if (PMIX_CHECK_KEY(info, PMIX_ADD_ENVAR)) {
        return px_run_env_get(*env, e->envar) != NULL ? PMIX_SUCCESS
                                                      : px_run_env_set(env, e->envar, e->value);
    }
    if (PMIX_CHECK_KEY(info, PMIX_PREPEND_ENVAR) || PMIX_CHECK_KEY(info, PMIX_APPEND_ENVAR)) {
        return join_envar(env, e, PMIX_CHECK_KEY(info, PMIX_PREPEND_ENVAR));
    }
    *ret_known = false;
    return PMIX_SUCCESS;
}

/* What the library itself adds, and what changes nothing here. */
static bool is_harmless(const pmix_info_t *info)
{
    static const char *const keys[] = {
        PMIX_SPAWNED,           PMIX_PARENT_ID, PMIX_REQUESTOR_IS_CLIENT,
        PMIX_REQUESTOR_IS_TOOL, PMIX_NON_PMI,   PMIX_TIMEOUT};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (PMIX_CHECK_KEY(info, keys[i])) {
            return true;
        }
    }
    return false;
}

/* One list of directives, of the job or of an application. A directive that is required must be
 * known. */
static pmix_status_t obey(const pmix_info_t *info, size_t n, char ***env, struct wishes *w)
{
    for (size_t i = 0; i < n; i++) {
        bool known;
        pmix_status_t rc = change_env(&info[i], env, &known);
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
        if (PMIX_CHECK_KEY(&info[i], PMIX_NOTIFY_COMPLETION)) {
            w->notify = PMIX_INFO_TRUE(&info[i]);
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_WDIR) && info[i].value.type == PMIX_STRING) {
            w->cwd = info[i].value.data.string;
        } else if (!known && !is_harmless(&info[i]) && PMIX_INFO_IS_REQUIRED(&info[i])) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
    }
    return PMIX_SUCCESS;
}

static pmix_status_t fill_app(const struct px_run_task *task, const pmix_app_t *from,
                              struct px_run_app *app, struct wishes *w)
{
    char *only_cmd[] = {from->cmd, NULL};
    bool has_argv = from->argv != NULL && from->argv[0] != NULL;
    if (!has_argv && from->cmd == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (from->maxprocs < 1 || from->maxprocs > MAX_SPAWNED) {
        return PMIX_ERR_BAD_PARAM;
    }
    app->n_procs = from->maxprocs;
    app->argv = px_run_env_copy(has_argv ? from->argv : only_cmd);
    app->env = px_run_env_copy(px_run.options.env);
    if (app->argv == NULL || app->env == NULL) {
        return PMIX_ERR_NOMEM;
    }
    pmix_status_t rc = obey(task->upcall.infos, task->upcall.n_infos, &app->env, w);
    for (char **e = from->env; rc == PMIX_SUCCESS && e != NULL && *e != NULL; e++) {
        rc = px_run_env_put(&app->env, *e);
    }
    if (rc == PMIX_SUCCESS) {
        rc = obey(from->info, from->ninfo, &app->env, w);
    }
    const char *cwd = from->cwd != NULL ? from->cwd : w->cwd;
    if (rc == PMIX_SUCCESS && cwd != NULL) {
        app->cwd = strdup(cwd);
        rc = app->cwd != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    /* The command is what is executed; the first argument is what the program sees. */
    if (rc == PMIX_SUCCESS && from->cmd != NULL && strcmp(from->cmd, app->argv[0]) != 0) {
        free(app->argv[0]);
        app->argv[0] = strdup(from->cmd);
        rc = app->argv[0] != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    }
    return rc;
}

static struct px_run_job *make_job(const struct px_run_task *task, const char *nspace,
                                   struct px_run_app *apps, struct wishes *w)
{
    struct px_run_job *job = px_run_job_create(nspace, apps, (int) task->upcall.n_apps);
    if (job != NULL) {
        job->spawned = true;
        job->input_rank = PMIX_RANK_INVALID;
        job->notify_parent = w->notify;
        job->parent = task->proc;
    }
    return job;
}

static pmix_status_t status_of(int error)
{
    return error == ENOENT || error == EACCES || error == ENOEXEC ? PMIX_ERR_JOB_EXE_NOT_FOUND
           : error == ENOMEM                                      ? PMIX_ERR_NOMEM
                                                                  : PMIX_ERR_JOB_FAILED_TO_LAUNCH;
}

/* The job is in the list from before its first process starts, so that each of them is found when
 * it ends. */
static pmix_status_t start_job(struct px_run_job *job)
{
    if (px_run.options.bind_core && px_run_bind(job) != 0) {
        px_run_job_destroy(job);
        return PMIX_ERR_NOMEM;
    }
    pmix_status_t rc = px_run_job_register(job);
    if (rc != PMIX_SUCCESS) {
        px_run_job_destroy(job);
        return rc;
    }
    struct px_run_job **last = &px_run.jobs;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = job;
    int error = px_run_job_launch(job);
    if (error == 0) {
        return PMIX_SUCCESS;
    }
    job->notify_parent = false;
    px_run_job_check(job);
    return status_of(error);
}

static pmix_status_t spawn(struct px_run_task *task, const char *nspace)
{
    const pmix_app_t *from = task->upcall.apps;
    struct wishes w = {0};
    pmix_status_t rc = PMIX_SUCCESS;

    if (task->upcall.n_apps == 0 || task->upcall.n_apps > MAX_SPAWNED) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_run.ending) {
        return PMIX_ERR_JOB_CANCELED;
    }
    struct px_run_app *apps = calloc(task->upcall.n_apps, sizeof(*apps));
    if (apps == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; rc == PMIX_SUCCESS && i < task->upcall.n_apps; i++) {
        w.cwd = NULL;
        rc = fill_app(task, &from[i], &apps[i], &w);
    }
    struct px_run_job *job = make_job(task, nspace, apps, &w); /* owns apps, also when it is NULL */
    if (job == NULL) {
        return PMIX_ERR_NOMEM;
    }
    if (rc != PMIX_SUCCESS) {
        px_run_job_destroy(job);
        return rc;
    }
    return start_job(job);
}

void px_run_spawn(struct px_run_task *task)
{
    pmix_nspace_t nspace;

    px_run.n_spawned++;
    snprintf(nspace, sizeof(nspace), "%.200s.%u", px_run.options.nspace, px_run.n_spawned);
    pmix_status_t rc = spawn(task, nspace);
    task->upcall.reply.spawn(rc, rc == PMIX_SUCCESS ? nspace : NULL, task->upcall.cbdata);
}

/* ---- with several nodes: every node starts its part, the relay waits for all */

void px_run_spawn_all(struct px_run_task *task)
{
    struct px_run_bytes b = {0};

    px_run_put_proc(&b, &task->proc);
    px_run_put_array(&b, task->upcall.infos, task->upcall.n_infos, PMIX_INFO);
    px_run_put_array(&b, task->upcall.apps, task->upcall.n_apps, PMIX_APP);
    uint64_t id = b.failed ? 0 : px_run_remote_keep(task);
    if (id == 0) {
        free(b.at);
        task->upcall.reply.spawn(PMIX_ERR_NOMEM, NULL, task->upcall.cbdata);
        return;
    }
    (void) px_run_remote_send(PX_RUN_SPAWN, PX_RUN_RELAY, id, 0, &b);
}

void px_run_spawn_asked(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct px_run_task task = {0};
    struct px_run_bytes b = {0};
    const char *nspace = px_run_get_string(payload);

    (void) head;
    px_run_get_proc(payload, &task.proc);
    pmix_info_t *info = px_run_get_array(payload, sizeof(*info), PMIX_INFO, &task.upcall.n_infos);
    pmix_app_t *apps = px_run_get_array(payload, sizeof(*apps), PMIX_APP, &task.upcall.n_apps);
    task.upcall.infos = info;
    task.upcall.apps = apps;
    pmix_status_t rc = payload->failed ? PMIX_ERR_UNPACK_FAILURE : spawn(&task, nspace);
    struct px_run_job *job = px_run_job_find(nspace);
    if (job == NULL) {
        px_run_remote_job_done(nspace, 0);
    } else {
        px_run_job_check(job); /* this node may have no part in it */
    }
    px_run_put_string(&b, nspace);
    (void) px_run_remote_send(PX_RUN_SPAWNED, PX_RUN_RELAY, 0, rc, &b);
    PMIx_Info_free(info, task.upcall.n_infos);
    PMIx_App_free(apps, task.upcall.n_apps);
}

void px_run_spawn_ended(const struct px_run_frame *head, struct px_run_reader *payload)
{
    const char *nspace = px_run_get_string(payload);
    struct px_run_job *job = px_run_job_find(nspace);
    struct px_run_task task;

    if (head->status != PMIX_SUCCESS && job != NULL) {
        pmix_proc_t all;
        PMIX_LOAD_PROCID(&all, nspace, PMIX_RANK_WILDCARD);
        job->notify_parent = false;
        px_run_signal(&all, SIGKILL, true);
    }
    if (head->from == px_run.node && px_run_remote_take(head->id, &task)) {
        pmix_nspace_t name;
        PMIX_LOAD_NSPACE(name, nspace);
        task.upcall.reply.spawn(head->status, head->status == PMIX_SUCCESS ? name : NULL,
                                task.upcall.cbdata);
    }
}
