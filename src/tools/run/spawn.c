/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Jobs as PMIx_Spawn describes them: those that a process starts under this pmixrun, and the one of
 * the command line. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodes.h"
#include "wishes.h"

#define MAX_APPS 65536

/* The command is what is executed; the first argument is what the program sees. */
static pmix_status_t fill_command(const pmix_app_t *from, struct px_run_app *app)
{
    char *only_cmd[] = {from->cmd, NULL};
    bool has_argv = from->argv != NULL && from->argv[0] != NULL;
    bool has_cmd = from->cmd != NULL && from->cmd[0] != '\0';

    if (!has_cmd && (!has_argv || from->argv[0][0] == '\0')) {
        return PMIX_ERR_JOB_NO_EXE_SPECIFIED;
    }
    app->cmd = strdup(has_cmd ? from->cmd : from->argv[0]);
    app->argv = px_env_copy(has_argv ? from->argv : only_cmd);
    app->env = px_env_copy(px_run.options.env);
    return app->cmd != NULL && app->argv != NULL && app->env != NULL ? PMIX_SUCCESS
                                                                     : PMIX_ERR_NOMEM;
}

/* The directory to start in: that of the application, else `wished` by its directives (NULL: not
 * given), else ours.
 * PMIX_ERR_JOB_WDIR_NOT_FOUND or PMIX_ERR_NOMEM. */
static pmix_status_t fill_directory(const pmix_app_t *from, const char *wished,
                                    struct px_run_app *app)
{
    const char *cwd = from->cwd != NULL && from->cwd[0] != '\0' ? from->cwd : wished;
    struct stat st;

    if (cwd == NULL) {
        app->cwd = getcwd(NULL, 0); /* NULL: a folder that is no more */
        return PMIX_SUCCESS;
    }
    if (stat(cwd, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return PMIX_ERR_JOB_WDIR_NOT_FOUND;
    }
    app->cwd = strdup(cwd);
    return app->cwd != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Reads the directives of the job, then the environment of the application, then its directives.
 * The job's directives are read again for each application, since they change its environment and
 * are the defaults of its own. Their effect on w->job counts with the first application only. */
static pmix_status_t read_directives(const struct upcall *order, const pmix_app_t *from,
                                     char ***env, struct px_run_wishes *w)
{
    struct px_run_job_wishes *job = w->job;
    struct px_run_job_wishes said = *job;
    pmix_rank_t first = w->app.first;

    w->app.env = env;
    w->app.first = 0;
    w->job = first == 0 ? job : &said;
    pmix_status_t rc = px_run_wishes_read(order->infos, order->n_infos, w);
    w->app.first = first;
    w->job = job;
    for (char **e = from->env; rc == PMIX_SUCCESS && e != NULL && *e != NULL; e++) {
        rc = px_env_put(env, *e);
    }
    return rc == PMIX_SUCCESS ? px_run_wishes_read(from->info, from->ninfo, w) : rc;
}

/* Makes one application. Its directives that are about the whole job are added to *job. Statuses of
 * fill_command, px_run_wishes_read, fill_directory and px_run_map. */
static pmix_status_t fill_app(const struct upcall *order, const pmix_app_t *from, uint32_t first,
                              struct px_run_app *app, struct px_run_job_wishes *job)
{
    struct px_run_wishes w = {.app.first = first, .job = job};
    pmix_status_t rc = fill_command(from, app);

    if (rc == PMIX_SUCCESS) {
        rc = read_directives(order, from, &app->env, &w);
    }
    if (rc == PMIX_SUCCESS) {
        rc = fill_directory(from, w.app.cwd, app);
    }
    app->n_procs = from->maxprocs;
    return rc == PMIX_SUCCESS ? px_run_map(app, first, &w.app) : rc;
}

/* ---- the job */

static bool is_stopped(const pmix_value_t *stop, pmix_rank_t rank)
{
    if (stop->type == PMIX_PROC_RANK) {
        return stop->data.rank == PMIX_RANK_WILDCARD || stop->data.rank == rank;
    }
    if (stop->type != PMIX_DATA_ARRAY) {
        return true;
    }
    const pmix_rank_t *ranks = stop->data.darray->array;
    for (size_t i = 0; i < stop->data.darray->size; i++) {
        if (ranks[i] == rank || ranks[i] == PMIX_RANK_WILDCARD) {
            return true;
        }
    }
    return false;
}

/* What the processes and the library are to find in the job's information. */
static bool is_of_the_job(const pmix_info_t *info)
{
    return PMIX_CHECK_KEY(info, PMIX_DEBUG_TARGET) ||
           PMIX_CHECK_KEY(info, PMIX_DEBUG_STOP_IN_INIT) ||
           PMIX_CHECK_KEY(info, PMIX_DEBUG_STOP_IN_APP);
}

static pmix_status_t keep_infos(struct px_run_job *job, const pmix_info_t *info, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pmix_status_t rc;
        pmix_info_t *more;

        if (!is_of_the_job(&info[i])) {
            continue;
        }
        more = realloc(job->more, (job->n_more + 1) * sizeof(*more));
        if (more == NULL) {
            return PMIX_ERR_NOMEM;
        }
        job->more = more;
        memset(&more[job->n_more], 0, sizeof(*more));
        rc = PMIx_Info_xfer(&more[job->n_more], &info[i]);
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
        job->n_more++;
    }
    return PMIX_SUCCESS;
}

/* All applications; what they say of the job is added up. Statuses of fill_app, and
 * PMIX_ERR_OUT_OF_RESOURCE. */
static pmix_status_t fill_apps(const struct upcall *order, struct px_run_app *apps,
                               struct px_run_job_wishes *w)
{
    uint32_t first = 0;
    pmix_status_t rc = PMIX_SUCCESS;

