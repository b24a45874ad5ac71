/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events for the process that has spawned a job, raised on its node: the job has started, can be
 * debugged, has ended. Main thread. */

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "nodes.h"

struct said {
    pmix_info_t *info;
    size_t n;
};

static void said_free(pmix_status_t status, void *cbdata)
{
    struct said *s = cbdata;

    (void) status;
    PMIx_Info_free(s->info, s->n);
    free(s);
}

static bool is_here(const struct px_run_job *job)
{
    return px_run.place != PX_RUN_AT_RELAY && job->home == px_run.node && !px_run.ending;
}

/* The job, the time and more. Takes the list. */
static void say(const struct px_run_job *job, pmix_status_t code, void *more)
{
    struct said *s = calloc(1, sizeof(*s));
    pmix_data_array_t array = {.type = PMIX_INFO};
    time_t now = time(NULL);
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, job->nspace, PMIX_RANK_WILDCARD);
    pmix_status_t rc = s != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_add(more, PMIX_EVENT_CUSTOM_RANGE, &job->parent, PMIX_PROC);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_add(more, PMIX_EVENT_AFFECTED_PROC, &all, PMIX_PROC);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_add(more, PMIX_EVENT_TIMESTAMP, &now, PMIX_TIME);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_list_convert(more, &array);
    }
    PMIx_Info_list_release(more);
    if (rc != PMIX_SUCCESS) {
        px_run_say("%s is not told of %s: %s", job->parent.nspace, job->nspace,
                   PMIx_Error_string(rc));
        free(s);
        return;
    }
    *s = (struct said){array.array, array.size};
    rc = PMIx_Notify_event(code, &all, PMIX_RANGE_CUSTOM, s->info, s->n, said_free, s);
    if (rc != PMIX_SUCCESS) {
        said_free(rc, s);
    }
}

void px_run_say_started(const struct px_run_job *job)
{
    if (job == NULL || !is_here(job)) {
        return;
    }
    if (job->tell_start) {
        say(job, PMIX_EVENT_JOB_START, PMIx_Info_list_start());
    }
    if (job->stops) {
        void *more = PMIx_Info_list_start();

        (void) PMIx_Info_list_add(more, PMIX_BREAKPOINT, "exec", PMIX_STRING);
        say(job, PMIX_READY_FOR_DEBUG, more);
    }
}

/* The first process that has failed, if one has. */
static void add_failed(const struct px_run_job *job, void *more)
{
    const struct px_run_proc *failed = job->failed;
    pmix_proc_t id;
    int code = job->code;

    if (job->code == 0 || failed == NULL) {
        return;
    }
    PMIX_LOAD_PROCID(&id, job->nspace, failed->rank);
    (void) PMIx_Info_list_add(more, PMIX_PROCID, &id, PMIX_PROC);
    (void) PMIx_Info_list_add(more, PMIX_EXIT_CODE, &code, PMIX_INT);
}

void px_run_say_over(const struct px_run_job *job)
{
    pmix_status_t status = px_run_job_status(job);

    if (!job->notify_parent || !is_here(job)) {
        return;
    }
    void *more = PMIx_Info_list_start();
    (void) PMIx_Info_list_add(more, PMIX_JOB_TERM_STATUS, &status, PMIX_STATUS);
    add_failed(job, more);
    say(job, PMIX_EVENT_JOB_END, more);
}
