/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Connect and disconnect: who is asked and when they return, what the connected know of each other,
 * several at a time, ends. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void both_jobs(pmix_proc_t procs[2])
{
    procs[0] = process("A", PMIX_RANK_WILDCARD);
    procs[1] = process("B", PMIX_RANK_WILDCARD);
}

static pmix_status_t connect_seconds(const pmix_proc_t *procs, size_t n, int seconds)
{
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    rc = PMIx_Connect(procs, n, list.at, list.n);
    free_infos(&list);
    return rc;
}

/* ---- one upcall for each server; the host says when */

static void connect_when_told(void)
{
    pmix_proc_t procs[2];

    both_jobs(procs);
    check_status(PMIX_SUCCESS, PMIx_Connect(procs, 2, NULL, 0), "connect");
    check(told("go") == 1, "it returned before the host had said so");
    check_status(PMIX_SUCCESS, PMIx_Disconnect(procs, 2, NULL, 0), "disconnect");
}

static void say_go(void)
{
    await_upcalls(ON_CONNECT, 2);
    if (node() == 0) {
        tell("go");
    }
}

static void see_connects(void)
{
    for (int i = 0; i < 2; i++) {
        const struct record *r = upcall(ON_CONNECT, i, 0);

        check(upcalls(ON_CONNECT, i) == 1, "%d upcalls of node %d", upcalls(ON_CONNECT, i), i);
        check(r != NULL && r->n_procs == 2 && record_names(r, "A", PMIX_RANK_WILDCARD) &&
                  record_names(r, "B", PMIX_RANK_WILDCARD),
              "about both jobs, node %d", i);
    }
}

static void connect_in_vain(void)
{
    pmix_proc_t procs[2];

    both_jobs(procs);
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Connect(procs, 2, NULL, 0), "connect");
}

/* ---- what the connected know */

static void know_each_other(void)
{
    bool in_a = strcmp(me.nspace, "A") == 0;
    const char *other = in_a ? "B" : "A";
    struct infos now = {0};
    pmix_proc_t procs[2];

    both_jobs(procs);
    put_number("posted", me.rank + (in_a ? 10 : 20));
    put_in(PMIX_LOCAL, "for.the.node", 1);
    commit();
    check_status(PMIX_SUCCESS, PMIx_Connect(procs, 2, NULL, 0), "connect");
    same("2", got(other, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "size of the other job");
    same(in_a ? "node1" : "node0", hosts(other), "its nodes");
    same(in_a ? "B:0,B:1" : "A:0,A:1", peers_sorted(in_a ? "node1" : "node0", other),
         "its processes");
    same(in_a ? "node1" : "node0", got(other, 1, PMIX_HOSTNAME, NULL, 0), "where one is");
    same(in_a ? "21" : "11", got(other, 1, "posted", NULL, 0), "what one has posted");
    add_true(&now, PMIX_IMMEDIATE);
    same("-46", got(other, 1, "for.the.node", now.at, now.n), "but not for its node");
    free_infos(&now);
    check_status(PMIX_SUCCESS, PMIx_Disconnect(procs, 2, NULL, 0), "disconnect");
}

/* ---- several at a time */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int n;
    int order[8];
    pmix_status_t status[8];
} done = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static int slots[4] = {0, 1, 2, 3};

static void on_done(pmix_status_t status, void *cbdata)
{
    pthread_mutex_lock(&done.lock);
    done.status[done.n % 8] = status;
    done.order[done.n++ % 8] = *(int *) cbdata;
    pthread_cond_broadcast(&done.came);
    pthread_mutex_unlock(&done.lock);
}

static void wait_done(int n)
{
    pthread_mutex_lock(&done.lock);
    while (done.n < n) {
        pthread_cond_wait(&done.came, &done.lock);
    }
    pthread_mutex_unlock(&done.lock);
}

