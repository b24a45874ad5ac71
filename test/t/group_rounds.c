/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Starts a program again and again, each time as a job of its own with 2 to 16 processes and
 * another seed, and waits for its end. At last it says "done". Between the jobs it calls the
 * command in GROUP_ROUNDS_MEASURE ten times, first after a tenth. usage: group_rounds FIRST COUNT
 * PROGRAM [ARGUMENT] */

#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_ended;
} state = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void on_end(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t next, void *cbdata)
{
    (void) id, (void) code, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    pthread_mutex_lock(&state.lock);
    state.n_ended++;
    pthread_cond_signal(&state.changed);
    pthread_mutex_unlock(&state.lock);
    next(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* False if the job has not ended after a minute. */
static bool await_ends(unsigned n)
{
    struct timespec limit;
    int rc = 0;

    (void) clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    pthread_mutex_lock(&state.lock);
    while (state.n_ended < n && rc == 0) {
        rc = pthread_cond_timedwait(&state.changed, &state.lock, &limit);
    }
    pthread_mutex_unlock(&state.lock);
    return rc == 0;
}

static pmix_status_t start(char *program, char *argument, unsigned seed)
{
    char number[16];
    char *argv[] = {program, number, argument, NULL};
    pmix_info_t info;
    pmix_app_t app;
    pmix_nspace_t job;
    bool yes = true;
    pmix_status_t rc;

    (void) snprintf(number, sizeof(number), "%u", seed);
    memset(&app, 0, sizeof(app));
    app.cmd = program;
    app.argv = argv;
    app.maxprocs = 2 + (int) (seed % 15);
    PMIX_INFO_LOAD(&info, PMIX_NOTIFY_COMPLETION, &yes, PMIX_BOOL);
    rc = PMIx_Spawn(&info, 1, &app, 1, job);
    PMIX_INFO_DESTRUCT(&info);
    return rc;
}

int main(int argc, char **argv)
{
    pmix_status_t code = PMIX_EVENT_JOB_END;
    const char *measure = getenv("GROUP_ROUNDS_MEASURE");
    unsigned first = argc > 3 ? (unsigned) atoi(argv[1]) : 1;
    unsigned count = argc > 3 ? (unsigned) atoi(argv[2]) : 0;
    pmix_proc_t me;

    if (count == 0 || PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS ||
        PMIx_Register_event_handler(&code, 1, NULL, 0, on_end, NULL, NULL) < 0) {
        return 1;
    }
    for (unsigned i = 0; i < count; i++) {
        pmix_status_t rc = start(argv[3], argc > 4 ? argv[4] : NULL, first + i);

        if (rc != PMIX_SUCCESS || !await_ends(i + 1)) {
            printf("%u %s\n", first + i, rc != PMIX_SUCCESS ? PMIx_Error_string(rc) : "no end");
            return 1;
        }
        if (measure != NULL && (i + 1) % ((count + 9) / 10) == 0 && system(measure) != 0) {
            return 1;
        }
    }
    puts("done");
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
