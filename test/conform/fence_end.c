/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Fences: what the host is asked and says, callbacks, time and death. Who takes part and what is
 * collected is in fence.c. */

#include "lib/calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

/* ---- the host */

static void required(void)
{
    struct infos list = {0};
    bool yes = true;

    add_required(&list, "made.up", &yes, PMIX_BOOL);
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Fence(NULL, 0, list.at, list.n),
                 "a required directive");
    free_infos(&list);
    fence_all("made.up");
}

/* A host that knows none of them. */
static pmix_status_t refuse_required(struct upcall *ask)
{
    for (size_t i = 0; i < ask->n_infos; i++) {
        if (PMIX_INFO_IS_REQUIRED(&ask->infos[i])) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
    }
    return sound_answer(ask);
}

static void saw_required(void)
{
    const struct note *flagged = record_info(upcall(ON_FENCE, 0, 0), "made.up");

    check(flagged != NULL && (flagged->flags & PMIX_INFO_REQD), "the host sees the flag");
    check(record_info(upcall(ON_FENCE, 0, 1), "made.up") != NULL, "and a directive without it");
}

static void local_fence(void)
{
    put_number("number", me.rank);
    commit();
    fence_all(PMIX_COLLECT_DATA);
    check_number(me.rank ^ 1, me.rank ^ 1, "number", PMIX_OPTIONAL);
}

static void not_supported(void)
{
    pmix_proc_t here[] = {process(me.nspace, me.rank & ~1u), process(me.nspace, me.rank | 1u)};

    check_status(PMIX_ERR_NOT_SUPPORTED, fence(NULL, 0, NULL), "with another node");
    check_status(PMIX_SUCCESS, fence(here, 2, NULL), "on this node");
}

static void refused(void)
{
    check_status(PMIX_ERR_NO_PERMISSIONS, fence(NULL, 0, PMIX_COLLECT_DATA), "the host's word");
}

static void accepted(void)
{
    fence_all(PMIX_COLLECT_DATA);
}

/* ---- not blocking */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    int n;
    int order[8];
    pmix_status_t status;
} done = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static int slots[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static void on_done(pmix_status_t status, void *cbdata)
{
    pthread_mutex_lock(&done.lock);
    done.status = status;
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

/* The lock is held during the call: a callback from within it would wait for ever. */
static int start_fence(const pmix_proc_t *procs, size_t n)
{
    pmix_status_t rc;
    int before;

    pthread_mutex_lock(&done.lock);
    before = done.n;
    rc = PMIx_Fence_nb(procs, n, NULL, 0, on_done, &slots[0]);
    check(done.n == before, "called back before it returned");
    pthread_mutex_unlock(&done.lock);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "fence_nb: %s",
          PMIx_Error_string(rc));
    return rc == PMIX_SUCCESS;
}

static void not_blocking(void)
{
    pmix_proc_t bad = process("", 0);
    int expected = 0;
    pmix_status_t rc;

    for (int i = 0; i < 100; i++) {
        expected += start_fence(NULL, 0);
        wait_done(expected);
        check_status(PMIX_SUCCESS, done.status, "the callback's status");
        expected += start_fence(&me, 1);
        wait_done(expected);
    }
    rc = PMIx_Fence_nb(&bad, 1, NULL, 0, on_done, &slots[0]);
    expected += rc == PMIX_SUCCESS;
    check(rc != PMIX_OPERATION_SUCCEEDED, "no fence over nobody");
    wait_done(expected);
    fence_all(NULL);
    check(done.n == expected, "%d callbacks, not %d", done.n, expected);
}

static void three_at_once(void)
{
    pmix_proc_t pair[] = {process(me.nspace, 0), process(me.nspace, me.rank)};

    if (me.rank == 0) {
        for (pmix_rank_t r = 1; r < 4; r++) {
            pair[1].rank = r;
            check_status(PMIX_SUCCESS, PMIx_Fence_nb(pair, 2, NULL, 0, on_done, &slots[r]),
                         "with %u", r);
        }
        for (int i = 0; i < 3; i++) {
            tell(i == 0 ? "turn 3" : i == 1 ? "turn 2" : "turn 1");
            wait_done(i + 1);
            check(done.order[i] == 3 - i, "fence %d ended as number %d", done.order[i], i);
        }
    } else {
        await(me.rank == 1 ? "turn 1" : me.rank == 2 ? "turn 2" : "turn 3");
        check_status(PMIX_SUCCESS, fence(pair, 2, NULL), "with 0");
    }
}

/* ---- time and death */

static void out_of_time(void)
{
    if (me.rank == 0) {
        check_status_for("FEN-016", PMIX_ERR_TIMEOUT, fence_seconds(NULL, 0, 1),
                         "the other does not come");
        tell("out of time");
    } else {
        await("out of time");
    }
    check_status_for("FEN-017", PMIX_SUCCESS, fence_seconds(NULL, 0, 0), "again, for ever");
    for (int i = 0; i < 500; i++) {
        char step[32];

        snprintf(step, sizeof(step), "in %d", i % 500);
        tell(step);
        check_status_for("FEN-021", PMIX_SUCCESS, fence(NULL, 0, NULL), "fence %d", i);
        check_for("FEN-003 FEN-021", told(step) == 2, "fence %d ended with one of two", i);
    }
}

static void one_dies(void)
{
    pmix_proc_t alive[] = {process(me.nspace, 0), process(me.nspace, 1), process(me.nspace, 2)};
    pmix_status_t rc;

    put_number("number", me.rank);
    commit();
    if (me.rank == 3) {
        tell("may die");
        await("never");
    }
    tell("going in");
    rc = fence(NULL, 0, PMIX_COLLECT_DATA);
    check(rc != PMIX_SUCCESS, "a fence without rank 3 succeeded");
    check_status(PMIX_SUCCESS, fence(alive, 3, NULL), "among the living");
}

static void kill_the_last(void)
{
    await("may die");
    await_n("going in", 3);
    rank_kill("A", 3, SIGKILL);
}

static void told_of_death(void)
{
    int with_status = 0;
    const struct record *r = NULL;

    for (int i = 0; i < upcalls(ON_FENCE, -1); i++) {
        const struct note *status =
            record_info(upcall(ON_FENCE, -1, i), PMIX_LOCAL_COLLECTIVE_STATUS);

        if (status != NULL && status->number != PMIX_SUCCESS) {
            with_status++;
            r = upcall(ON_FENCE, -1, i);
        }
    }
    check(with_status == 1, "%d upcalls with an error of a local member", with_status);
    check(r == NULL || r->node == n_nodes() - 1, "it was on node %d", r != NULL ? r->node : -1);
}

static void lose_server(void)
{
    pmix_status_t rc;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.rank == 0) {
        await("up");
        tell("going in");
        rc = fence(NULL, 0, NULL);
        check(rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_UNREACH, "it ended with %s",
              PMIx_Error_string(rc));
        tell("ended");
    } else {
        tell("up");
        await("ended");
    }
    (void) PMIx_Finalize(NULL, 0); /* any status: there is nobody to tell */
}

