/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One invitation with faults at random moments, for run_group_faults.sh: rank 0 invites all others.
 * Some ranks are killed, stopped for a while, or finalize in the midst. Each prints what it is
 * going to suffer, "SEED RANK kill" or "SEED RANK leave" (it need not know of the group then), and
 * at the end what it was told: "SEED RANK STATUS MEMBERS". usage: invited SEED */

#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum fault { NONE, KILL, STOP, LEAVE };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool answered; /* with an acceptance, whose end is waited for */
    bool over;
} state = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

static pmix_proc_t me;
static unsigned first_seed;
static unsigned seed;
static enum fault fault;
static unsigned delay_us;
static int go[2]; /* a helper process begins to count when this is closed */

static unsigned draw(unsigned n)
{
    return (unsigned) rand_r(&seed) % n;
}

static void say(const char *text)
{
    char line[512];
    int n = snprintf(line, sizeof(line), "%u %u %s\n", first_seed, me.rank, text);

    (void) !write(STDOUT_FILENO, line, (size_t) n);
}

static void pass(unsigned us)
{
    struct timespec t = {.tv_nsec = (long) us * 1000};

    (void) nanosleep(&t, NULL);
}

/* The faults come from outside, from a process that was forked before PMIx_Init. */
static void helper(pid_t parent)
{
    char byte;

    (void) close(go[1]);
    (void) !read(go[0], &byte, 1);
    pass(delay_us);
    if (fault == KILL) {
        (void) kill(parent, SIGKILL);
    } else if (fault == STOP) {
        (void) kill(parent, SIGSTOP);
        pass(20000);
        (void) kill(parent, SIGCONT);
    }
    _exit(0);
}

static void set(bool *what)
{
    pthread_mutex_lock(&state.lock);
    *what = true;
    pthread_cond_broadcast(&state.changed);
    pthread_mutex_unlock(&state.lock);
}

static void done(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                 pmix_release_cbfunc_t release, void *release_cbdata)
{
    char text[400];
    size_t at = (size_t) snprintf(text, sizeof(text), "%s", PMIx_Error_string(status));

    (void) cbdata;
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            const pmix_data_array_t *array = info[i].value.data.darray;
            for (size_t k = 0; k < array->size && at < sizeof(text); k++) {
                at += (size_t) snprintf(text + at, sizeof(text) - at, " %u",
                                        ((const pmix_proc_t *) array->array)[k].rank);
            }
        }
    }
    if (release != NULL) {
        release(release_cbdata);
    }
    say(text);
    set(&state.over);
}

static void on_invited(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                       size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t next, void *cbdata)
{
    pmix_group_opt_t answer = draw(8) > 0 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE;
    pmix_status_t rc;

    (void) id, (void) code, (void) info, (void) ninfo, (void) results, (void) nresults;
    rc = PMIx_Group_join_nb("g", source, answer, NULL, 0, answer == PMIX_GROUP_ACCEPT ? done : NULL,
                            NULL);
    if (rc != PMIX_SUCCESS || answer == PMIX_GROUP_DECLINE) {
        set(&state.over);
    } else {
        set(&state.answered);
    }
    next(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* The leader is gone: who was not invited has nothing to wait for. */
static void on_end(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t next, void *cbdata)
{
    bool answered;

    (void) id, (void) code, (void) source, (void) results, (void) nresults;
    pthread_mutex_lock(&state.lock);
    answered = state.answered;
    pthread_mutex_unlock(&state.lock);
    for (size_t i = 0; i < ninfo; i++) {
        if (!answered && PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) &&
            info[i].value.data.proc->rank == 0 &&
            PMIX_CHECK_NSPACE(info[i].value.data.proc->nspace, me.nspace)) {
            set(&state.over);
        }
    }
    next(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* The leader is lost while this process waits: it may want to lead, or give the group up. */
static void on_failed(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                      size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t next, void *cbdata)
{
    unsigned choice = draw(8);
    pmix_info_t claim;
    bool claims = choice > 3;

    (void) id, (void) code, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, &claims, PMIX_BOOL);
    next(choice == 0 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_SUCCESS, &claim, 1, NULL, NULL, cbdata);
    PMIX_INFO_DESTRUCT(&claim);
}

static void lead(unsigned n)
{
    pmix_proc_t all[64];
    pmix_info_t optional;
    bool yes = draw(2) > 0;

    for (unsigned i = 0; i < n; i++) {
        PMIX_LOAD_PROCID(&all[i], me.nspace, i);
    }
    PMIX_INFO_LOAD(&optional, PMIX_GROUP_OPTIONAL, &yes, PMIX_BOOL);
    if (PMIx_Group_invite_nb("g", all, n, &optional, 1, done, NULL) != PMIX_SUCCESS) {
        set(&state.over);
    }
}

static void wait_for_end(void)
{
    if (fault == LEAVE) {
        pass(delay_us);
        return;
    }
    pthread_mutex_lock(&state.lock);
    while (!state.over) {
        pthread_cond_wait(&state.changed, &state.lock);
    }
    pthread_mutex_unlock(&state.lock);
}

int main(int argc, char **argv)
{
    static pmix_status_t ends[] = {PMIX_EVENT_PROC_TERMINATED, PMIX_ERR_PROC_ABORTED_BY_SIG,
                                   PMIX_ERR_PROC_TERM_WO_SYNC, PMIX_ERR_EXIT_NONZERO_TERM};
    static pmix_status_t code = PMIX_GROUP_INVITED;
    static pmix_status_t failed = PMIX_GROUP_LEADER_FAILED;
    const char *rank = getenv("PMIX_RANK");
    unsigned number = rank != NULL ? (unsigned) atoi(rank) : 0;
    pmix_value_t *size;
    unsigned n;

    first_seed = argc > 1 ? (unsigned) atoi(argv[1]) : 1;
    seed = first_seed * 1000003U + number * 7919U;
    (void) draw(2);
    fault = draw(number == 0 ? 3 : 2) == 0 ? (enum fault)(KILL + draw(3)) : NONE;
    delay_us = draw(4000);
    if (pipe(go) != 0) {
        return 1;
    }
    if ((fault == KILL || fault == STOP) && fork() == 0) {
        helper(getppid());
    }
    (void) close(go[0]);
    if (PMIx_Init(&me, NULL, 0) != PMIX_SUCCESS ||
        PMIx_Get(&(pmix_proc_t){.nspace = "", .rank = PMIX_RANK_WILDCARD}, PMIX_JOB_SIZE, NULL, 0,
                 &size) != PMIX_SUCCESS) {
        return 1;
    }
    n = size->data.uint32;
    PMIx_Value_free(size, 1);
    if (number > 0) {
        (void) PMIx_Register_event_handler(&code, 1, NULL, 0, on_invited, NULL, NULL);
        (void) PMIx_Register_event_handler(ends, 4, NULL, 0, on_end, NULL, NULL);
        (void) PMIx_Register_event_handler(&failed, 1, NULL, 0, on_failed, NULL, NULL);
    }
    if (fault == KILL || fault == LEAVE) {
        say(fault == KILL ? "kill" : "leave");
    }
    (void) PMIx_Fence(NULL, 0, NULL, 0);
    (void) close(go[1]);
    if (number == 0) {
        lead(n);
    }
    wait_for_end();
    (void) PMIx_Finalize(NULL, 0);
    return 0;
}
