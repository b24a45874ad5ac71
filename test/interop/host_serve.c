/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The answers of the host to upcalls. */

#include "test/interop/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void task_free(struct task *task)
{
    free(task->data);
    free(task);
}

/* ---- processes */

static void do_abort(struct task *task)
{
    struct job *job = job_find(task->proc.nspace);

    if (job) {
        job->result = task->upcall.number;
        job_kill(job, -1);
    }
    task_free(task);
}

static pmix_status_t abort_job(struct upcall *upcall)
{
    printf("host: abort %d: %s\n", upcall->number, upcall->text ? upcall->text : "");
    fflush(stdout);
    px_host_reply_status(upcall, PMIX_SUCCESS);
    return later(upcall, do_abort);
}

static bool asked_for(const struct upcall *upcall, const char *key)
{
    return px_host_flag(upcall, key);
}

static void do_spawn(struct task *task)
{
    static int number;
    const struct upcall *upcall = &task->upcall;
    const pmix_app_t *app = &upcall->apps[0];
    char name[64];
    char **words = NULL;
    pmix_status_t rc;
    struct job *job;

    snprintf(name, sizeof(name), "interop-spawned.%d", ++number);
    PMIX_ARGV_APPEND(rc, words, app->cmd);
    for (char **word = app->argv; word && *word && word[1]; word++) {
        PMIX_ARGV_APPEND(rc, words, word[1]);
    }
    (void) rc;
    job = job_make(name, app->maxprocs, words, true);
    job_start(job);
    PMIX_ARGV_FREE(words);
    if (settings.tools || asked_for(upcall, PMIX_NOTIFY_COMPLETION)) {
        job->owner = task->proc;
    }
    job->tells_end = asked_for(upcall, PMIX_NOTIFY_COMPLETION);
    upcall->reply.spawn(PMIX_SUCCESS, job->name, upcall->cbdata);
    task_free(task);
}

/* PMIX_ERR_NOT_SUPPORTED: jobs are started by node 0 only, and have one application. */
static pmix_status_t spawn(struct upcall *upcall)
{
    return upcall->n_apps == 1 && settings.node == 0 ? later(upcall, do_spawn)
                                                     : PMIX_ERR_NOT_SUPPORTED;
}

static void do_control(struct task *task)
{
    for (size_t i = 0; i < task->upcall.n_procs; i++) {
        struct job *job = job_find(task->upcall.procs[i].nspace);

        if (job && task->upcall.procs[i].rank < (pmix_rank_t) job->n) {
            job_kill(job, (int) task->upcall.procs[i].rank);
        }
    }
    px_host_reply_status(&task->upcall, PMIX_SUCCESS);
    task_free(task);
}

/* PMIX_ERR_NOT_SUPPORTED: the only request that this host carries out is to kill processes. */
static pmix_status_t control(struct upcall *upcall)
{
    bool kills = upcall->n_infos > 0 && PMIX_CHECK_KEY(&upcall->infos[0], PMIX_JOB_CTRL_KILL);

    return kills ? later(upcall, do_control) : PMIX_ERR_NOT_SUPPORTED;
}

/* ---- input and output */

static void do_push(struct task *task)
{
    for (size_t i = 0; i < task->upcall.n_procs; i++) {
        struct job *job = job_find(task->upcall.procs[i].nspace);

        for (int r = 0; job && r < job->n; r++) {
            if (task->upcall.procs[i].rank == (pmix_rank_t) r ||
                task->upcall.procs[i].rank == PMIX_RANK_WILDCARD) {
                job_input(job, r, task->data, task->upcall.n_data);
            }
        }
    }
    px_host_reply_status(&task->upcall, PMIX_SUCCESS);
    task_free(task);
}

static void do_pull(struct task *task)
{
    settings.pulled = true;
    px_host_reply_status(&task->upcall, PMIX_SUCCESS);
    task_free(task);
}

/* From now on output is delivered to the library; what came before is not. */
static pmix_status_t pull(struct upcall *upcall)
{
    return later(upcall, do_pull);
}

static pmix_status_t push(struct upcall *upcall)
{
    return later(upcall, do_push);
}

/* ---- collectives */

static bool only_here(const struct upcall *upcall)
{
    return settings.nodes == 1 || upcall->n_procs == 0;
}

static pmix_status_t fence(struct upcall *upcall)
{
    return only_here(upcall) ? px_host_fence_alone(upcall) : later(upcall, link_fence);
}

static pmix_status_t modex(struct upcall *upcall)
{
    return settings.nodes > 1 ? later(upcall, link_modex) : PMIX_ERR_NOT_FOUND;
}

