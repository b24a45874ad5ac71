/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output that tools and processes have asked for with PMIx_IOF_pull. The node of a process hands
 * its output to the server of each node that wants it; that server knows who has asked. Main
 * thread. */

#include <stdlib.h>
#include <string.h>

#include "nodes.h"

/* A node wants output of this process (an empty namespace, PMIX_RANK_WILDCARD: of any). */
struct want {
    struct want *next;
    pmix_proc_t proc;
    pmix_iof_channel_t channels;
    uint32_t node;
};

static struct want *wants;

static bool matches(const struct want *w, const pmix_proc_t *proc, pmix_iof_channel_t channel)
{
    return (w->channels & channel) != 0 &&
           (w->proc.nspace[0] == '\0' || strcmp(w->proc.nspace, proc->nspace) == 0) &&
           (w->proc.rank == PMIX_RANK_WILDCARD || w->proc.rank == proc->rank);
}

static pmix_status_t add(const pmix_proc_t *proc, pmix_iof_channel_t channels, uint32_t node)
{
    struct want *w = malloc(sizeof(*w));

    if (w == NULL) {
        return PMIX_ERR_NOMEM;
    }
    *w = (struct want){.next = wants, .proc = *proc, .channels = channels, .node = node};
    wants = w;
    return PMIX_SUCCESS;
}

/* Takes back the wishes of the node that are this one: its server says once that none of those who
 * have asked for the same is left. */
static void drop(const pmix_proc_t *proc, pmix_iof_channel_t channels, uint32_t node)
{
    struct want **link = &wants;

    while (*link != NULL) {
        struct want *w = *link;

        if (w->node == node && w->channels == channels && w->proc.rank == proc->rank &&
            strcmp(w->proc.nspace, proc->nspace) == 0) {
            *link = w->next;
            free(w);
        } else {
            link = &w->next;
        }
    }
}

static pmix_status_t note(const pmix_proc_t *proc, pmix_iof_channel_t channels, uint32_t node,
                          bool stop)
{
    if (stop) {
        drop(proc, channels, node);
        return PMIX_SUCCESS;
    }
    return add(proc, channels, node);
}

void px_run_forward_free(void)
{
    while (wants != NULL) {
        struct want *w = wants;

        wants = w->next;
        free(w);
    }
}

/* ---- asking */

static void tell_others(const struct upcall *upcall, bool stop)
{
    struct px_run_bytes b = {0};

    px_run_put_u32(&b, stop);
    px_run_put_u32(&b, (uint32_t) upcall->range);
    px_run_put_u32(&b, (uint32_t) upcall->n_procs);
    for (size_t i = 0; i < upcall->n_procs; i++) {
        px_run_put_proc(&b, &upcall->procs[i]);
    }
    (void) px_run_remote_send(PX_RUN_PULL, PX_RUN_OTHERS, 0, 0, &b);
}

void px_run_pull(struct px_run_task *task)
{
    const struct upcall *upcall = &task->upcall;
    bool stop = px_host_flag(upcall, PMIX_IOF_STOP);
    pmix_status_t rc = PMIX_SUCCESS;

    for (size_t i = 0; i < upcall->n_procs && rc == PMIX_SUCCESS; i++) {
        const pmix_proc_t *proc = &upcall->procs[i];

        /* The output of a process that does not exist would never come. */
        rc = stop || proc->nspace[0] == '\0' || px_run_proc_exists(proc) ? PMIX_SUCCESS
                                                                         : PMIX_ERR_NOT_FOUND;
    }
    for (size_t i = 0; i < upcall->n_procs && rc == PMIX_SUCCESS; i++) {
        rc = note(&upcall->procs[i], (pmix_iof_channel_t) upcall->range, px_run.node, stop);
    }
    if (rc == PMIX_SUCCESS && px_run.place == PX_RUN_NODE) {
        tell_others(upcall, stop);
    }
    px_host_reply_status(upcall, rc);
}

void px_run_pull_there(const struct px_run_frame *head, struct px_run_reader *payload)
{
    bool stop = px_run_get_u32(payload) != 0;
    pmix_iof_channel_t channels = (pmix_iof_channel_t) px_run_get_u32(payload);
    uint32_t n = px_run_get_u32(payload);

    for (uint32_t i = 0; i < n && !payload->failed; i++) {
        pmix_proc_t proc;

        px_run_get_proc(payload, &proc);
        (void) note(&proc, channels, head->from, stop); /* without memory nothing comes */
    }
}

/* ---- handing over */

/* Gives the server of this node output, or (n == 0) the end of it. */
static void deliver(const pmix_proc_t *proc, pmix_iof_channel_t channel, const char *bytes,
                    size_t n)
{
    pmix_byte_object_t bo = {.bytes = (char *) bytes, .size = n};
    pmix_info_t info;
    bool yes = true;

    (void) PMIx_Info_load(&info, PMIX_IOF_COMPLETE, &yes, PMIX_BOOL);
    (void) PMIx_server_IOF_deliver(proc, channel, n > 0 ? &bo : NULL, n > 0 ? NULL : &info,
                                   n > 0 ? 0 : 1, NULL, NULL); /* it keeps what it can */
    PMIx_Info_destruct(&info);
}

static void hand_to(uint32_t node, const pmix_proc_t *proc, pmix_iof_channel_t channel,
                    const char *bytes, size_t n)
{
    struct px_run_bytes b = {0};

    if (node == px_run.node) {
        deliver(proc, channel, bytes, n);
        return;
    }
    px_run_put_proc(&b, proc);
    px_run_put_u32(&b, channel);
    px_run_put_bytes(&b, bytes, n);
    (void) px_run_remote_send(PX_RUN_OUTPUT, node, 0, 0, &b);
}

static bool is_wanted(uint32_t node, const pmix_proc_t *proc, pmix_iof_channel_t channel)
{
    for (const struct want *w = wants; w != NULL; w = w->next) {
        if (w->node == node && matches(w, proc, channel)) {
            return true;
        }
    }
    return false;
}

void px_run_forward(const struct px_run_proc *proc, pmix_iof_channel_t channel, const char *bytes,
                    size_t n)
{
    const struct px_run_job *job = proc->job;
    bool kept = (job->forwarded & channel) != 0;
    pmix_proc_t id;

    if (px_run.place == PX_RUN_AT_RELAY || (wants == NULL && !kept)) {
        return;
    }
    PMIX_LOAD_PROCID(&id, job->nspace, proc->rank);
    for (uint32_t node = 0; node < (uint32_t) px_run.options.n_nodes; node++) {
        if ((kept && node == job->home) || is_wanted(node, &id, channel)) {
            hand_to(node, &id, channel, bytes, n);
        }
    }
}

void px_run_output_came(const struct px_run_frame *head, struct px_run_reader *payload)
{
    pmix_proc_t proc;
    size_t n = 0;

    (void) head;
    px_run_get_proc(payload, &proc);
    pmix_iof_channel_t channel = (pmix_iof_channel_t) px_run_get_u32(payload);
    const char *bytes = px_run_get_bytes(payload, &n);
    if (!payload->failed) {
        deliver(&proc, channel, bytes, n);
    }
}