/* Rank 0 is connecting with the other two; they come in the other order. */
static void connect_two_at_once(void)
{
    pmix_proc_t pair[2] = {process(me.nspace, 0), process(me.nspace, me.rank)};

    if (me.rank != 0) {
        await(me.rank == 1 ? "turn 1" : "turn 2");
        check_status(PMIX_SUCCESS, PMIx_Connect(pair, 2, NULL, 0), "with 0");
        return;
    }
    for (pmix_rank_t r = 1; r < 3; r++) {
        pair[1].rank = r;
        check_status(PMIX_SUCCESS, PMIx_Connect_nb(pair, 2, NULL, 0, on_done, &slots[r]), "with %u",
                     r);
    }
    tell("turn 2");
    wait_done(1);
    tell("turn 1");
    wait_done(2);
    check(done.order[0] == 2 && done.order[1] == 1, "in the order in which they came");
    check(done.status[0] == PMIX_SUCCESS && done.status[1] == PMIX_SUCCESS, "both");
}

/* The second of the same processes is refused, whatever their order, and the first is not harmed.
 */
static void connect_twice(void)
{
    pmix_proc_t pair[2] = {process(me.nspace, 0), process(me.nspace, 1)};
    pmix_proc_t turned[2] = {pair[1], pair[0]};

    if (me.rank == 1) {
        await("refused");
        check_status(PMIX_SUCCESS, PMIx_Connect(pair, 2, NULL, 0), "with 0");
        await("refused again");
        check_status(PMIX_SUCCESS, PMIx_Disconnect(pair, 2, NULL, 0), "without 0");
        return;
    }
    check_status(PMIX_SUCCESS, PMIx_Connect_nb(pair, 2, NULL, 0, on_done, &slots[0]), "the first");
    check(PMIx_Connect(turned, 2, NULL, 0) != PMIX_SUCCESS, "the same, meanwhile");
    tell("refused");
    wait_done(1);
    check_status(PMIX_SUCCESS, done.status[0], "the first");
    check_status(PMIX_SUCCESS, PMIx_Disconnect_nb(pair, 2, NULL, 0, on_done, &slots[0]), "apart");
    check(PMIx_Disconnect(turned, 2, NULL, 0) != PMIX_SUCCESS, "the same, meanwhile");
    tell("refused again");
    wait_done(2);
    check_status(PMIX_SUCCESS, done.status[1], "apart");
}

/* ---- time, and those who are not connected */

static void connect_alone(void)
{
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);

    if (me.rank == 0) {
        check_status(PMIX_ERR_TIMEOUT, connect_seconds(&all, 1, 1), "the other does not come");
        tell("over");
    } else {
        await("over");
    }
    check_status(PMIX_SUCCESS, connect_seconds(&all, 1, 0), "again, for ever");
}

static void disconnect_strangers(void)
{
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_proc_t some[2] = {process(me.nspace, 0), process(me.nspace, 1)};

    check_status(PMIX_ERR_INVALID_OPERATION, PMIx_Disconnect(&all, 1, NULL, 0), "never connected");
    check_status(PMIX_SUCCESS, PMIx_Connect(&all, 1, NULL, 0), "connect");
    if (me.rank < 2) {
        check_status(PMIX_ERR_INVALID_OPERATION, PMIx_Disconnect(some, 2, NULL, 0),
                     "a part of them");
    }
    check_status(PMIX_SUCCESS, PMIx_Disconnect(&all, 1, NULL, 0), "disconnect");
    check_status(PMIX_ERR_INVALID_OPERATION, PMIx_Disconnect(&all, 1, NULL, 0), "no more");
}

/* ---- ends */

static void on_end(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t n, pmix_info_t results[], size_t n_results,
                   pmix_event_notification_cbfunc_fn_t reply, void *cbdata)
{
    (void) id;
    (void) source;
    (void) results;
    (void) n_results;
    for (size_t i = 0; i < n; i++) {
        if (status == PMIX_ERR_PROC_TERM_WO_SYNC &&
            PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) &&
            info[i].value.data.proc->rank == 1) {
            tell("heard");
        }
    }
    reply(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void meet(void)
{
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_status_t code = PMIX_ERR_PROC_TERM_WO_SYNC;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, on_end, NULL, NULL) >= 0, "register");
    check_status(PMIX_SUCCESS, PMIx_Connect(&all, 1, NULL, 0), "connect");
}

