/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A job and what the library is told about it. Every node is told the same, apart from what is
 * about the node itself. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes.h"

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
            job->procs[rank].node = job->apps[a].place != NULL ? job->apps[a].place[i]
                                                               : px_run_node_of(rank, job->n_procs);
            job->procs[rank].out[0] = (struct px_run_stream){.fd = -1, .to = STDOUT_FILENO};
            job->procs[rank].out[1] = (struct px_run_stream){.fd = -1, .to = STDERR_FILENO};
        }
    }
}

static void number_on_nodes(struct px_run_job *job)
{
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < job->n_procs; i++) {
            if (job->procs[i].node == node) {
                job->procs[i].local_rank = n++;
            }
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
    number_on_nodes(job);
    return job;
}

void px_run_apps_destroy(struct px_run_app *apps, int n)
{
    for (int a = 0; a < n; a++) {
        free(apps[a].cmd);
        px_env_free(apps[a].argv);
        px_env_free(apps[a].env);
        free(apps[a].cwd);
        free(apps[a].place);
    }
    free(apps);
}

void px_run_job_empty(struct px_run_job *job)
{
    for (uint32_t i = 0; job->procs != NULL && i < job->n_procs; i++) {
        free(job->procs[i].cpus);
        free(job->procs[i].cpuset);
    }
    free(job->procs);
    job->procs = NULL;
    job->failed = NULL;
    px_run_apps_destroy(job->apps, job->n_apps);
    job->apps = NULL;
    job->n_apps = 0;
    for (size_t i = 0; i < job->n_more; i++) {
        PMIx_Info_destruct(&job->more[i]);
    }
    free(job->more);
    job->more = NULL;
    job->n_more = 0;
    free((char *) (uintptr_t) job->to.file);
    free((char *) (uintptr_t) job->to.directory);
    job->to = (struct px_output_file){0};
}

void px_run_job_destroy(struct px_run_job *job)
{
    if (job == NULL) {
        return;
    }
    px_run_job_empty(job);
    free(job->nodes);
    free(job->tally);
    free(job);
}

pmix_status_t px_run_job_status(const struct px_run_job *job)
{
    if (job->procs == NULL) {
        return job->end;
    }
    if (job->code == 0) {
        return PMIX_SUCCESS;
    }
    if (job->failed != NULL && WIFSIGNALED(job->failed->status)) {
        return PMIX_ERR_JOB_ABORTED_BY_SIG;
    }
    return job->failed != NULL && job->failed->status == 0 ? PMIX_ERR_JOB_TERM_WO_SYNC
                                                           : PMIX_ERR_JOB_NON_ZERO_TERM;
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

static void add_info(struct list *list, const char *key, const void *value, pmix_data_type_t type)
{
    if (list->rc == PMIX_SUCCESS) {
        list->rc = PMIx_Info_list_add(list->infos, key, value, type);
    }
}

static void add_u32(struct list *list, const char *key, uint32_t value)
{
    add_info(list, key, &value, PMIX_UINT32);
}

static void add_u16(struct list *list, const char *key, uint32_t value)
{
    uint16_t small = (uint16_t) value;

    add_info(list, key, &small, PMIX_UINT16);
}

static void add_string(struct list *list, const char *key, const char *value)
{
    if (value != NULL) {
        add_info(list, key, value, PMIX_STRING);
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
        add_info(list, key, &array, PMIX_DATA_ARRAY);
        PMIX_DATA_ARRAY_DESTRUCT(&array);
    } else if (list->rc == PMIX_SUCCESS) {
        list->rc = rc;
    }
}

/* "0,1,2": the ranks on a node; "" when it has none. malloc'd. */
static char *join_ranks(const struct px_run_job *job, uint32_t node)
{
    size_t cap = (size_t) job->n_procs * 11 + 1;
    char *text = malloc(cap);
    size_t len = 0;

    if (text != NULL) {
        text[0] = '\0';
    }
    for (uint32_t i = 0; text != NULL && i < job->n_procs; i++) {
        if (job->procs[i].node == node) {
            len += (size_t) snprintf(text + len, cap - len, "%s%u", len > 0 ? "," : "", i);
        }
    }
    return text;
}

static uint32_t count_on(const struct px_run_job *job, uint32_t node)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < job->n_procs; i++) {
        n += job->procs[i].node == node;
    }
    return n;
}

