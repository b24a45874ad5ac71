/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Abort and PMIx_Job_control: processes that end or signal others. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"

struct action {
    int signal;  /* to send; 0: none */
    bool excuse; /* what they then return is nobody's failure */
};

void px_run_signal(const pmix_proc_t *target, int sig, bool excuse)
{
    struct px_run_job *job = px_run_job_find(target->nspace);

    for (uint32_t i = 0; job != NULL && !job->over && i < job->n_procs; i++) {
        struct px_run_proc *proc = &job->procs[i];
        if (target->rank == PMIX_RANK_WILDCARD || target->rank == proc->rank) {
            proc->excused = proc->excused || excuse;
            px_run_kill(proc, sig);
        }
    }
}

/* Those of all nodes. */
static void act_on(const pmix_proc_t *targets, size_t n, const struct action *a)
{
    for (size_t i = 0; i < n; i++) {
        px_run_signal(&targets[i], a->signal, a->excuse);
    }
    if (px_run.place == PX_RUN_NODE) {
        px_run_remote_signal(targets, n, a->signal, a->excuse);
    }
}

/* ---- abort */

/* An exit code: the status where it is one, else 1. */
static int code_of(int status)
{
    return (status & 0xff) != 0 ? status & 0xff : 1;
}

/* Whether the caller is among those that are to end. */
static bool is_among(const struct px_run_task *task)
{
    const pmix_proc_t *procs = task->upcall.procs;

    for (size_t i = 0; i < task->upcall.n_procs; i++) {
        if (strcmp(procs[i].nspace, task->proc.nspace) == 0 && procs[i].rank == task->proc.rank) {
            return true;
        }
    }
    return false;
}

static bool is_whole_job(const struct px_run_task *task)
{
    const pmix_proc_t *procs = task->upcall.procs;

    for (size_t i = 0; i < task->upcall.n_procs; i++) {
        if (procs[i].rank == PMIX_RANK_WILDCARD &&
            strcmp(procs[i].nspace, task->proc.nspace) == 0) {
            return true;
        }
    }
    return procs == NULL || task->upcall.n_procs == 0;
}

void px_run_abort(struct px_run_task *task)
{
    const char *message = task->upcall.text;
    const pmix_proc_t *procs = task->upcall.procs;

    px_run_say("%s rank %u aborts with status %d%s%s", task->proc.nspace, task->proc.rank,
               task->upcall.number, message != NULL ? ": " : "", message != NULL ? message : "");
    struct action kill_them = {.signal = SIGKILL, .excuse = true};
    struct px_run_job *job = px_run_job_find(task->proc.nspace);
    int code = code_of(task->upcall.number);
    bool whole = is_whole_job(task);

    if (whole && (job == NULL || !job->apart)) {
        px_run_end(code);
        return; /* the caller waits for its end, and is not answered */
    }
    pmix_proc_t all;
    PMIX_LOAD_PROCID(&all, task->proc.nspace, PMIX_RANK_WILDCARD);
    if (job != NULL) {
        job->code = job->code != 0 ? job->code : code;
    }
    if (job == NULL || !job->apart) {
        px_run_note_code(code);
    }
    act_on(whole ? &all : procs, whole ? 1 : task->upcall.n_procs, &kill_them);
    if (!whole && !is_among(task)) {
        px_host_reply_status(&task->upcall, PMIX_SUCCESS); /* last: the library frees `procs` */
    }
}

/* ---- job control */

