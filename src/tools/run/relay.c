/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The relay: passes frames on between nodes, knows when a job is over on all of them, and tells
 * them when to end. It never looks into what the library packed. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* A job that the nodes run. It is forgotten when it is over. */
struct job {
    struct job *next;
    pmix_nspace_t nspace;
    uint32_t spawner; /* the node that waits for the outcome of a spawn */
    uint64_t spawn_id;
    uint32_t n_started;
    uint32_t n_done;
    pmix_status_t status;
    int code;
    uint8_t *done; /* by node */
};

static struct px_run_link **links; /* by node */
static struct job *jobs;
static uint32_t n_spawned;

static uint32_t n_nodes(void)
{
    return (uint32_t) px_run.options.n_nodes;
}

/* ---- sending; a node that is gone is ignored: its end ends the job elsewhere */

void px_run_relay_send(uint32_t node, struct px_run_frame head, const void *bytes, size_t n)
{
    if (px_run.place == PX_RUN_ALONE) {
        struct px_run_reader r = {bytes, n, false};
        px_run_collected(&head, &r);
    } else if (node < n_nodes() && links != NULL && links[node] != NULL) {
        (void) px_run_link_copy(links[node], head, bytes, n);
    }
}

pmix_status_t px_run_relay_alone(const struct px_run_frame *head, struct px_run_bytes *payload)
{
    struct px_run_reader r = {payload->at, payload->len, payload->failed};

    px_run_collect_add(head, &r);
    free(payload->at);
    *payload = (struct px_run_bytes){0};
    return PMIX_SUCCESS;
}

void px_run_relay_send_all(struct px_run_frame head, const void *bytes, size_t n)
{
    for (uint32_t i = 0; i < n_nodes(); i++) {
        px_run_relay_send(i, head, bytes, n);
    }
}

void px_run_relay_end(int code)
{
    px_run_relay_send_all((struct px_run_frame){.type = PX_RUN_END, .status = code}, NULL, 0);
}

static void pass_on(const struct px_run_frame *head, const struct px_run_reader *payload)
{
    if (head->to != PX_RUN_OTHERS) {
        px_run_relay_send(head->to, *head, payload->at, payload->left);
        return;
    }
    for (uint32_t i = 0; i < n_nodes(); i++) {
        if (i != head->from) {
            px_run_relay_send(i, *head, payload->at, payload->left);
        }
    }
}

/* ---- jobs */

static struct job *job_find(const char *nspace)
{
    struct job *job = jobs;

    while (job != NULL && strcmp(job->nspace, nspace) != 0) {
        job = job->next;
    }
    return job;
}

static struct job *job_add(const char *nspace)
{
    struct job *job = calloc(1, sizeof(*job));
    uint8_t *done = calloc(n_nodes(), 1);

    if (job == NULL || done == NULL) {
        free(job);
        free(done);
        return NULL;
    }
    PMIX_LOAD_NSPACE(job->nspace, nspace);
    job->done = done;
    job->next = jobs;
    jobs = job;
    return job;
}

static void job_forget(struct job *job)
{
    struct job **link = &jobs;

    while (*link != job) {
        link = &(*link)->next;
    }
    *link = job->next;
    free(job->done);
    free(job);
}

/* Sends what concerns a job as a whole: its name, and a status or code. */
static void tell_all(const struct job *job, uint16_t type, int status, uint64_t id)
{
    struct px_run_bytes name = {0};

    px_run_put_string(&name, job->nspace);
    if (!name.failed) {
        px_run_relay_send_all(
            (struct px_run_frame){
                .type = type, .status = status, .from = (uint16_t) job->spawner, .id = id},
            name.at, name.len);
    }
    free(name.at);
}

static void job_done(struct job *job, uint32_t node, int code)
{
    if (job == NULL || job->done[node]) {
        return;
    }
    job->done[node] = 1;
    job->n_done++;
    job->code = job->code != 0 ? job->code : code;
    if (job->n_done == n_nodes()) {
        px_run_collect_over(job->nspace);
        tell_all(job, PX_RUN_JOB_DONE, job->code, 0);
        job_forget(job);
    }
    if (jobs == NULL) {
        px_run_relay_send_all((struct px_run_frame){.type = PX_RUN_BYE}, NULL, 0);
    }
}

