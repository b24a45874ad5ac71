/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events that may concern processes of other nodes: told to all of those, whose servers know who
 * wants them. And what our own server must be told. */

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "nodes.h"

/* The relay does not wait for who has left a group where others take it apart. */
static void say_left(const struct px_run_task *task)
{
    const char *group = NULL;
    const pmix_proc_t *who = &task->proc;
    struct px_run_bytes b = {0};

    for (size_t i = 0; i < task->upcall.n_infos; i++) {
        const pmix_info_t *info = &task->upcall.infos[i];

        if (PMIX_CHECK_KEY(info, PMIX_GROUP_ID) && info->value.type == PMIX_STRING) {
            group = info->value.data.string;
        } else if (PMIX_CHECK_KEY(info, PMIX_EVENT_AFFECTED_PROC) &&
                   info->value.type == PMIX_PROC) {
            who = info->value.data.proc;
        }
    }
    if (group != NULL) {
        px_run_put_proc(&b, who);
        px_run_put_string(&b, group);
        (void) px_run_remote_send(PX_RUN_LEFT, PX_RUN_RELAY, 0, 0, &b);
    }
}

void px_run_event(struct px_run_task *task)
{
    struct px_run_bytes b = {0};

    if (task->upcall.number == PMIX_GROUP_LEFT) {
        say_left(task);
    }
    px_run_put_proc(&b, &task->proc);
    px_run_put_u32(&b, (uint32_t) task->upcall.range);
    px_run_put_array(&b, task->upcall.infos, task->upcall.n_infos, PMIX_INFO);
    px_host_reply_status(
        &task->upcall, px_run_remote_send(PX_RUN_EVENT, PX_RUN_OTHERS, 0, task->upcall.number, &b));
}

struct told {
    pmix_info_t *info;
    size_t n;
    struct px_run_task then; /* posted when the event is told, if it has a function */
};

static void told_free(pmix_status_t status, void *cbdata)
{
    struct told *t = cbdata;

    (void) status;
    if (t->then.run != NULL) {
        (void) px_run_task_post(&t->then); /* without memory it is left out */
    }
    PMIx_Info_free(t->info, t->n);
    free(t);
}

/* How a process has ended. */
static pmix_status_t end_code(const struct px_run_proc *proc)
{
    if (WIFSIGNALED(proc->status)) {
        return PMIX_ERR_PROC_ABORTED_BY_SIG;
    }
    if (atomic_load(&proc->n_open) > 0) {
        return PMIX_ERR_PROC_TERM_WO_SYNC;
    }
    return proc->status != 0 ? PMIX_ERR_EXIT_NONZERO_TERM : PMIX_EVENT_PROC_TERMINATED;
}

/* Says on this node that a process of this or another one has ended: to the server, for which one
 * that was not connected leaves nothing else by which it could tell, and to processes that have
 * registered for the code. Default handlers are spared: a program may take any event for the end of
 * all. It is kept for those who come late: who invites to a group must not wait for the dead.
 * `then` (may be NULL) is called when the server has read what the process sent before, and has
 * told it. */
static void say_ended(const pmix_proc_t *id, pmix_status_t code, int status,
                      void (*then)(struct px_run_task *task))
{
    struct told *t = calloc(1, sizeof(*t));
    bool yes = true;
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (t == NULL) {
        return;
    }
    t->then = (struct px_run_task){
        .run = then, .proc = *id, .upcall.number = code, .upcall.range = status};
    t->info = PMIx_Info_create(5);
    if (t->info != NULL) {
        time_t now = time(NULL);
        int exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

        t->n = 5;
        (void) PMIx_Info_load(&t->info[0], PMIX_EVENT_AFFECTED_PROC, id, PMIX_PROC);
        (void) PMIx_Info_load(&t->info[1], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
        (void) PMIx_Info_load(&t->info[2], PMIX_EXIT_CODE, &exit_code, PMIX_INT);
        (void) PMIx_Info_load(&t->info[3], PMIX_PROC_TERM_STATUS, &code, PMIX_STATUS);
        (void) PMIx_Info_load(&t->info[4], PMIX_EVENT_TIMESTAMP, &now, PMIX_TIME);
        rc = PMIx_Notify_event(code, id, PMIX_RANGE_SESSION, t->info, t->n, told_free, t);
    }
    if (rc != PMIX_SUCCESS) {
        told_free(rc, t);
    }
}

/* Tells the other nodes of the end of a process of this one, behind its last words. */
static void say_there(struct px_run_task *task)
{
    struct px_run_bytes b = {0};

    px_run_put_proc(&b, &task->proc);
    px_run_put_u32(&b, (uint32_t) task->upcall.range);
    (void) px_run_remote_send(PX_RUN_SAID_ENDED, PX_RUN_OTHERS, 0, task->upcall.number, &b);
}

void px_run_event_ended(const struct px_run_proc *proc)
{
    pmix_proc_t id;

    PMIX_LOAD_PROCID(&id, proc->job->nspace, proc->rank);
    say_ended(&id, end_code(proc), proc->status, px_run.place == PX_RUN_NODE ? say_there : NULL);
}

void px_run_event_ended_there(const struct px_run_frame *head, struct px_run_reader *payload)
{
    pmix_proc_t id;
    uint32_t status;

    px_run_get_proc(payload, &id);
    status = px_run_get_u32(payload);
    if (!payload->failed) {
        say_ended(&id, head->status, (int) status, NULL);
    }
}

void px_run_event_came(const struct px_run_frame *head, struct px_run_reader *payload)
{
    struct told *t = calloc(1, sizeof(*t));
    pmix_proc_t source;
    if (t == NULL) {
        return;
    }
    px_run_get_proc(payload, &source);
    pmix_data_range_t range = (pmix_data_range_t) px_run_get_u32(payload);
    t->info = px_run_get_array(payload, sizeof(*t->info), PMIX_INFO, &t->n);
    pmix_status_t rc = payload->failed ? PMIX_ERR_UNPACK_FAILURE
                                       : PMIx_Notify_event(head->status, &source, range, t->info,
                                                           t->n, told_free, t);
    if (rc != PMIX_SUCCESS) {
        told_free(rc, t);
    }
}