static void die(void)
{
    await("going in");
    host_dies();
}

const struct conform_case cases[] = {
    {.ids = "FEN-011",
     .what = "a required directive that the host refuses",
     .nodes = 2,
     .client = required,
     .after = saw_required,
     .host = {[ON_FENCE] = {OWN, .own = refuse_required}}},
    {.ids = "FEN-011",
     .what = "a required directive without a host to ask",
     .ranks = 2,
     .client = required,
     .host = {[ON_FENCE] = {MISSING}}},
    {.ids = "FEN-014",
     .what = "without the host's fence, on one node",
     .ranks = 2,
     .client = local_fence,
     .host = {[ON_FENCE] = {MISSING}}},
    {.ids = "FEN-014",
     .what = "without the host's fence, over two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = not_supported,
     .host = {[ON_FENCE] = {MISSING}}},
    {.ids = "FEN-015",
     .what = "a callback after return, or none",
     .ranks = 2,
     .client = not_blocking},
    {.ids = "FEN-015",
     .what = "a callback after return, or none, over two nodes",
     .nodes = 2,
     .client = not_blocking},
    {.ids = "FEN-016 FEN-017 FEN-021 FEN-003 S13",
     .what = "out of time, again, and many more",
     .ranks = 2,
     .client = out_of_time},
    {.ids = "FEN-016 FEN-017 FEN-021 FEN-003 S13",
     .what = "out of time, again, and many more, over two nodes",
     .nodes = 2,
     .client = out_of_time},
    {.ids = "FEN-018 S12",
     .what = "a local member dies",
     .ranks = 4,
     .client = one_dies,
     .script = kill_the_last,
     .after = told_of_death},
    {.ids = "FEN-018 S12",
     .what = "a member of one of two nodes dies",
     .nodes = 2,
     .ranks = 2,
     .client = one_dies,
     .script = kill_the_last,
     .after = told_of_death},
    {.ids = "FEN-019",
     .what = "an error of the host at once is everybody's",
     .nodes = 2,
     .ranks = 2,
     .client = refused,
     .host = {[ON_FENCE] = {AT_ONCE, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "FEN-019",
     .what = "an error by callback is everybody's",
     .nodes = 2,
     .ranks = 2,
     .client = refused,
     .host = {[ON_FENCE] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "FEN-019",
     .what = "an error by callback within the upcall",
     .nodes = 2,
     .ranks = 2,
     .client = refused,
     .host = {[ON_FENCE] = {INSIDE, PMIX_ERR_NO_PERMISSIONS}}},
    {.ids = "FEN-019",
     .what = "success of the host at once is everybody's",
     .nodes = 2,
     .ranks = 2,
     .client = accepted,
     .host = {[ON_FENCE] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}}},
    {.ids = "FEN-020",
     .what = "three fences at once, ended in reverse order",
     .ranks = 4,
     .client = three_at_once},
    {.ids = "FEN-020",
     .what = "three fences at once over two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = three_at_once},
    {.ids = "FEN-027",
     .what = "the server dies",
     .ranks = 2,
     .client = lose_server,
     .script = die,
     .raw = true,
     .dirty = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