    for (size_t i = 0; rc == PMIX_SUCCESS && i < order->n_apps; i++) {
        rc = fill_app(order, &order->apps[i], first, &apps[i], w);
        first += rc == PMIX_SUCCESS ? (uint32_t) apps[i].n_procs : 0;
        rc = first > PX_RUN_MAX_PROCS ? PMIX_ERR_OUT_OF_RESOURCE : rc;
    }
    return rc;
}

/* PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
static pmix_status_t keep_files(struct px_run_job *job, const struct px_run_job_wishes *w)
{
    const char *name = w->to.file != NULL ? w->to.file : w->to.directory;

    if (name == NULL) {
        return PMIX_SUCCESS;
    }
    if (name[0] == '\0' || (w->to.file != NULL && w->to.directory != NULL)) {
        return PMIX_ERR_BAD_PARAM;
    }
    job->to.file = w->to.file != NULL ? strdup(name) : NULL;
    job->to.directory = w->to.file == NULL ? strdup(name) : NULL;
    job->to.pattern = w->to.pattern;
    job->file_only = w->file_only;
    return job->to.file != NULL || job->to.directory != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
}

/* Sets the fields of the job that its wishes say. 0 or PMIX_ERR_NOMEM. */
static pmix_status_t fill_job(struct px_run_job *job, const struct upcall *order,
                              const struct px_run_job_wishes *w)
{
    pmix_status_t rc = keep_infos(job, order->infos, order->n_infos);

    for (size_t i = 0; rc == PMIX_SUCCESS && i < order->n_apps; i++) {
        rc = keep_infos(job, order->apps[i].info, order->apps[i].ninfo);
    }
    job->input_rank = w->input_rank;
    job->format = w->format;
    job->merge = w->merge;
    job->raw = w->raw;
    rc = rc == PMIX_SUCCESS ? keep_files(job, w) : rc;
    for (uint32_t i = 0; w->stop != NULL && i < job->n_procs; i++) {
        job->procs[i].stopped = is_stopped(w->stop, i);
        job->stops = job->stops || job->procs[i].stopped;
    }
    return rc;
}

pmix_status_t px_run_job_make(const struct upcall *order, const char *nspace,
                              struct px_run_job_wishes *wishes, struct px_run_job **ret_job)
{
    struct px_run_app *apps = calloc(order->n_apps, sizeof(*apps));