/* The request goes to every node, with the name that the new job gets. */
static void spawn(const struct px_run_frame *head, const struct px_run_reader *payload)
{
    char nspace[PMIX_MAX_NSLEN + 1];
    struct px_run_bytes b = {0};

    n_spawned++;
    (void) snprintf(nspace, sizeof(nspace), "%.200s.%u", px_run.options.nspace, n_spawned);
    struct job *job = job_add(nspace);
    if (job != NULL) {
        job->spawner = head->from;
        job->spawn_id = head->id;
        px_run_put_string(&b, nspace);
        px_run_put_raw(&b, payload->at, payload->left);
    }
    if (job == NULL || b.failed) {
        px_run_end(1); /* out of memory */
    } else {
        px_run_relay_send_all(*head, b.at, b.len);
    }
    free(b.at);
}

static void spawned(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct job *job = job_find(px_run_get_string(payload));

    if (job == NULL) {
        return;
    }
    job->n_started++;
    job->status = job->status != PMIX_SUCCESS ? job->status : head->status;
    if (job->n_started == n_nodes()) {
        tell_all(job, PX_RUN_SPAWNED, job->status, job->spawn_id);
    }
}

/* ---- what comes */

static void lost(struct px_run_reader *payload, uint32_t node)
{
    pmix_proc_t proc;

    px_run_get_proc(payload, &proc);
    if (!payload->failed) {
        px_run_collect_lost(&proc, node);
    }
}

static void left(struct px_run_reader *payload, uint32_t node)
{
    pmix_proc_t proc;

    px_run_get_proc(payload, &proc);
    const char *group = px_run_get_string(payload);
    if (!payload->failed) {
        px_run_collect_left(group, &proc, node);
    }
}

static void on_frame(struct px_run_link *link, const struct px_run_frame *sent,
                     struct px_run_reader *payload)
{
    struct px_run_frame head = *sent;

    head.from = (uint16_t) px_run_link_node(link);
    switch (head.type) {
    case PX_RUN_COLLECT:
        px_run_collect_add(&head, payload);
        break;
    case PX_RUN_LOST:
        lost(payload, head.from);
        break;
    case PX_RUN_LEFT:
        left(payload, head.from);
        break;
    case PX_RUN_SPAWN:
        spawn(&head, payload);
        break;
    case PX_RUN_SPAWNED:
        spawned(&head, payload);
        break;
    case PX_RUN_JOB_DONE:
        job_done(job_find(px_run_get_string(payload)), head.from, head.status);
        break;
    case PX_RUN_CODE:
        px_run_note_code(head.status);
        break;
    case PX_RUN_END:
        px_run_end(head.status);
        break;
    default:
        pass_on(&head, payload);
        break;
    }
}

/* A node that is gone runs nothing any more. Before its time, that ends everything, as soon as the
 * loop has waited for its process, which tells how it ended. */
static void on_end(struct px_run_link *link)
{
    uint32_t node = px_run_link_node(link);

    for (struct job *job = jobs; job != NULL;) {
        struct job *next = job->next;

        px_run_kill(&px_run.jobs->procs[node], SIGKILL);
        job_done(job, node, 0);
        job = next;
    }
}

int px_run_relay_open(int fd, uint32_t node)
{
    if (links == NULL) {
        links = calloc(n_nodes(), sizeof(*links));
    }
    if (links == NULL || (jobs == NULL && job_add(px_run.options.nspace) == NULL)) {
        return ENOMEM;
    }
    links[node] = px_run_link_open(fd, node, on_frame, on_end);
    return links[node] != NULL ? 0 : ENOMEM;
}

void px_run_relay_free(void)
{
    px_run_links_close();
    free(links);
    links = NULL;
    while (jobs != NULL) {
        job_forget(jobs);
    }
    px_run_collect_free();
}
