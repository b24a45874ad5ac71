/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_IOF_push: input for processes of any node. The call is answered when all targets have taken
 * the input, so that a process does not push faster than they read. Main thread. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* A push, until all targets have taken its bytes. */
struct px_run_push {
    struct px_run_task task; /* who pushed; of another node: only the id is used */
    uint32_t node;           /* of who pushed */
    uint64_t id;             /* there */
    uint64_t number;         /* of all pushes that this node has delivered */
    size_t n_waiting;        /* inputs of this node, other nodes, and who fills this in */
    bool taken;              /* by at least one */
    bool closed;             /* at least one does not read any more */
    pmix_status_t status;    /* the first failure */
};

static uint64_t last_number;

/* A target that does not read any more is missed only if there is no other. */
static pmix_status_t outcome(const struct px_run_push *push)
{
    if (push->status != PMIX_SUCCESS || push->taken) {
        return push->status;
    }
    return push->closed ? PMIX_ERR_IOF_COMPLETE : PMIX_ERR_NOT_FOUND;
}

static void answer(const struct px_run_push *push)
{
    pmix_status_t rc = outcome(push);

    if (push->node == px_run.node) {
        px_host_reply_status(&push->task.upcall, rc);
    } else {
        (void) px_run_remote_send(PX_RUN_PUSHED, push->node, push->id, rc, NULL);
    }
}

/* One of the outcomes that the push waits for; the last one answers and frees it. */
static void leave(struct px_run_push *push, pmix_status_t status)
{
    if (status == PMIX_ERR_IOF_COMPLETE) {
        push->closed = true;
    } else if (push->status == PMIX_SUCCESS) {
        push->status = status;
    }
    if (--push->n_waiting == 0) {
        answer(push);
        free(push);
    }
}

void px_run_push_settle(struct px_run_push *push, pmix_status_t status)
{
    push->taken = push->taken || status == PMIX_SUCCESS;
    leave(push, status);
}

/* For one process of this node; NULL: one of a job that is over. `named`: not as one of all. One
 * that several targets mean takes the bytes once. */
static void put_into(struct px_run_push *push, const struct px_run_proc *proc, bool named,
                     const char *bytes, size_t n, bool last)
{
    struct px_run_input *in = proc != NULL ? px_run_input_find(proc) : NULL;
    pmix_status_t rc = PMIX_ERR_IOF_COMPLETE;

    if (in == NULL ? !named : !px_run_input_is_new_to(in, push->number)) {
        return;
    }
    push->n_waiting++;
    if (in != NULL) {
        rc = px_run_input_put(in, bytes, n, last, push);
    }
    if (rc != PMIX_SUCCESS) {
        leave(push, rc);
    }
}

/* For the processes of this node that `target` means. */
static void put_here(struct px_run_push *push, const pmix_proc_t *target, const char *bytes,
                     size_t n, bool last)
{
    struct px_run_job *job = px_run_job_find(target->nspace);

    for (uint32_t i = 0; job != NULL && i < job->n_procs; i++) {
        bool named = target->rank == i;

        if (px_run_job_node(job, i) == px_run.node &&
            (named || target->rank == PMIX_RANK_WILDCARD)) {
            put_into(push, job->procs != NULL ? &job->procs[i] : NULL, named, bytes, n, last);
        }
    }
}

/* ---- other nodes */

struct asked {
    struct asked *next;
    uint64_t id;
    struct px_run_push *push;
};

static struct asked *asked;
static uint64_t last_id;

static bool has_target(uint32_t node, const pmix_proc_t *targets, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        const struct px_run_job *job = px_run_job_find(targets[t].nspace);

        for (uint32_t i = 0; job != NULL && i < job->n_procs; i++) {
            if (px_run_job_node(job, i) == node &&
                (targets[t].rank == i || targets[t].rank == PMIX_RANK_WILDCARD)) {
                return true;
            }
        }
    }
    return false;
}

