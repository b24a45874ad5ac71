/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Collectives of a process with a job of another node that has ended. */

#include "across.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct answer job_end; /* lock; number: how many have ended */

static void on_job_end(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    pthread_mutex_lock(&lock);
    job_end.number++;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* Starts one process on the last node; its end is announced. */
static void start_on_last(const char *what, char *ret_nspace)
{
    pmix_app_t *app = PMIx_App_create(1);
    pmix_info_t info[2];
    char text[16];
    bool yes = true;

    snprintf(text, sizeof(text), "node%u", n_nodes - 1);
    must(PMIx_Info_load(&info[0], PMIX_HOST, text, PMIX_STRING), "load");
    must(PMIx_Info_load(&info[1], PMIX_NOTIFY_COMPLETION, &yes, PMIX_BOOL), "load");
    snprintf(text, sizeof(text), "%u", n_nodes);
    app->cmd = strdup(program);
    app->maxprocs = 1;
    must(PMIx_Argv_append_nosize(&app->argv, program), "argv");
    must(PMIx_Argv_append_nosize(&app->argv, what), "argv");
    must(PMIx_Argv_append_nosize(&app->argv, text), "argv");
    must(PMIx_Spawn(info, 2, app, 1, ret_nspace), "spawn");
    PMIx_Info_destruct(&info[0]);
    PMIx_App_free(app, 1);
}

static void await_ends(uint32_t n)
{
    pthread_mutex_lock(&lock);
    while (job_end.number < n) {
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static bool names_lost(const pmix_info_t *infos, size_t n, const pmix_proc_t *proc)
{
    for (size_t i = 0; i < n; i++) {
        const pmix_data_array_t *a = infos[i].value.data.darray;

        if (PMIX_CHECK_KEY(&infos[i], PMIX_GROUP_MEMBERSHIP)) {
            for (size_t k = 0; k < a->size; k++) {
                if (PMIX_CHECK_PROCID(&((const pmix_proc_t *) a->array)[k], proc)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* None of these waits for the job that has ended. */
static void meet_in_vain(const pmix_proc_t *both, const char *name)
{
    pmix_info_t how[1];
    pmix_info_t *results = NULL;
    pmix_proc_t lost;
    size_t n = 0;
    bool yes = true;

    PMIX_LOAD_PROCID(&lost, both[1].nspace, 0);
    expect(PMIx_Fence(both, 2, NULL, 0) != PMIX_SUCCESS, "a fence with a job that is over");
    expect(PMIx_Disconnect(both, 2, NULL, 0) != PMIX_SUCCESS, "a disconnect from it");
    expect(PMIx_Connect(both, 2, NULL, 0) != PMIX_SUCCESS, "a connect with it");
    expect(PMIx_Group_construct(name, both, 2, NULL, 0, &results, &n) != PMIX_SUCCESS,
           "a group with it");
    must(PMIx_Info_load(&how[0], PMIX_GROUP_FT_COLLECTIVE, &yes, PMIX_BOOL), "load");
    is(PMIX_SUCCESS, PMIx_Group_construct(name, both, 2, how, 1, &results, &n),
       "a group that does without it");
    expect(!names_lost(results, n, &lost), "a member that has ended");
    PMIx_Info_free(results, n);
    must(PMIx_Group_destruct(name, NULL, 0), "destruct");
}

/* Also when so many others have ended since that little is kept of it. */
void act_over(void)
{
    enum { OTHERS = 40 };
    pmix_status_t code = PMIX_EVENT_JOB_END;
    pmix_nspace_t nspace;
    pmix_nspace_t other;
    pmix_proc_t both[2];

    expect(PMIx_Register_event_handler(&code, 1, NULL, 0, on_job_end, NULL, NULL) >= 0, "register");
    start_on_last("brief", nspace);
    PMIX_LOAD_PROCID(&both[0], me.nspace, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&both[1], nspace, PMIX_RANK_WILDCARD);
    must(PMIx_Connect(both, 2, NULL, 0), "connect");
    must(PMIx_Group_construct("both", both, 2, NULL, 0, NULL, NULL), "construct");
    await_ends(1);
    expect(PMIx_Group_destruct("both", NULL, 0) != PMIX_ERR_TIMEOUT, "destruct");
    meet_in_vain(both, "new");
    for (uint32_t i = 0; i < OTHERS; i++) {
        start_on_last("nothing", other);
        await_ends(2 + i);
    }
    meet_in_vain(both, "newer");
}

/* The job that ends. */
void act_brief(void)
{
    pmix_proc_t both[2];
    pmix_value_t *v = NULL;

    must(PMIx_Get(&me, PMIX_PARENT_ID, NULL, 0, &v), "parent");
    PMIX_LOAD_PROCID(&both[0], v->data.proc->nspace, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&both[1], me.nspace, PMIX_RANK_WILDCARD);
    must(PMIx_Connect(both, 2, NULL, 0), "connect");
    must(PMIx_Group_construct("both", both, 2, NULL, 0, NULL, NULL), "construct");
    PMIx_Value_free(v, 1);
}

void act_nothing(void)
{
}