/* One directive. PMIX_ERR_NOT_FOUND: not one of ours. */
static pmix_status_t read_directive(const pmix_info_t *d, struct action *a)
{
    bool on = PMIX_INFO_TRUE(d);

    if (PMIX_CHECK_KEY(d, PMIX_JOB_CTRL_KILL)) {
        *a = (struct action){.signal = on ? SIGKILL : 0, .excuse = on};
    } else if (PMIX_CHECK_KEY(d, PMIX_JOB_CTRL_TERMINATE)) {
        *a = (struct action){.signal = on ? SIGTERM : 0, .excuse = on};
    } else if (PMIX_CHECK_KEY(d, PMIX_JOB_CTRL_PAUSE)) {
        *a = (struct action){.signal = on ? SIGSTOP : 0};
    } else if (PMIX_CHECK_KEY(d, PMIX_JOB_CTRL_RESUME)) {
        *a = (struct action){.signal = on ? SIGCONT : 0};
    } else if (PMIX_CHECK_KEY(d, PMIX_JOB_CTRL_SIGNAL)) {
        int sig = d->value.data.integer;
        if (d->value.type != PMIX_INT || sig <= 0 || sig >= NSIG) {
            return PMIX_ERR_BAD_PARAM;
        }
        *a = (struct action){.signal = sig};
    } else {
        return PMIX_ERR_NOT_FOUND;
    }
    return PMIX_SUCCESS;
}

/* What to do, out of the directives: there must be something that we do, and nothing required that
 * we do not. */
static pmix_status_t read_all(const struct px_run_task *task, struct action *ret)
{
    const pmix_info_t *directives = task->upcall.infos;
    pmix_status_t result = PMIX_ERR_NOT_SUPPORTED;

    for (size_t i = 0; i < task->upcall.n_infos; i++) {
        pmix_status_t rc = read_directive(&directives[i], ret);
        if (rc == PMIX_ERR_BAD_PARAM) {
            return rc;
        }
        if (rc == PMIX_ERR_NOT_FOUND && PMIX_INFO_IS_REQUIRED(&directives[i])) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
        result = rc == PMIX_SUCCESS ? rc : result;
    }
    return result;
}

/* A copy of the targets, which are the library's only until the answer; without any, the asker's
 * job. */
static pmix_proc_t *copy_targets(const struct px_run_task *task, size_t *ret_n)
{
    bool given = task->upcall.procs != NULL && task->upcall.n_procs > 0;
    size_t n = given ? task->upcall.n_procs : 1;
    pmix_proc_t *copy = calloc(n, sizeof(*copy));
    if (copy == NULL) {
        return NULL;
    }
    if (given) {
        memcpy(copy, task->upcall.procs, n * sizeof(*copy));
    } else {
        PMIX_LOAD_PROCID(&copy[0], task->proc.nspace, PMIX_RANK_WILDCARD);
    }
    *ret_n = n;
    return copy;
}

/* Gives the leader of a group by invitation a context id, if that is what is asked for: no two are
 * the same, also among those of other nodes and those that the relay gives. */
static bool give_context_id(struct px_run_task *task)
{
    static size_t given;
    bool asked = px_host_flag(&task->upcall, PMIX_GROUP_ASSIGN_CONTEXT_ID);

    if (asked) {
        size_t id = ((size_t) px_run.node + 1) << 32 | ++given;
        pmix_info_t info;

        PMIx_Info_load(&info, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
        px_host_reply_infos(&task->upcall, PMIX_SUCCESS, &info, 1);
    }
    return asked;
}

void px_run_control(struct px_run_task *task)
{
    struct action a = {0};
    size_t n = 0;

    if (give_context_id(task)) {
        return;
    }

    pmix_status_t rc = read_all(task, &a);
    pmix_proc_t *targets = copy_targets(task, &n);

    if (targets == NULL) {
        rc = PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        rc = px_run_proc_exists(&targets[i]) ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND;
    }
    px_run_verbose("%s rank %u asks for signal %d to %zu: %s", task->proc.nspace, task->proc.rank,
                   a.signal, n, PMIx_Error_string(rc));
    /* Answered first: the asker may be among the targets. */
    px_host_reply_status(&task->upcall, rc);
    if (rc == PMIX_SUCCESS && a.signal != 0) {
        act_on(targets, n, &a);
    }
    free(targets);
}