/* Groups have members of this node only. Answers with a context id if one is asked for. */
static pmix_status_t group(struct upcall *upcall)
{
    static size_t last_id = 1000;
    bool numbered = px_host_flag(upcall, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    pmix_info_t info;

    PMIX_INFO_CONSTRUCT(&info);
    if (numbered) {
        last_id++;
        PMIX_INFO_LOAD(&info, PMIX_GROUP_CONTEXT_ID, &last_id, PMIX_SIZE);
    }
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, numbered ? 1 : 0);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

/* ---- tools */

static pmix_status_t name_tool(struct upcall *upcall)
{
    static _Atomic int count;
    const pmix_value_t *nspace = px_host_find(upcall, PMIX_NSPACE);
    const pmix_value_t *rank = px_host_find(upcall, PMIX_RANK);
    pmix_proc_t proc;

    memset(&proc, 0, sizeof(proc));
    if (nspace && nspace->type == PMIX_STRING && nspace->data.string && nspace->data.string[0]) {
        snprintf(proc.nspace, sizeof(proc.nspace), "%s", nspace->data.string);
        proc.rank = rank && rank->type == PMIX_PROC_RANK ? rank->data.rank : 0;
    } else {
        snprintf(proc.nspace, sizeof(proc.nspace), "interop-tool.%d", ++count);
    }
    upcall->reply.tool(PMIX_SUCCESS, &proc, upcall->cbdata);
    return PMIX_SUCCESS;
}

static void load_table(pmix_info_t *info, const struct job *job)
{
    pmix_proc_info_t table[MAX_PROCS];
    pmix_data_array_t array = {.type = PMIX_PROC_INFO, .size = (size_t) job->n, .array = table};

    memset(table, 0, sizeof(table));
    for (int r = 0; r < job->n; r++) {
        PMIX_LOAD_PROCID(&table[r].proc, job->name, (pmix_rank_t) r);
        table[r].hostname = (char *) "here";
        table[r].executable_name = (char *) "program";
        table[r].pid = job->procs[r].pid;
        table[r].state = PMIX_PROC_STATE_RUNNING;
    }
    PMIx_Info_load(info, PMIX_QUERY_PROC_TABLE, &array, PMIX_DATA_ARRAY);
}

/* Answers the first key of the first query: the namespaces (the first job's), or the process table
 * of the job that the first qualifier names. Everything else: PMIX_ERR_NOT_FOUND. */
static void do_query(struct task *task)
{
    const pmix_query_t *query = task->upcall.queries;
    bool of_one = query->nqual > 0 && query->qualifiers[0].value.type == PMIX_STRING;
    const struct job *job = of_one ? job_find(query->qualifiers[0].value.data.string) : job_at(0);
    pmix_status_t rc = PMIX_SUCCESS;
    pmix_info_t info;

    memset(&info, 0, sizeof(info));
    if (strcmp(query->keys[0], PMIX_QUERY_NAMESPACES) == 0 && job_at(0)) {
        PMIx_Info_load(&info, PMIX_QUERY_NAMESPACES, job_at(0)->name, PMIX_STRING);
    } else if (strcmp(query->keys[0], PMIX_QUERY_PROC_TABLE) == 0 && job) {
        load_table(&info, job);
    } else {
        rc = PMIX_ERR_NOT_FOUND;
    }
    px_host_reply_infos(&task->upcall, rc, &info, rc == PMIX_SUCCESS);
    PMIX_INFO_DESTRUCT(&info);
    task_free(task);
}

static pmix_status_t answer_query(struct upcall *upcall)
{
    return later(upcall, do_query);
}

static pmix_status_t allocate(struct upcall *upcall)
{
    pmix_info_t info;

    memset(&info, 0, sizeof(info));
    PMIx_Info_load(&info, PMIX_ALLOC_ID, "seventeen", PMIX_STRING);
    px_host_reply_infos(upcall, PMIX_SUCCESS, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    return PMIX_SUCCESS;
}

/* Releases before 5.0.11 give no callback, later ones wait for it. */
static pmix_status_t admit(struct upcall *upcall)
{
    return upcall->reply.op != NULL ? PMIX_OPERATION_SUCCEEDED : PMIX_SUCCESS;
}

static struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED1] = {OWN, .own = admit},
    [ON_FINALIZED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_ABORT] = {OWN, .own = abort_job},
    [ON_FENCE] = {OWN, .own = fence},
    [ON_MODEX] = {OWN, .own = modex},
    [ON_PUBLISH] = {OWN, .own = px_host_publish},
    [ON_LOOKUP] = {OWN, .own = px_host_lookup},
    [ON_UNPUBLISH] = {OWN, .own = px_host_unpublish},
    [ON_SPAWN] = {OWN, .own = spawn},
    [ON_REGISTER] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_NOTIFY] = {AT_ONCE, .status = PMIX_OPERATION_SUCCEEDED},
    [ON_PUSH] = {OWN, .own = push},
    [ON_GROUP] = {OWN, .own = group},
};

pmix_server_module_t *serve_module(void)
{
    static const struct px_host host = {.answers = answers};

    if (settings.tools) {
        answers[ON_TOOL] = (struct answer){OWN, .own = name_tool};
        answers[ON_QUERY] = (struct answer){OWN, .own = answer_query};
        answers[ON_ALLOCATE] = (struct answer){OWN, .own = allocate};
        answers[ON_CONTROL] = (struct answer){OWN, .own = control};
        answers[ON_PULL] = (struct answer){OWN, .own = pull};
    }
    return px_host_module(&host);
}
