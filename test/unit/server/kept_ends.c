/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The end of a process is kept for who registers for it later, until the process, or its job, is
 * started again. [EVT-013] */

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>

#include "world.h"

enum { CODE = -5000, MOST = 16, LAST = MOST - 1 };

/* --- the host --- */

/* Raises an event about n processes; without any its source has ended. */
static void say(pmix_status_t code, int number, const pmix_proc_t *source, pmix_proc_t *ended,
                size_t n)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = ended};
    pmix_info_t infos[2];

    PMIX_INFO_LOAD(&infos[0], "message", &number, PMIX_INT);
    if (n == 1) {
        PMIX_INFO_LOAD(&infos[1], PMIX_EVENT_AFFECTED_PROC, ended, PMIX_PROC);
    } else if (n > 1) {
        PMIX_INFO_LOAD(&infos[1], PMIX_EVENT_AFFECTED_PROCS, &array, PMIX_DATA_ARRAY);
    }
    check_status(
        PMIx_Notify_event(code, source, PMIX_RANGE_LOCAL, infos, n > 0 ? 2 : 1, NULL, NULL),
        PMIX_SUCCESS);
    for (size_t i = 0; i < (n > 0 ? 2 : 1); i++) {
        PMIx_Info_destruct(&infos[i]);
    }
}

static void say_ended(int number, const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t host = proc_of("host", 0);
    pmix_proc_t ended = proc_of(nspace, rank);

    say(PMIX_ERR_PROC_ABORTED, number, &host, &ended, 1);
}

/* Job of which `n_local` processes are to be on this node. */
static void register_job(const char *name, int n_local)
{
    pmix_nspace_t nspace;
    uint32_t size = 4;
    pmix_info_t info;

    PMIX_LOAD_NSPACE(nspace, name);
    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    check_status(PMIx_server_register_nspace(nspace, n_local, &info, 1, NULL, NULL), PMIX_SUCCESS);
}

static void register_rank(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = proc_of(nspace, rank);

    check_status(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                 PMIX_SUCCESS);
}

/* Jobs whose processes are on other nodes, of which one is started again; one whose processes are
 * here, of which rank 1 is; and rank 1 of the job of the test, which connects. */
static void end_and_start(unsigned node)
{
    pmix_proc_t two[] = {proc_of("again", 1), proc_of("ended", 0)};
    pmix_proc_t host = proc_of("host", 0);
    pmix_proc_t source = proc_of("again", 3);

    (void) node;
    register_job("again", 0);
    register_job("ended", 0);
    register_job("here", 2);
    register_rank("here", 0);
    register_rank("here", 1);
    say_ended(1, "again", 0);
    say(PMIX_ERR_PROC_ABORTED, 2, &host, two, 2);
    say_ended(3, "ended", 1);
    say_ended(4, "again", PMIX_RANK_WILDCARD);
    say(PMIX_ERR_PROC_ABORTED, 5, &source, NULL, 0);
    say(CODE, 6, &host, two, 1);
    say_ended(7, "here", 0);
    say_ended(8, "here", 1);
    say_ended(9, WORLD_NSPACE, 1);
    register_job("again", 0);
    register_job("here", 2);
    register_rank("here", 1);
    say_ended(10, "again", 2);
    say(CODE, LAST, &host, NULL, 0);
}

/* The messages that are kept, and of how many processes each says that they have ended. */
static const struct {
    int message;
    int n;
} kept[] = {{2, 1}, {3, 1}, {6, 1}, {7, 1}, {10, 1}, {LAST, 0}};

/* --- a process that comes late --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int got[MOST]; /* lock: by message, how many processes it says have ended; -1: none came */

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    int message = 0;
    int n = 0;

    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "message")) {
            message = info[i].value.data.integer;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            n++;
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROCS)) {
            n += (int) info[i].value.data.darray->size;
        }
    }
    pthread_mutex_lock(&lock);
    check(message > 0 && message < MOST);
    got[message] = n;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* Until rank 1 has connected it has ended, and nobody waits for it. */
static void await_other(void)
{
    uint32_t ignored;

    while (get_with(1, "here", NULL, &ignored) != PMIX_SUCCESS) {
        (void) sched_yield();
    }
}

static int act_late(void)
{
    pmix_status_t codes[] = {PMIX_ERR_PROC_ABORTED, CODE};

    for (int i = 0; i < MOST; i++) {
        got[i] = -1;
    }
    if (me.rank == 1) {
        post(PMIX_GLOBAL, "here", 1);
        check_status(PMIx_Commit(), PMIX_SUCCESS);
    } else {
        await_other();
        check(PMIx_Register_event_handler(codes, 2, NULL, 0, on_event, NULL, NULL) >= 0);
        pthread_mutex_lock(&lock);
        while (got[LAST] < 0) {
            pthread_cond_wait(&more, &lock);
        }
        for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
            check(got[kept[i].message] == kept[i].n);
            got[kept[i].message] = -1;
        }
        for (int i = 0; i < MOST; i++) {
            check(got[i] < 0); /* no other one is kept */
        }
        pthread_mutex_unlock(&lock);
    }
    fence_all(false);
    return 0;
}

static const struct act acts[] = {{"late", act_late}, {NULL, NULL}};

static void started_again(void **state)
{
    (void) state;
    assert_int_equal(world_run(&(struct world){
                         .act = "late", .n_nodes = 1, .per_node = 2, .ready = end_and_start}),
                     0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(started_again)};

    world_maybe_client(argc, argv, acts);
    alarm(120);
    return cmocka_run_group_tests_name("kept_ends", tests, NULL, NULL);
}
