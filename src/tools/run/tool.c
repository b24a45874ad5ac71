/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tools that connect to this node's server. Any of our own user is admitted; what the library has
 * authenticated counts, not what the tool says of itself. A debugger that is lost cannot release
 * the processes that it has stopped, which would stay for ever, and pmixrun with them. */

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "nodes.h"

static const pmix_value_t *find(const struct upcall *upcall, const char *key, pmix_data_type_t type)
{
    const pmix_value_t *value = px_host_find(upcall, key);

    return value != NULL && value->type == type ? value : NULL;
}

/* One that has no name gets one that no other tool or job of any node has. */
static void name_tool(const struct upcall *upcall, pmix_proc_t *ret)
{
    static atomic_uint last;
    const pmix_value_t *nspace = find(upcall, PMIX_TOOL_NSPACE, PMIX_STRING);
    const pmix_value_t *rank = find(upcall, PMIX_TOOL_RANK, PMIX_PROC_RANK);
    char name[PMIX_MAX_NSLEN + 1];

    if (nspace != NULL) {
        PMIX_LOAD_PROCID(ret, nspace->data.string, rank != NULL ? rank->data.rank : 0);
        return;
    }
    (void) snprintf(name, sizeof(name), "%.200s.tool%u.%u", px_run.options.nspace, px_run.node,
                    atomic_fetch_add(&last, 1));
    PMIX_LOAD_PROCID(ret, name, 0);
}

pmix_status_t px_run_tool(struct upcall *upcall)
{
    const pmix_value_t *uid = find(upcall, PMIX_USERID, PMIX_UINT32);
    pmix_proc_t name;

    if (uid == NULL || uid->data.uint32 != geteuid()) {
        return PMIX_ERR_NO_PERMISSIONS;
    }
    name_tool(upcall, &name);
    upcall->reply.tool(PMIX_SUCCESS, &name, upcall->cbdata);
    return PMIX_SUCCESS;
}

/* ---- one that is lost: its connection has ended without PMIx_tool_finalize. Main thread */

/* True if the job has processes that wait for a debugger. */
static bool waits_for_debugger(const struct px_run_job *job)
{
    bool waits = job->stops;

    for (size_t i = 0; i < job->n_more; i++) {
        waits = waits || PMIX_CHECK_KEY(&job->more[i], PMIX_DEBUG_STOP_IN_INIT) ||
                PMIX_CHECK_KEY(&job->more[i], PMIX_DEBUG_STOP_IN_APP);
    }
    return waits;
}

static void release_told(pmix_status_t status, void *cbdata)
{
    (void) status;
    PMIx_Info_free(cbdata, 1);
}

/* Lets the processes of this node go on, wherever they wait, also those that begin to wait later:
 * the event is kept. */
static void release(const struct px_run_job *job)
{
    pmix_info_t *range = PMIx_Info_create(1);
    pmix_status_t rc = range != NULL ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    pmix_proc_t all;

    PMIX_LOAD_PROCID(&all, job->nspace, PMIX_RANK_WILDCARD);
    if (job->stops) {
        px_run_signal(&all, SIGCONT, false);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Info_load(range, PMIX_EVENT_CUSTOM_RANGE, &all, PMIX_PROC);
    }
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_Notify_event(PMIX_DEBUGGER_RELEASE, NULL, PMIX_RANGE_CUSTOM, range, 1,
                               release_told, range);
    }
    if (rc != PMIX_SUCCESS) {
        release_told(rc, range);
    }
}

/* What the lost process has spawned, to be stopped. */
static void release_jobs_of(const pmix_proc_t *lost)
{
    for (const struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        if (job->spawned && !job->done && PMIX_CHECK_PROCID(&job->parent, lost) &&
            waits_for_debugger(job)) {
            px_run_verbose("%s has lost its debugger %s", job->nspace, lost->nspace);
            release(job);
        }
    }
}

static void send_lost(const pmix_proc_t *lost, uint32_t to)
{
    struct px_run_bytes b = {0};

    px_run_put_proc(&b, lost);
    (void) px_run_remote_send(PX_RUN_TOOL_LOST, to, 0, 0, &b);
}

/* With several nodes all of them hear it from the relay, this one too: behind a job that the lost
 * process was about to spawn. */
static void tell_nodes(struct px_run_task *task)
{
    if (px_run.place == PX_RUN_ALONE) {
        release_jobs_of(&task->proc);
    } else {
        send_lost(&task->proc, PX_RUN_OTHERS);
        send_lost(&task->proc, px_run.node);
    }
}

void px_run_tool_lost_there(const struct px_run_frame *head, struct px_run_reader *payload)
{
    pmix_proc_t lost;

    (void) head;
    px_run_get_proc(payload, &lost);
    if (!payload->failed) {
        release_jobs_of(&lost);
    }
}

/* PMIX_ERR_LOST_CONNECTION of a process or tool. Library's thread. */
static void on_lost(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                    size_t ninfo, pmix_info_t results[], size_t nresults,
                    pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    struct px_run_task task = {.run = tell_nodes, .proc = *source};

    (void) id;
    (void) status;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    (void) px_run_task_post(&task); /* without memory they stay stopped */
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

pmix_status_t px_run_tools_watch(void)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    pmix_status_t id = PMIx_Register_event_handler(&code, 1, NULL, 0, on_lost, NULL, NULL);

    return id < 0 ? id : PMIX_SUCCESS;
}
