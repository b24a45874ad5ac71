/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The jobs that there have been: all by name, those that run for the loop, and those that are over.
 * Of the last ones that are over all is kept, of older ones what a collective or a query of the
 * job's state needs. Main thread. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include "src/base/map.h"

/* So many jobs that are over stay whole; and so many stay registered, since with a job the library
 * forgets the output that nobody has asked for yet. */
enum { MOST_WHOLE = 16, MOST_REGISTERED = 16 };

static struct px_map by_name;
static struct px_run_job *over; /* those that are registered or whole; the oldest first */

/* ---- lists by `peer` */

static void append(struct px_run_job **list, struct px_run_job *job)
{
    while (*list != NULL) {
        list = &(*list)->peer;
    }
    *list = job;
    job->peer = NULL;
}

static void take_out(struct px_run_job **list, struct px_run_job *job)
{
    while (*list != NULL && *list != job) {
        list = &(*list)->peer;
    }
    if (*list == job) {
        *list = job->peer;
    }
}

/* ---- all of them */

pmix_status_t px_run_job_add(struct px_run_job *job)
{
    static struct px_run_job **last = &px_run.jobs;

    if (px_map_set(&by_name, job->nspace, strlen(job->nspace), job) != 0) {
        return PMIX_ERR_NOMEM;
    }
    *last = job;
    last = &job->next;
    append(&px_run.running, job);
    return PMIX_SUCCESS;
}

struct px_run_job *px_run_job_find(const char *nspace)
{
    return px_map_find(&by_name, nspace, strlen(nspace));
}

bool px_run_proc_exists(const pmix_proc_t *proc)
{
    const struct px_run_job *job = px_run_job_find(proc->nspace);

    return job != NULL && (proc->rank == PMIX_RANK_WILDCARD || proc->rank < job->n_procs);
}

uint32_t px_run_job_node(const struct px_run_job *job, pmix_rank_t rank)
{
    return job->procs != NULL ? job->procs[rank].node : job->nodes[rank];
}

void px_run_jobs_free(void)
{
    while (px_run.jobs != NULL) {
        struct px_run_job *job = px_run.jobs;
        px_run.jobs = job->next;
        px_run_job_destroy(job);
    }
    px_run.running = NULL;
    over = NULL;
    px_map_fini(&by_name);
}

/* ---- those that are over */

/* Frees what is kept of the processes and applications, but for where they were. False when memory
 * is out; then all is kept. */
static bool shed(struct px_run_job *job)
{
    uint16_t *nodes = malloc((size_t) job->n_procs * sizeof(*nodes));

    if (nodes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < job->n_procs; i++) {
        nodes[i] = (uint16_t) job->procs[i].node;
    }
    job->end = px_run_job_status(job);
    px_run_job_empty(job);
    job->nodes = nodes;
    return true;
}

/* A late answer of a script may be for a process of any job. */
static bool may_shed(const struct px_run_job *job)
{
    return !job->registered && px_run.options.n_rules == 0;
}

static size_t count(bool registered)
{
    size_t n = 0;

    for (const struct px_run_job *job = over; job != NULL; job = job->peer) {
        n += job->registered || !registered;
    }
    return n;
}

static struct px_run_job *oldest(bool (*is_it)(const struct px_run_job *job))
{
    struct px_run_job *job = over;

    while (job != NULL && !is_it(job)) {
        job = job->peer;
    }
    return job;
}

static bool is_registered(const struct px_run_job *job)
{
    return job->registered;
}

void px_run_job_retire(struct px_run_job *job)
{
    struct px_run_job *old;

    take_out(&px_run.running, job);
    append(&over, job);
    if (job->forwarded == 0) {
        px_run_job_deregister(job);
    }
    if (count(true) > MOST_REGISTERED) {
        px_run_job_deregister(oldest(is_registered));
    }
    old = count(false) > MOST_WHOLE ? oldest(may_shed) : NULL;
    if (old != NULL && shed(old)) {
        take_out(&over, old);
    }
}
