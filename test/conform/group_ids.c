/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Ids of groups where processes are named: what they stand for, what they cannot stand for, and
 * which of them are refused. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <stdio.h>
#include <string.h>

enum { COMPLETE = PMIX_GROUP_CONSTRUCT_COMPLETE, SECONDS = 5 };

static bool is(const char *nspace, pmix_rank_t rank)
{
    return strcmp(me.nspace, nspace) == 0 && me.rank == rank;
}

/* ---- a process claims that a group by invitation has been made */

static void claim(const char *group, const pmix_proc_t *members, size_t n)
{
    struct infos list = {0};
    pmix_status_t rc;

    add_text(&list, PMIX_GROUP_ID, group);
    add_procs(&list, PMIX_GROUP_MEMBERSHIP, members, n);
    add_true(&list, PMIX_EVENT_NON_DEFAULT);
    rc = PMIx_Notify_event(COMPLETE, &me, PMIX_RANGE_SESSION, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

/* A:0 and all of B. */
static void fence_with_job(void)
{
    pmix_proc_t procs[2] = {process("A", 0), process("B", PMIX_RANK_WILDCARD)};

    check_status(PMIX_SUCCESS, fence_seconds(procs, 2, SECONDS), "the fence of A:0 and the job B");
}

/* A:1 says that a group of itself has the name of the job B. */
static void claim_job(void)
{
    if (!is("A", 1)) {
        hear(COMPLETE, on_event);
        tell("listens");
        await(event_step(COMPLETE, me.rank));
        fence_with_job();
        tell("fenced");
    } else {
        await_n("listens", 2);
        claim("B", &me, 1);
        await_n("fenced", 2);
    }
}

static void claim_later_job(void)
{
    if (is("A", 1)) {
        claim("B", &me, 1);
        tell("claimed");
    } else if (is("A", 0)) {
        await("B is there");
        fence_with_job();
    } else {
        fence_with_job();
    }
}

static void start_later(void)
{
    await("claimed");
    job_register("B");
    tell("B is there");
    job_start("B");
}

static void names_the_job(void)
{
    const struct record *fence = upcall(ON_FENCE, -1, 0);

    check(fence != NULL && record_names(fence, "B", PMIX_RANK_WILDCARD), "the fence is one of B");
}

const struct conform_case cases[] = {
    {.ids = "GRP-004",
     .what = "no process can give the name of a job to a group, on one node",
     .jobs = {{"A", {2}}, {"B", {1}}},
     .client = claim_job,
     .seconds = 20},
    {.ids = "GRP-004",
     .what = "no process can give the name of a job to a group, on two nodes",
     .nodes = 2,
     .jobs = {{"A", {2}}, {"B", {0, 1}}},
     .client = claim_job,
     .after = names_the_job,
     .seconds = 20},
    {.ids = "GRP-004",
     .what = "the name of a group is that of a job as soon as there is one",
     .jobs = {{"A", {2}}, {"B", {1}, .later = true}},
     .client = claim_later_job,
     .script = start_later,
     .seconds = 20},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
