/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A job and what the library is told about it: one node, this one, that holds every process. */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

/* ---- waiting for the library */

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool done;
    pmix_status_t status;
};
#define WAITER_INIT                                                                                \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, PMIX_SUCCESS                   \
    }

static void wake(pmix_status_t status, void *cbdata)
{
    struct waiter *w = cbdata;

    pthread_mutex_lock(&w->lock);
    w->status = status;
    w->done = true;
    pthread_cond_signal(&w->cond);
    pthread_mutex_unlock(&w->lock);
}

/* The outcome of a call that returned rc and was given `wake` and w. */
static pmix_status_t await(struct waiter *w, pmix_status_t rc)
{
    if (rc != PMIX_SUCCESS) {
        return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
    }
    pthread_mutex_lock(&w->lock);
    while (!w->done) {
        pthread_cond_wait(&w->cond, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return w->status;
}

/* ---- making and releasing */

static void init_procs(struct px_run_job *job)
{
    pmix_rank_t rank = 0;

    for (int a = 0; a < job->n_apps; a++) {
        for (int i = 0; i < job->apps[a].n_procs; i++, rank++) {
            job->procs[rank].job = job;
            job->procs[rank].rank = rank;
            job->procs[rank].app = a;
            job->procs[rank].out[0] = (struct px_run_stream){.fd = -1, .to = STDOUT_FILENO};
            job->procs[rank].out[1] = (struct px_run_stream){.fd = -1, .to = STDERR_FILENO};
        }
    }
}

struct px_run_job *px_run_job_create(const char *nspace, struct px_run_app *apps, int n_apps)
{
    struct px_run_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        return NULL;
    }
    PMIX_LOAD_NSPACE(job->nspace, nspace);
    job->apps = apps;
    job->n_apps = n_apps;
    for (int a = 0; a < n_apps; a++) {
        job->n_procs += (uint32_t) apps[a].n_procs;
    }
    job->procs = calloc(job->n_procs, sizeof(*job->procs));
    if (job->procs == NULL) {
        px_run_job_destroy(job);
        return NULL;
    }
    init_procs(job);
    return job;
}

void px_run_job_destroy(struct px_run_job *job)
{
    if (job == NULL) {
        return;
    }
    for (uint32_t i = 0; job->procs != NULL && i < job->n_procs; i++) {
        free(job->procs[i].cpus);
        free(job->procs[i].cpuset);
    }
    free(job->procs);
    for (int a = 0; a < job->n_apps; a++) {
        px_run_env_free(job->apps[a].argv);
        px_run_env_free(job->apps[a].env);
        free(job->apps[a].cwd);
    }
    free(job->apps);
    free(job);
}

struct px_run_job *px_run_job_find(const char *nspace)
{
    for (struct px_run_job *job = px_run.jobs; job != NULL; job = job->next) {
        if (strcmp(job->nspace, nspace) == 0) {
            return job;
        }
    }
    return NULL;
}

/* ---- what the library is told. A list remembers its first failure, so that each line need not be
 * checked. */

struct list {
    void *infos;
    pmix_status_t rc;
};

static struct list list_start(void)
{
    return (struct list){.infos = PMIx_Info_list_start(), .rc = PMIX_SUCCESS};
}

static void add(struct list *list, const char *key, const void *value, pmix_data_type_t type)
{
    if (list->rc == PMIX_SUCCESS) {
        list->rc = PMIx_Info_list_add(list->infos, key, value, type);
    }
}

static void add_u32(struct list *list, const char *key, uint32_t value)
{
    add(list, key, &value, PMIX_UINT32);
}

static void add_u16(struct list *list, const char *key, uint32_t value)
{
    uint16_t small = (uint16_t) value;

    add(list, key, &small, PMIX_UINT16);
}

static void add_string(struct list *list, const char *key, const char *value)
{
    if (value != NULL) {
        add(list, key, value, PMIX_STRING);
    }
}

/* Ends `inner` and makes it one entry of `list`. */
static void add_array(struct list *list, const char *key, struct list *inner)
{
    pmix_data_array_t array = {.type = PMIX_INFO};
    pmix_status_t rc = inner->rc;

    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_convert(inner->infos, &array);
    }
    PMIx_Info_list_release(inner->infos);
    if (rc == PMIX_SUCCESS) {
        add(list, key, &array, PMIX_DATA_ARRAY);
        PMIX_DATA_ARRAY_DESTRUCT(&array);
    } else if (list->rc == PMIX_SUCCESS) {
        list->rc = rc;
    }
}

