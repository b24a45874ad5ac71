/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "local_end.h"

#include <sys/wait.h>
#include <time.h>

#include "src/event/registry.h"
#include "src/server/events/server_events.h"
#include "src/value/infos.h"

/* The number by which shells know the end of a process. */
static int exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Appends what an event about the job or a process of it says in any case. */
static int describe(pmix_info_t **info, size_t *n, const pmix_proc_t *proc)
{
    bool yes = true;
    time_t now = time(NULL);
    int rc = px_infos_append(info, n, PMIX_EVENT_AFFECTED_PROC, proc, PMIX_PROC);

    rc = rc ? rc : px_infos_append(info, n, PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    return rc ? rc : px_infos_append(info, n, PMIX_EVENT_TIMESTAMP, &now, PMIX_TIME);
}

/* Raises an event of the environment and frees its infos. Without memory it is lost. */
static void raise_event(struct px_server *s, pmix_status_t code, const pmix_proc_t *proc, int rc,
                        pmix_info_t *info, size_t n)
{
    struct px_event event = {
        .code = code, .source = *proc, .range = PMIX_RANGE_SESSION, .info = info, .ninfo = n};

    if (!rc) {
        px_event_of_host(s, &event);
    }
    PMIx_Info_free(info, n);
}

void px_local_process_ended(struct px_server *s, const pmix_proc_t *proc, int status)
{
    pmix_status_t code = WIFSIGNALED(status)   ? PMIX_ERR_PROC_ABORTED_BY_SIG
                         : WEXITSTATUS(status) ? PMIX_ERR_EXIT_NONZERO_TERM
                                               : PMIX_EVENT_PROC_TERMINATED;
    int number = exit_code(status);
    pmix_info_t *info = NULL;
    size_t n = 0;
    int rc = describe(&info, &n, proc);

    rc = rc ? rc : px_infos_append(&info, &n, PMIX_EXIT_CODE, &number, PMIX_INT);
    raise_event(s, code, proc, rc, info, n);
}

void px_local_job_stopped(struct px_server *s, const char *nspace)
{
    pmix_info_t *info = NULL;
    size_t n = 0;
    pmix_proc_t all;
    int rc;

    PMIx_Load_procid(&all, nspace, PMIX_RANK_WILDCARD);
    rc = describe(&info, &n, &all);
    rc = rc ? rc : px_infos_append(&info, &n, PMIX_BREAKPOINT, "exec", PMIX_STRING);
    raise_event(s, PMIX_READY_FOR_DEBUG, &all, rc, info, n);
}

/* How a job has ended. */
static pmix_status_t status_of(const struct px_local_failure *failure)
{
    if (!failure->status) {
        return PMIX_SUCCESS;
    }
    return WIFSIGNALED(failure->status) ? PMIX_ERR_JOB_ABORTED_BY_SIG : PMIX_ERR_JOB_NON_ZERO_TERM;
}

void px_local_job_ended(struct px_server *s, const char *nspace,
                        const struct px_local_failure *failure)
{
    pmix_status_t status = status_of(failure);
    int number = exit_code(failure->status);
    pmix_info_t *info = NULL;
    size_t n = 0;
    pmix_proc_t all;
    pmix_proc_t failed;
    int rc;

    PMIx_Load_procid(&all, nspace, PMIX_RANK_WILDCARD);
    PMIx_Load_procid(&failed, nspace, failure->rank);
    rc = describe(&info, &n, &all);
    rc = rc ? rc : px_infos_append(&info, &n, PMIX_JOB_TERM_STATUS, &status, PMIX_STATUS);
    if (failure->status) {
        rc = rc ? rc : px_infos_append(&info, &n, PMIX_PROCID, &failed, PMIX_PROC);
        rc = rc ? rc : px_infos_append(&info, &n, PMIX_EXIT_CODE, &number, PMIX_INT);
    }
    raise_event(s, PMIX_EVENT_JOB_END, &all, rc, info, n);
}