    if (apps == NULL) {
        return PMIX_ERR_NOMEM;
    }
    pmix_status_t rc = fill_apps(order, apps, wishes);
    if (rc != PMIX_SUCCESS) {
        px_run_apps_destroy(apps, (int) order->n_apps);
        return rc;
    }
    struct px_run_job *job = px_run_job_create(nspace, apps, (int) order->n_apps);
    rc = job != NULL ? fill_job(job, order, wishes) : PMIX_ERR_NOMEM;
    if (rc != PMIX_SUCCESS) {
        px_run_job_destroy(job);
        return rc;
    }
    *ret_job = job;
    return PMIX_SUCCESS;
}

/* ---- the call */

static pmix_status_t status_of(int error)
{
    return error == ENOENT || error == EACCES || error == ENOEXEC ? PMIX_ERR_JOB_EXE_NOT_FOUND
           : error == EPERM                                       ? PMIX_ERR_NOT_SUPPORTED
           : error == ENOMEM                                      ? PMIX_ERR_NOMEM
                                                                  : PMIX_ERR_JOB_FAILED_TO_LAUNCH;
}

/* The job is in the list from before its first process starts, so that each of them is found when
 * it ends. Of one of which nothing has started there may be nobody who ends: the caller lets that
 * be looked at (px_run_job_check) when it has told how the start went. */
static pmix_status_t start_job(struct px_run_job *job)
{
    pmix_status_t rc = px_run.options.bind_core ? px_run_bind(job) : PMIX_SUCCESS;

    rc = rc == PMIX_SUCCESS ? px_run_job_register(job) : rc;
    if (rc == PMIX_SUCCESS) {
        px_run_bind_say(job);
        rc = px_run_job_add(job);
    }
    if (rc != PMIX_SUCCESS) {
        px_run_job_deregister(job);
        px_run_job_destroy(job);
        return rc;
    }
    int error = px_run_job_launch(job);
    if (error == 0) {
        return PMIX_SUCCESS;
    }
    job->notify_parent = false;
    return status_of(error);
}

/* What start_job says about the end of the job goes for this, too. */
static pmix_status_t spawn(const struct px_run_task *task, const char *nspace, uint32_t home)
{
    struct px_run_job_wishes w = {.input_rank = PMIX_RANK_INVALID};
    struct px_run_job *job;

    if (task->upcall.n_apps == 0 || task->upcall.n_apps > MAX_APPS) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (px_run.ending) {
        return PMIX_ERR_JOB_CANCELED;
    }
    pmix_status_t rc = px_run_job_make(&task->upcall, nspace, &w, &job);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    job->spawned = true;
    job->home = home;
    job->forwarded = w.from_tool ? w.forwarded : 0;
    job->notify_parent = w.notify || w.job_events;
    job->tell_start = w.job_events;
    job->apart = w.tool || w.from_tool;
    job->parent = task->proc;
    return start_job(job);
}

void px_run_spawn(struct px_run_task *task)
{
    pmix_nspace_t nspace;

    px_run.n_spawned++;
    snprintf(nspace, sizeof(nspace), "%.200s.%u", px_run.options.nspace, px_run.n_spawned);
    pmix_status_t rc = spawn(task, nspace, px_run.node);
    task->upcall.reply.spawn(rc, rc == PMIX_SUCCESS ? nspace : NULL, task->upcall.cbdata);
    struct px_run_job *job = px_run_job_find(nspace);
    if (rc == PMIX_SUCCESS) {
        px_run_say_started(job);
    } else if (job != NULL) {
        px_run_job_check(job);
    }
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

    px_run_get_proc(payload, &task.proc);
    pmix_info_t *info = px_run_get_array(payload, sizeof(*info), PMIX_INFO, &task.upcall.n_infos);
    pmix_app_t *apps = px_run_get_array(payload, sizeof(*apps), PMIX_APP, &task.upcall.n_apps);
    task.upcall.infos = info;
    task.upcall.apps = apps;
    pmix_status_t rc = payload->failed ? PMIX_ERR_UNPACK_FAILURE : spawn(&task, nspace, head->from);
    struct px_run_job *job = px_run_job_find(nspace);
    px_run_put_string(&b, nspace);
    (void) px_run_remote_send(PX_RUN_SPAWNED, PX_RUN_RELAY, 0, rc, &b);
    if (job == NULL) { /* the relay hears of the end behind the start */
        px_run_remote_job_done(nspace, 0);
    } else {
        px_run_job_check(job); /* this node may have no part in it */
    }
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
        if (head->status == PMIX_SUCCESS && job != NULL) {
            px_run_say_started(job);
        }
    }
}