/* "0,1,2" with `separator` between; of the cpusets with ':'. malloc'd. */
static char *join_ranks(const struct px_run_job *job)
{
    size_t cap = (size_t) job->n_procs * 11 + 1;
    char *text = malloc(cap);
    size_t len = 0;

    for (uint32_t i = 0; text != NULL && i < job->n_procs; i++) {
        len += (size_t) snprintf(text + len, cap - len, "%s%u", i > 0 ? "," : "", i);
    }
    return text;
}

static char *join_argv(char **argv)
{
    return PMIx_Argv_join(argv, ' ');
}

static pmix_rank_t first_of_app(const struct px_run_job *job, int app)
{
    pmix_rank_t rank = 0;

    for (int a = 0; a < app; a++) {
        rank += (pmix_rank_t) job->apps[a].n_procs;
    }
    return rank;
}

static void add_locality(struct list *list, const struct px_run_proc *proc)
{
    pmix_cpuset_t cpuset = {0};
    char *locality = NULL;

    if (proc->cpuset == NULL) {
        return; /* bound nowhere: there is nothing to say */
    }
    add_string(list, PMIX_CPUSET, proc->cpuset);
    if (PMIx_Parse_cpuset_string(proc->cpuset, &cpuset) != PMIX_SUCCESS) {
        return;
    }
    if (PMIx_server_generate_locality_string(&cpuset, &locality) == PMIX_SUCCESS) {
        add_string(list, PMIX_LOCALITY_STRING, locality);
        free(locality);
    }
    PMIx_Cpuset_destruct(&cpuset);
}

static void add_proc(struct list *list, const struct px_run_proc *proc)
{
    const struct px_run_job *job = proc->job;
    struct list inner = list_start();

    add(&inner, PMIX_RANK, &proc->rank, PMIX_PROC_RANK);
    add_u32(&inner, PMIX_APPNUM, (uint32_t) proc->app);
    add(&inner, PMIX_APPLDR, &(pmix_rank_t){first_of_app(job, proc->app)}, PMIX_PROC_RANK);
    add(&inner, PMIX_APP_RANK, &(pmix_rank_t){proc->rank - first_of_app(job, proc->app)},
        PMIX_PROC_RANK);
    add(&inner, PMIX_GLOBAL_RANK, &proc->rank, PMIX_PROC_RANK);
    add_u16(&inner, PMIX_LOCAL_RANK, proc->rank);
    add_u16(&inner, PMIX_NODE_RANK, proc->rank);
    add_u32(&inner, PMIX_NODEID, 0);
    add_string(&inner, PMIX_HOSTNAME, px_run.hostname);
    add_u32(&inner, PMIX_REINCARNATION, 0);
    if (job->spawned) {
        add(&inner, PMIX_PARENT_ID, &job->parent, PMIX_PROC);
    }
    add_locality(&inner, proc);
    add_array(list, PMIX_PROC_DATA, &inner);
}

static void add_app(struct list *list, const struct px_run_job *job, int a)
{
    struct list inner = list_start();
    const struct px_run_app *app = &job->apps[a];
    char *command = join_argv(app->argv);

    add_u32(&inner, PMIX_APPNUM, (uint32_t) a);
    add_u32(&inner, PMIX_APP_SIZE, (uint32_t) app->n_procs);
    add(&inner, PMIX_APPLDR, &(pmix_rank_t){first_of_app(job, a)}, PMIX_PROC_RANK);
    add_string(&inner, PMIX_APP_ARGV, command);
    add_string(&inner, PMIX_WDIR, app->cwd);
    free(command);
    add_array(list, PMIX_APP_INFO_ARRAY, &inner);
}

