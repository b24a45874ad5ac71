/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Queries about what only the host knows: its namespaces, and the state of jobs and processes.
 * Everything else is left to the library. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "nodes.h"
#include "wishes.h"

static const char *const known[] = {
    PMIX_QUERY_NAMESPACES,       PMIX_QUERY_JOB_STATUS,    PMIX_QUERY_PROC_TABLE,
    PMIX_QUERY_LOCAL_PROC_TABLE, PMIX_QUERY_SPAWN_SUPPORT, PMIX_QUERY_DEBUG_SUPPORT,
};

bool px_run_query_knows(const pmix_query_t *queries, size_t n)
{
    for (size_t q = 0; q < n; q++) {
        for (char **key = queries[q].keys; key != NULL && *key != NULL; key++) {
            for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
                if (strcmp(*key, known[i]) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- the answer under construction */

struct result {
    pmix_info_t *info;
    size_t n;
    size_t cap;
    size_t n_missing;
};

static void release(void *cbdata)
{
    struct result *r = cbdata;

    for (size_t i = 0; i < r->n; i++) {
        PMIX_INFO_DESTRUCT(&r->info[i]);
    }
    free(r->info);
    free(r);
}

static pmix_status_t put(struct result *r, const char *key, const void *value,
                         pmix_data_type_t type)
{
    if (r->n == r->cap) {
        size_t cap = r->cap + 8;
        pmix_info_t *info = realloc(r->info, cap * sizeof(*info));
        if (info == NULL) {
            return PMIX_ERR_NOMEM;
        }
        memset(info + r->cap, 0, 8 * sizeof(*info));
        r->info = info;
        r->cap = cap;
    }
    pmix_status_t rc = PMIx_Info_load(&r->info[r->n], key, value, type);
    r->n += rc == PMIX_SUCCESS;
    return rc;
}

/* ---- single answers */

static pmix_status_t namespaces(struct result *r)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (f == NULL) {
        return PMIX_ERR_NOMEM;
    }
    const char *comma = "";
    for (const struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        fprintf(f, "%s%s", comma, job->nspace);
        comma = ",";
    }
    pmix_status_t rc =
        fclose(f) == 0 ? put(r, PMIX_QUERY_NAMESPACES, text, PMIX_STRING) : PMIX_ERR_NOMEM;
    free(text);
    return rc;
}

static pmix_status_t job_status(struct result *r, const struct px_run_job *job)
{
    pmix_status_t status = !job->over       ? PMIX_SUCCESS
                           : job->code == 0 ? PMIX_EVENT_JOB_END
                                            : px_run_job_status(job);

    return put(r, PMIX_QUERY_JOB_STATUS, &status, PMIX_STATUS);
}

static void describe(const struct px_run_proc *proc, pmix_proc_info_t *info)
{
    const struct px_run_job *job = proc->job;

    PMIX_LOAD_PROCID(&info->proc, job->nspace, proc->rank);
    info->hostname = strdup(px_run_node_name(proc->node));
    info->executable_name = strdup(job->apps[proc->app].cmd);
    info->pid = proc->pid;
    info->state = proc->alive ? PMIX_PROC_STATE_RUNNING : PMIX_PROC_STATE_TERMINATED;
    info->exit_code = proc->alive || !WIFEXITED(proc->status) ? 0 : WEXITSTATUS(proc->status);
}

static pmix_status_t proc_table(struct result *r, const char *key, const struct px_run_job *job)
{
    bool all = strcmp(key, PMIX_QUERY_PROC_TABLE) == 0; /* else those of this node */
    uint32_t n = 0;

    if (job->procs == NULL) { /* it has ended too long ago */
        return PMIX_ERR_NOT_FOUND;
    }
    pmix_proc_info_t *table = calloc(job->n_procs, sizeof(*table));
    if (table == NULL) {
        return PMIX_ERR_NOMEM;
    }
    for (uint32_t i = 0; i < job->n_procs; i++) {
        if (all || job->procs[i].node == px_run.node) {
            describe(&job->procs[i], &table[n++]);
        }
    }
    pmix_data_array_t array = {.type = PMIX_PROC_INFO, .size = n, .array = table};
    pmix_status_t rc = put(r, key, &array, PMIX_DATA_ARRAY);
    for (uint32_t i = 0; i < n; i++) {
        free(table[i].hostname);
        free(table[i].executable_name);
    }
    free(table);
    return rc;
}

static pmix_status_t spawn_support(struct result *r)
{
    char *keys = px_run_wishes_known();
    pmix_status_t rc =
        keys != NULL ? put(r, PMIX_QUERY_SPAWN_SUPPORT, keys, PMIX_STRING) : PMIX_ERR_NOMEM;

    free(keys);
    return rc;
}

static pmix_status_t answer_key(struct result *r, const char *key, const struct px_run_job *job)
{
    if (strcmp(key, PMIX_QUERY_NAMESPACES) == 0) {
        return namespaces(r);
    }
    if (strcmp(key, PMIX_QUERY_SPAWN_SUPPORT) == 0) {
        return spawn_support(r);
    }
    if (strcmp(key, PMIX_QUERY_DEBUG_SUPPORT) == 0) {
        return put(r, key,
                   PMIX_DEBUG_STOP_ON_EXEC "," PMIX_DEBUG_STOP_IN_INIT "," PMIX_DEBUG_STOP_IN_APP
                                           "," PMIX_DEBUG_TARGET "," PMIX_DEBUG_DAEMONS_PER_NODE
                                           "," PMIX_DEBUG_DAEMONS_PER_PROC,
                   PMIX_STRING);
    }
    if (job == NULL) {
        return PMIX_ERR_NOT_FOUND;
    }
    if (strcmp(key, PMIX_QUERY_JOB_STATUS) == 0) {
        return job_status(r, job);
    }
    if (strcmp(key, PMIX_QUERY_PROC_TABLE) == 0 || strcmp(key, PMIX_QUERY_LOCAL_PROC_TABLE) == 0) {
        return proc_table(r, key, job);
    }
    return PMIX_ERR_NOT_FOUND;
}

/* The job that a query is about: the one of its qualifier, else the asker's. */
static const struct px_run_job *job_of(const pmix_query_t *q, const pmix_proc_t *asker)
{
    for (size_t i = 0; i < q->nqual; i++) {
        if (PMIX_CHECK_KEY(&q->qualifiers[i], PMIX_NSPACE) &&
            q->qualifiers[i].value.type == PMIX_STRING) {
            return px_run_job_find(q->qualifiers[i].value.data.string);
        }
        if (PMIX_CHECK_KEY(&q->qualifiers[i], PMIX_PROCID) &&
            q->qualifiers[i].value.type == PMIX_PROC) {
            return px_run_job_find(q->qualifiers[i].value.data.proc->nspace);
        }
    }
    return px_run_job_find(asker->nspace);
}

void px_run_query(struct px_run_task *task)
{
    const pmix_query_t *queries = task->upcall.queries;
    struct result *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        px_host_reply_status(&task->upcall, PMIX_ERR_NOMEM);
        return;
    }
    for (size_t q = 0; q < task->upcall.n_queries; q++) {
        const struct px_run_job *job = job_of(&queries[q], &task->proc);
        for (char **key = queries[q].keys; key != NULL && *key != NULL; key++) {
            r->n_missing += answer_key(r, *key, job) != PMIX_SUCCESS;
        }
    }
    pmix_status_t rc = r->n_missing == 0 ? PMIX_SUCCESS
                       : r->n > 0        ? PMIX_QUERY_PARTIAL_SUCCESS
                                         : PMIX_ERR_NOT_FOUND;
    px_run_verbose("%s rank %u queries: %zu answers, %zu missing", task->proc.nspace,
                   task->proc.rank, r->n, r->n_missing);
    task->upcall.reply.info(rc, r->info, r->n, task->upcall.cbdata, release, r);
}
