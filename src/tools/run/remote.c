/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A node's end of its link: what it says about its processes, what it hears about those of others,
 * and the requests that wait for somebody else's answer. Main thread. */

#include <errno.h>
#include <stdlib.h>

#include "nodes.h"

struct kept {
    struct kept *next;
    uint64_t id;
    struct px_run_task task;
};

static struct px_run_link *relay;
static struct kept *kept;
static uint64_t last_id;

/* ---- requests that wait */

uint64_t px_run_remote_keep(const struct px_run_task *task)
{
    struct kept *k = malloc(sizeof(*k));
    if (k == NULL) {
        return 0;
    }
    k->id = ++last_id;
    k->task = *task;
    k->next = kept;
    kept = k;
    return k->id;
}

bool px_run_remote_take(uint64_t id, struct px_run_task *ret_task)
{
    for (struct kept **link = &kept; *link != NULL; link = &(*link)->next) {
        struct kept *k = *link;
        if (k->id == id) {
            *ret_task = k->task;
            *link = k->next;
            free(k);
            return true;
        }
    }
    return false;
}

pmix_status_t px_run_remote_send(enum px_run_frame_type type, uint32_t to, uint64_t id, int status,
                                 struct px_run_bytes *payload)
{
    struct px_run_frame head = {
        .type = (uint16_t) type, .to = (uint16_t) to, .id = id, .status = status};

    if (px_run.place == PX_RUN_ALONE) {
        return px_run_relay_alone(&head, payload);
    }
    return px_run_link_send(relay, head, payload);
}

/* ---- what we say of our processes */

void px_run_remote_end(int code)
{
    (void) px_run_remote_send(PX_RUN_END, PX_RUN_RELAY, 0, code, NULL);
}

void px_run_remote_code(int code)
{
    (void) px_run_remote_send(PX_RUN_CODE, PX_RUN_RELAY, 0, code, NULL);
}

void px_run_remote_started(const struct px_run_job *job)
{
    struct px_run_bytes b = {0};

    px_run_put_string(&b, job->nspace);
    px_run_put_u32(&b, job->n_alive);
    for (uint32_t i = 0; i < job->n_procs; i++) {
        if (job->procs[i].node == px_run.node && job->procs[i].alive) {
            px_run_put_u32(&b, i);
            px_run_put_u32(&b, (uint32_t) job->procs[i].pid);
        }
    }
    (void) px_run_remote_send(PX_RUN_STARTED, PX_RUN_OTHERS, 0, 0, &b);
}

static void send_proc(enum px_run_frame_type type, uint32_t to, const struct px_run_proc *proc)
{
    struct px_run_bytes b = {0};

    px_run_put_string(&b, proc->job->nspace);
    px_run_put_u32(&b, proc->rank);
    (void) px_run_remote_send(type, to, 0, proc->status, &b);
}

void px_run_remote_ended(const struct px_run_proc *proc)
{
    send_proc(PX_RUN_LOST, PX_RUN_RELAY, proc);
    send_proc(PX_RUN_ENDED, PX_RUN_OTHERS, proc);
}

void px_run_remote_job_done(const char *nspace, int code)
{
    struct px_run_bytes b = {0};

    px_run_put_string(&b, nspace);
    (void) px_run_remote_send(PX_RUN_JOB_DONE, PX_RUN_RELAY, 0, code, &b);
}

void px_run_remote_signal(const pmix_proc_t *targets, size_t n, int sig, bool excuse)
{
    struct px_run_bytes b = {0};

    px_run_put_u32(&b, (uint32_t) sig);
    px_run_put_u32(&b, excuse);
    px_run_put_u32(&b, (uint32_t) n);
    for (size_t i = 0; i < n; i++) {
        px_run_put_proc(&b, &targets[i]);
    }
    (void) px_run_remote_send(PX_RUN_SIGNAL, PX_RUN_OTHERS, 0, 0, &b);
}

/* ---- what we hear */