static void add_node(struct list *list, const struct px_run_job *job, const char *ranks)
{
    struct list inner = list_start();

    add_string(&inner, PMIX_HOSTNAME, px_run.hostname);
    add_u32(&inner, PMIX_NODEID, 0);
    add_u32(&inner, PMIX_NODE_SIZE, job->n_procs);
    add_u32(&inner, PMIX_LOCAL_SIZE, job->n_procs);
    add(&inner, PMIX_LOCALLDR, &(pmix_rank_t){0}, PMIX_PROC_RANK);
    add_string(&inner, PMIX_LOCAL_PEERS, ranks);
    add_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

static void add_maps(struct list *list, const char *ranks)
{
    char *nodes = NULL;
    char *procs = NULL;

    if (PMIx_generate_regex(px_run.hostname, &nodes) == PMIX_SUCCESS &&
        PMIx_generate_ppn(ranks, &procs) == PMIX_SUCCESS) {
        add_string(list, PMIX_NODE_MAP, nodes);
        add_string(list, PMIX_PROC_MAP, procs);
    }
    free(nodes);
    free(procs);
}

static void add_job(struct list *list, const struct px_run_job *job, const char *ranks)
{
    char *command = join_argv(job->apps[0].argv);

    add_string(list, PMIX_JOBID, job->nspace);
    add_u32(list, PMIX_SESSION_ID, (uint32_t) getpid());
    add_u32(list, PMIX_JOB_SIZE, job->n_procs);
    add_u32(list, PMIX_UNIV_SIZE, job->n_procs);
    add_u32(list, PMIX_MAX_PROCS, job->n_procs);
    add_u32(list, PMIX_LOCAL_SIZE, job->n_procs);
    add_u32(list, PMIX_NODE_SIZE, job->n_procs);
    add_u32(list, PMIX_NUM_NODES, 1);
    add_u32(list, PMIX_NODEID, 0);
    add_u32(list, PMIX_JOB_NUM_APPS, (uint32_t) job->n_apps);
    add_string(list, PMIX_LOCAL_PEERS, ranks);
    add(list, PMIX_LOCALLDR, &(pmix_rank_t){0}, PMIX_PROC_RANK);
    add_maps(list, ranks);
    add_string(list, PMIX_MAPBY, "slot");
    add_string(list, PMIX_RANKBY, "slot");
    add_string(list, PMIX_BINDTO, px_run.options.bind_core ? "core" : "none");
    add_string(list, PMIX_CMD_LINE, command);
    add(list, PMIX_SPAWNED, &job->spawned, PMIX_BOOL);
    add(list, PMIX_TDIR_RMCLEAN, &(bool){false}, PMIX_BOOL);
    free(command);
}

static pmix_status_t describe(const struct px_run_job *job, pmix_data_array_t *ret_array)
{
    struct list list = list_start();
    char *ranks = join_ranks(job);

    if (ranks == NULL) {
        list.rc = PMIX_ERR_NOMEM;
    }
    add_job(&list, job, ranks);
    add_node(&list, job, ranks);
    free(ranks);
    for (int a = 0; a < job->n_apps; a++) {
        add_app(&list, job, a);
    }
    for (uint32_t i = 0; i < job->n_procs; i++) {
        add_proc(&list, &job->procs[i]);
    }
    pmix_status_t rc = list.rc;
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_convert(list.infos, ret_array);
    }
    PMIx_Info_list_release(list.infos);
    return rc;
}

pmix_status_t px_run_job_register(struct px_run_job *job)
{
    pmix_data_array_t array = {.type = PMIX_INFO};
    pmix_status_t rc = describe(job, &array);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    struct waiter w = WAITER_INIT;
    rc = PMIx_server_register_nspace(job->nspace, (int) job->n_procs, array.array, array.size, wake,
                                     &w);
    rc = await(&w, rc);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    job->registered = rc == PMIX_SUCCESS;
    for (uint32_t i = 0; rc == PMIX_SUCCESS && i < job->n_procs; i++) {
        struct waiter each = WAITER_INIT;
        pmix_proc_t id;
        PMIX_LOAD_PROCID(&id, job->nspace, i);
        rc = PMIx_server_register_client(&id, geteuid(), getegid(), &job->procs[i], wake, &each);
        rc = await(&each, rc);
    }
    if (rc != PMIX_SUCCESS) {
        px_run_job_deregister(job);
    }
    return rc;
}

void px_run_job_deregister(struct px_run_job *job)
{
    if (!job->registered) {
        return;
    }
    struct waiter w = WAITER_INIT;
    PMIx_server_deregister_nspace(job->nspace, wake, &w);
    (void) await(&w, PMIX_SUCCESS); /* nothing to be done about a failure */
    job->registered = false;
}