static void ask(struct px_run_push *push, uint32_t node, bool last)
{
    const struct upcall *upcall = &push->task.upcall;
    struct asked *a = malloc(sizeof(*a));
    struct px_run_bytes b = {0};

    push->n_waiting++;
    if (a == NULL) {
        leave(push, PMIX_ERR_NOMEM);
        return;
    }
    *a = (struct asked){asked, ++last_id, push};
    asked = a;
    px_run_put_u32(&b, (uint32_t) upcall->n_procs);
    for (size_t i = 0; i < upcall->n_procs; i++) {
        px_run_put_proc(&b, &upcall->procs[i]);
    }
    px_run_put_u32(&b, last);
    px_run_put_bytes(&b, upcall->data, upcall->n_data);
    (void) px_run_remote_send(PX_RUN_PUSH, node, a->id, 0, &b); /* a lost node ends everything */
}

void px_run_pushed(const struct px_run_frame *head, struct px_run_reader *payload)
{
    (void) payload;
    for (struct asked **link = &asked; *link != NULL; link = &(*link)->next) {
        struct asked *a = *link;

        if (a->id == head->id) {
            struct px_run_push *push = a->push;

            *link = a->next;
            free(a);
            if (head->status == PMIX_ERR_NOT_FOUND) { /* nobody there has an input */
                leave(push, PMIX_SUCCESS);
            } else {
                px_run_push_settle(push, head->status);
            }
            return;
        }
    }
}

void px_run_push_there(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct px_run_push *push = calloc(1, sizeof(*push));
    uint32_t n = px_run_get_u32(payload);
    pmix_proc_t *targets = n <= payload->left ? calloc((size_t) n + 1, sizeof(*targets)) : NULL;
    size_t len = 0;

    for (uint32_t i = 0; targets != NULL && i < n; i++) {
        px_run_get_proc(payload, &targets[i]);
    }
    bool last = px_run_get_u32(payload) != 0;
    const char *bytes = px_run_get_bytes(payload, &len);
    if (push == NULL || targets == NULL || payload->failed) {
        (void) px_run_remote_send(PX_RUN_PUSHED, head->from, head->id, PMIX_ERR_NOMEM, NULL);
        free(push);
        free(targets);
        return;
    }
    *push = (struct px_run_push){
        .node = head->from, .id = head->id, .number = ++last_number, .n_waiting = 1};
    for (uint32_t i = 0; i < n; i++) {
        put_here(push, &targets[i], bytes, len, last);
    }
    leave(push, PMIX_SUCCESS);
    free(targets);
}

/* ---- the call */

/* True if this is the end of the input: by directive, or because there are no bytes. */
static bool is_last(const struct upcall *upcall)
{
    return px_host_flag(upcall, PMIX_IOF_COMPLETE) || upcall->n_data == 0;
}

static pmix_status_t check(const struct upcall *upcall)
{
    for (size_t i = 0; i < upcall->n_procs; i++) {
        if (!px_run_proc_exists(&upcall->procs[i])) {
            return PMIX_ERR_NOT_FOUND;
        }
    }
    return upcall->n_procs > 0 ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

void px_run_push(struct px_run_task *task)
{
    const struct upcall *upcall = &task->upcall;
    pmix_status_t rc = check(upcall);
    struct px_run_push *push = rc == PMIX_SUCCESS ? calloc(1, sizeof(*push)) : NULL;
    bool last = is_last(upcall);

    if (push == NULL) {
        px_host_reply_status(upcall, rc != PMIX_SUCCESS ? rc : PMIX_ERR_NOMEM);
        return;
    }
    *push = (struct px_run_push){
        .task = *task, .node = px_run.node, .number = ++last_number, .n_waiting = 1};
    for (size_t i = 0; i < upcall->n_procs; i++) {
        put_here(push, &upcall->procs[i], upcall->data, upcall->n_data, last);
    }
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if (node != px_run.node && has_target(node, upcall->procs, upcall->n_procs)) {
            ask(push, node, last);
        }
    }
    leave(push, PMIX_SUCCESS);
}

void px_run_push_free(void)
{
    while (asked != NULL) {
        struct asked *a = asked;

        asked = a->next;
        leave(a->push, PMIX_ERR_LOST_CONNECTION);
        free(a);
    }
}