static void heard_started(struct px_run_reader *r)
{
    struct px_run_job *job = px_run_job_find(px_run_get_string(r));
    uint32_t n = px_run_get_u32(r);

    for (uint32_t i = 0; job != NULL && !job->over && i < n && !r->failed; i++) {
        uint32_t rank = px_run_get_u32(r);
        pid_t pid = (pid_t) px_run_get_u32(r);
        if (!r->failed && rank < job->n_procs) {
            job->procs[rank].pid = pid;
            job->procs[rank].alive = true;
        }
    }
}

static void heard_ended(struct px_run_reader *r, int status)
{
    pmix_proc_t id;

    px_run_get_proc(r, &id);
    struct px_run_job *job = px_run_job_find(id.nspace);
    if (job != NULL && !job->over && id.rank < job->n_procs) {
        job->procs[id.rank].alive = false;
        job->procs[id.rank].status = status;
        job->failed = job->failed == NULL && status != 0 ? &job->procs[id.rank] : job->failed;
        px_run_published_forget(id.nspace, id.rank);
    }
}

static void heard_signal(struct px_run_reader *r)
{
    int sig = (int) px_run_get_u32(r);
    bool excuse = px_run_get_u32(r) != 0;
    uint32_t n = px_run_get_u32(r);

    for (uint32_t i = 0; i < n && !r->failed; i++) {
        pmix_proc_t target;
        px_run_get_proc(r, &target);
        px_run_signal(&target, sig, excuse);
    }
}

static void heard_job_done(struct px_run_reader *r, int code)
{
    struct px_run_job *job = px_run_job_find(px_run_get_string(r));

    if (job != NULL) {
        job->code = code;
        px_run_job_over(job);
    }
}

static void on_frame(struct px_run_link *link, const struct px_run_frame *head,
                     struct px_run_reader *payload)
{
    static void (*const with_head[])(const struct px_run_frame *, struct px_run_reader *) = {
        [PX_RUN_MODEX] = px_run_modex_asked,
        [PX_RUN_MODEX_DATA] = px_run_modex_answered,
        [PX_RUN_PUBLISH] = px_run_names_asked,
        [PX_RUN_UNPUBLISH] = px_run_names_asked,
        [PX_RUN_LOOKUP] = px_run_names_asked,
        [PX_RUN_DONE] = px_run_names_answered,
        [PX_RUN_FOUND] = px_run_names_answered,
        [PX_RUN_EVENT] = px_run_event_came,
        [PX_RUN_TOOL_LOST] = px_run_tool_lost_there,
        [PX_RUN_COLLECTED] = px_run_collected,
        [PX_RUN_SPAWN] = px_run_spawn_asked,
        [PX_RUN_SPAWNED] = px_run_spawn_ended,
        [PX_RUN_SAID_ENDED] = px_run_event_ended_there,
        [PX_RUN_PULL] = px_run_pull_there,
        [PX_RUN_OUTPUT] = px_run_output_came,
        [PX_RUN_PUSH] = px_run_push_there,
        [PX_RUN_PUSHED] = px_run_pushed,
    };
    const size_t n = sizeof(with_head) / sizeof(with_head[0]);

    (void) link;
    if (head->type < n && with_head[head->type] != NULL) {
        with_head[head->type](head, payload);
    } else if (head->type == PX_RUN_STARTED) {
        heard_started(payload);
    } else if (head->type == PX_RUN_ENDED) {
        heard_ended(payload, head->status);
    } else if (head->type == PX_RUN_SIGNAL) {
        heard_signal(payload);
    } else if (head->type == PX_RUN_JOB_DONE) {
        heard_job_done(payload, head->status);
    } else if (head->type == PX_RUN_END) {
        px_run_end(head->status);
    } else if (head->type == PX_RUN_BYE) {
        px_run.dismissed = true;
    }
}

/* Without the relay there is no job. */
static void on_end(struct px_run_link *link)
{
    (void) link;
    px_run.dismissed = true;
    px_run_end(1);
}

int px_run_remote_open(int fd)
{
    relay = px_run_link_open(fd, PX_RUN_RELAY, on_frame, on_end);
    return relay != NULL ? 0 : ENOMEM;
}

void px_run_remote_close(void)
{
    px_run_links_close();
    while (kept != NULL) {
        struct kept *k = kept;
        kept = k->next;
        free(k);
    }
}
