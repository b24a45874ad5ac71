/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Events: rank 0 tells everybody that something has happened.
 *
 *     pmixrun -n 3 examples/event
 */

#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codes of one's own lie below PMIX_EXTERNAL_ERR_BASE. */
#define WATER_BOILS (PMIX_EXTERNAL_ERR_BASE - 1)

/* A flag that a callback sets and a thread waits for. */
struct flag {
    pthread_mutex_t lock;
    pthread_cond_t raised_cond;
    bool raised;
    pmix_status_t status;
};
#define FLAG_INIT                                                                                  \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, PMIX_SUCCESS                   \
    }

static struct flag event_seen = FLAG_INIT;

static void raise_flag(struct flag *flag, pmix_status_t status)
{
    pthread_mutex_lock(&flag->lock);
    flag->raised = true;
    flag->status = status;
    pthread_cond_signal(&flag->raised_cond);
    pthread_mutex_unlock(&flag->lock);
}

static pmix_status_t wait_for(struct flag *flag)
{
    pthread_mutex_lock(&flag->lock);
    while (!flag->raised) {
        pthread_cond_wait(&flag->raised_cond, &flag->lock);
    }
    pthread_mutex_unlock(&flag->lock);
    return flag->status;
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "event: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

/* Called on the library's thread: do little here, and never wait. The event goes on to the next
 * handler, if any, when cbfunc is called; PMIX_EVENT_ACTION_COMPLETE ends it here. */
static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t cbfunc, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    raise_flag(&event_seen, status);
    if (cbfunc != NULL) {
        cbfunc(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
    }
}

struct registration {
    struct flag done;
    size_t id;
};

static void on_registered(pmix_status_t status, size_t id, void *cbdata)
{
    struct registration *r = cbdata;

    r->id = id; /* needed to deregister */
    raise_flag(&r->done, status);
}

static void on_done(pmix_status_t status, void *cbdata)
{
    raise_flag(cbdata, status);
}

static void notify(const pmix_proc_t *me)
{
    struct flag sent = FLAG_INIT;
    pmix_status_t rc =
        PMIx_Notify_event(WATER_BOILS, me, PMIX_RANGE_NAMESPACE, NULL, 0, on_done, &sent);

    if (rc == PMIX_SUCCESS) { /* PMIX_OPERATION_SUCCEEDED: done already, no callback */
        rc = wait_for(&sent);
    }
    if (rc != PMIX_OPERATION_SUCCEEDED) {
        check(rc, "notify");
    }
}

int main(void)
{
    pmix_proc_t me;
    pmix_status_t code = WATER_BOILS;
    struct registration registration = {.done = FLAG_INIT};
    struct flag deregistered = FLAG_INIT;

    check(PMIx_Init(&me, NULL, 0), "init (is this program started by pmixrun?)");
    PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, on_registered, &registration);
    check(wait_for(&registration.done), "register");

    check(PMIx_Fence(NULL, 0, NULL, 0), "fence"); /* everybody listens now */
    if (me.rank == 0) {
        notify(&me);
    }
    if (wait_for(&event_seen) != WATER_BOILS) {
        check(PMIX_ERR_NOT_FOUND, "another event came");
    }
    printf("rank %u has heard that the water boils\n", me.rank);

    if (PMIx_Deregister_event_handler(registration.id, on_done, &deregistered) == PMIX_SUCCESS) {
        check(wait_for(&deregistered), "deregister");
    }
    check(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    check(PMIx_Finalize(NULL, 0), "finalize");
    return 0;
}