static void leave_connected(void)
{
    meet();
    if (me.rank == 0) {
        await("heard");
    }
}

static void die_connected(void)
{
    meet();
    tell("connected");
    await(me.rank == 0 ? "heard" : "never");
}

static void say_without_sync(void)
{
    pmix_proc_t gone = process("A", 1);
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_EVENT_AFFECTED_PROC, &gone, PMIX_PROC);
    rc = PMIx_Notify_event(PMIX_ERR_PROC_TERM_WO_SYNC, &gone, PMIX_RANGE_SESSION, list.at, list.n,
                           NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify");
    free_infos(&list);
}

static void say_finalized(void)
{
    await_upcalls(ON_FINALIZED, 1);
    say_without_sync();
}

static void say_killed(void)
{
    await_n("connected", 2);
    rank_kill("A", 1, SIGKILL);
    say_without_sync();
}

static void connect_with_the_dead(void)
{
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);

    if (me.rank == 2) {
        tell("may die");
        await("never");
    }
    tell("going in");
    check(PMIx_Connect(&all, 1, NULL, 0) != PMIX_SUCCESS, "connected with the dead");
}

static void kill_one(void)
{
    await("may die");
    await_n("going in", 2);
    rank_kill("A", 2, SIGKILL);
}

static void see_what_is_wrong(void)
{
    const struct record *r = upcall(ON_CONNECT, 0, 0);
    const struct note *status = r != NULL ? record_info(r, PMIX_LOCAL_COLLECTIVE_STATUS) : NULL;

    check(upcalls(ON_CONNECT, 0) == 1, "%d upcalls", upcalls(ON_CONNECT, 0));
    check(status != NULL && status->number != PMIX_SUCCESS, "what is wrong here is not said");
}

const struct conform_case cases[] = {
    {.ids = "SPN-007",
     .what = "one upcall of each server for a connect, which returns when the host says so",
     .nodes = 2,
     .jobs = {{"A", {1, 1}}, {"B", {2, 1}}},
     .client = connect_when_told,
     .script = say_go,
     .after = see_connects,
     .host = {[ON_CONNECT] = {DELAYED, .when = "go"}}},
    {.ids = "SPN-007",
     .what = "and for all, what it says",
     .jobs = {{"A", {2}}, {"B", {2}}},
     .client = connect_in_vain,
     .host = {[ON_CONNECT] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "SPN-008",
     .what = "the connected read of each other's job and what was posted",
     .nodes = 2,
     .jobs = {{"A", {2}}, {"B", {0, 2}}},
     .client = know_each_other},
    {.ids = "SPN-009",
     .what = "connects of different processes at once",
     .ranks = 3,
     .client = connect_two_at_once},
    {.ids = "SPN-009", .what = "but not of the same", .ranks = 2, .client = connect_twice},
    {.ids = "SPN-010",
     .what = "a partner that does not come in time",
     .ranks = 2,
     .client = connect_alone},
    {.ids = "SPN-011",
     .what = "only those who are connected disconnect",
     .ranks = 3,
     .client = disconnect_strangers},
    {.ids = "SPN-012",
     .what = "the connected hear of one that finalizes",
     .ranks = 2,
     .client = leave_connected,
     .script = say_finalized},
    {.ids = "SPN-012",
     .what = "and of one that dies",
     .ranks = 2,
     .client = die_connected,
     .script = say_killed},
    {.ids = "SPN-013",
     .what = "the host is told that a process has ended before it came",
     .ranks = 3,
     .client = connect_with_the_dead,
     .script = kill_one,
     .after = see_what_is_wrong},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
