/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events that may concern processes of other nodes: told to all of those, whose servers know who
 * wants them. And what our own server must be told. */

#include <stdlib.h>

#include "nodes.h"

void px_run_event(struct px_run_task *task)
{
    struct px_run_bytes b = {0};

    px_run_put_proc(&b, &task->proc);
    px_run_put_u32(&b, (uint32_t) task->upcall.range);
    px_run_put_array(&b, task->upcall.infos, task->upcall.n_infos, PMIX_INFO);
    px_host_reply_status(
        &task->upcall, px_run_remote_send(PX_RUN_EVENT, PX_RUN_OTHERS, 0, task->upcall.number, &b));
}

struct told {
    pmix_info_t *info;
    size_t n;
};

static void told_free(pmix_status_t status, void *cbdata)
{
    struct told *t = cbdata;

    (void) status;
    PMIx_Info_free(t->info, t->n);
    free(t);
}

/* A process that was not connected when it ended leaves nothing by which the server could tell. No
 * process need hear of it: the range is the host's own. */
void px_run_event_ended(const struct px_run_proc *proc)
{
    struct told *t = calloc(1, sizeof(*t));
    pmix_proc_t id;
    bool yes = true;
    pmix_status_t rc = PMIX_ERR_NOMEM;

    if (t == NULL) {
        return;
    }
    PMIX_LOAD_PROCID(&id, proc->job->nspace, proc->rank);
    t->info = PMIx_Info_create(2);
    if (t->info != NULL) {
        t->n = 2;
        (void) PMIx_Info_load(&t->info[0], PMIX_EVENT_AFFECTED_PROC, &id, PMIX_PROC);
        (void) PMIx_Info_load(&t->info[1], PMIX_EVENT_DO_NOT_CACHE, &yes, PMIX_BOOL);
        rc = PMIx_Notify_event(PMIX_EVENT_PROC_TERMINATED, &id, PMIX_RANGE_RM, t->info, t->n,
                               told_free, t);
    }
    if (rc != PMIX_SUCCESS) {
        told_free(rc, t);
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