/* Of the nodes that have processes of the job. */
static uint32_t count_nodes(const struct px_run_job *job)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        n += count_on(job, node) > 0;
    }
    return n;
}

static pmix_rank_t first_on(const struct px_run_job *job, uint32_t node)
{
    for (uint32_t i = 0; i < job->n_procs; i++) {
        if (job->procs[i].node == node) {
            return i;
        }
    }
    return PMIX_RANK_INVALID;
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

    add_info(&inner, PMIX_RANK, &proc->rank, PMIX_PROC_RANK);
    add_u32(&inner, PMIX_APPNUM, (uint32_t) proc->app);
    add_info(&inner, PMIX_APPLDR, &(pmix_rank_t){first_of_app(job, proc->app)}, PMIX_PROC_RANK);
    add_info(&inner, PMIX_APP_RANK, &(pmix_rank_t){proc->rank - first_of_app(job, proc->app)},
             PMIX_PROC_RANK);
    add_info(&inner, PMIX_GLOBAL_RANK, &proc->rank, PMIX_PROC_RANK);
    add_u16(&inner, PMIX_LOCAL_RANK, proc->local_rank);
    add_u16(&inner, PMIX_NODE_RANK, proc->local_rank);
    add_u32(&inner, PMIX_NODEID, proc->node);
    add_string(&inner, PMIX_HOSTNAME, px_run_node_name(proc->node));
    add_u32(&inner, PMIX_REINCARNATION, 0);
    if (job->spawned) {
        add_info(&inner, PMIX_PARENT_ID, &job->parent, PMIX_PROC);
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
    add_info(&inner, PMIX_APPLDR, &(pmix_rank_t){first_of_app(job, a)}, PMIX_PROC_RANK);
    add_string(&inner, PMIX_APP_ARGV, command);
    add_string(&inner, PMIX_WDIR, app->cwd);
    free(command);
    add_array(list, PMIX_APP_INFO_ARRAY, &inner);
}

static void add_node(struct list *list, const struct px_run_job *job, uint32_t node,
                     const char *ranks)
{
    struct list inner = list_start();
    uint32_t n = count_on(job, node);

    add_string(&inner, PMIX_HOSTNAME, px_run_node_name(node));
    add_u32(&inner, PMIX_NODEID, node);
    add_u32(&inner, PMIX_NODE_SIZE, n);
    add_u32(&inner, PMIX_LOCAL_SIZE, n);
    add_info(&inner, PMIX_LOCALLDR, &(pmix_rank_t){first_on(job, node)}, PMIX_PROC_RANK);
    add_string(&inner, PMIX_LOCAL_PEERS, ranks);
    add_info(&inner, PMIX_NODE_OVERSUBSCRIBED, &(bool){px_run_oversubscribed(job)}, PMIX_BOOL);
    add_array(list, PMIX_NODE_INFO_ARRAY, &inner);
}

/* One node: its description, and its place in the maps. */
static void add_one_node(struct list *list, const struct px_run_job *job, uint32_t node,
                         FILE *nodes, FILE *procs)
{
    char *ranks = join_ranks(job, node);
    const char *separator = ftell(nodes) > 0 ? "," : "";

    if (ranks == NULL) {
        list->rc = PMIX_ERR_NOMEM;
    } else if (ranks[0] != '\0') {
        add_node(list, job, node, ranks);
        fprintf(nodes, "%s%s", separator, px_run_node_name(node));
        fprintf(procs, "%s%s", separator[0] != '\0' ? ";" : "", ranks);
    }
    free(ranks);
}

static void add_map(struct list *list, const char *key, const char *text,
                    pmix_status_t (*generate)(const char *, char **))
{
    char *map = NULL;

    if (text != NULL && generate(text, &map) == PMIX_SUCCESS) {
        add_string(list, key, map);
    }
    free(map);
}

static void add_nodes(struct list *list, const struct px_run_job *job)
{
    char *texts[2] = {NULL, NULL};
    size_t len;
    FILE *nodes = open_memstream(&texts[0], &len);
    FILE *procs = open_memstream(&texts[1], &len);

    for (uint32_t i = 0; nodes != NULL && procs != NULL && i < (uint32_t) px_run.options.n_nodes;
         i++) {
        add_one_node(list, job, i, nodes, procs);
    }
    bool written = nodes != NULL && fclose(nodes) == 0;
    written = procs != NULL && fclose(procs) == 0 && written;
    if (written) {
        add_map(list, PMIX_NODE_MAP, texts[0], PMIx_generate_regex);
        add_map(list, PMIX_PROC_MAP, texts[1], PMIx_generate_ppn);
    } else {
        list->rc = PMIX_ERR_NOMEM;
    }
    free(texts[0]);
    free(texts[1]);
}

static void add_job(struct list *list, const struct px_run_job *job, const char *ranks)
{
    char *command = join_argv(job->apps[0].argv);
    uint32_t n_local = count_on(job, px_run.node);

    add_string(list, PMIX_JOBID, job->nspace);
    add_u32(list, PMIX_SESSION_ID, (uint32_t) px_run.pid);
    add_u32(list, PMIX_JOB_SIZE, job->n_procs);
    add_u32(list, PMIX_UNIV_SIZE, job->n_procs);
    add_u32(list, PMIX_MAX_PROCS, job->n_procs);
    add_u32(list, PMIX_LOCAL_SIZE, n_local);
    add_u32(list, PMIX_NODE_SIZE, n_local);
    add_u32(list, PMIX_NUM_NODES, count_nodes(job));
    add_u32(list, PMIX_NODEID, px_run.node);
    add_u32(list, PMIX_JOB_NUM_APPS, (uint32_t) job->n_apps);
    if (n_local > 0) {
        add_string(list, PMIX_LOCAL_PEERS, ranks);
        add_info(list, PMIX_LOCALLDR, &(pmix_rank_t){first_on(job, px_run.node)}, PMIX_PROC_RANK);
    }
    add_string(list, PMIX_MAPBY, job->apps[0].mapped_by);
    add_string(list, PMIX_RANKBY, job->apps[0].rank_by_node ? "node" : "slot");
    add_string(list, PMIX_BINDTO, px_run.options.bind_core ? "core" : "none");
    add_string(list, PMIX_CMD_LINE, command);
    add_info(list, PMIX_SPAWNED, &job->spawned, PMIX_BOOL);
    add_info(list, PMIX_TDIR_RMCLEAN, &(bool){false}, PMIX_BOOL);
    for (size_t i = 0; i < job->n_more && list->rc == PMIX_SUCCESS; i++) {
        list->rc = PMIx_Info_list_add_value(list->infos, job->more[i].key, &job->more[i].value);
    }
    free(command);
}

static pmix_status_t describe(const struct px_run_job *job, pmix_data_array_t *ret_array)
{
    struct list list = list_start();
    char *ranks = join_ranks(job, px_run.node);

    if (ranks == NULL) {
        list.rc = PMIX_ERR_NOMEM;
    }
    add_job(&list, job, ranks);
    add_nodes(&list, job);
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
    uint64_t since_ns = px_run_trace_now();
    pmix_status_t rc = describe(job, &array);
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    struct waiter w = WAITER_INIT;
    int n_local = (int) count_on(job, px_run.node);
    rc = PMIx_server_register_nspace(job->nspace, n_local, array.array, array.size, wake, &w);
    rc = await(&w, rc);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    job->registered = rc == PMIX_SUCCESS;
    for (uint32_t i = 0; rc == PMIX_SUCCESS && i < job->n_procs; i++) {
        if (job->procs[i].node != px_run.node) {
            continue;
        }
        struct waiter each = WAITER_INIT;
        pmix_proc_t id;
        PMIX_LOAD_PROCID(&id, job->nspace, i);
        rc = PMIx_server_register_client(&id, geteuid(), getegid(), &job->procs[i], wake, &each);
        rc = await(&each, rc);
    }
    px_run_trace_step("register", job->nspace, since_ns);
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
    px_run_report_take(job);
    struct waiter w = WAITER_INIT;
    PMIx_server_deregister_nspace(job->nspace, wake, &w);
    (void) await(&w, PMIX_SUCCESS); /* nothing to be done about a failure */
    job->registered = false;
}
