/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who goes, is struck off or comes late while others wait in a fence, and a server that ends
 * meanwhile. What ends when a process does is in ends.c. */

#include "lib/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_status_t ended; /* of the fence that the process waits in */

static void note_end(pmix_status_t status, void *cbdata)
{
    ended = status;
    tell(cbdata);
}

/* The host has heard of the process, so its server has read all that it sent before. */
static pmix_status_t reach_host(void)
{
    struct infos list = {0};
    char key[32];
    pmix_status_t rc;

    snprintf(key, sizeof(key), "reached.by.%u", me.rank);
    add_u32(&list, key, 1);
    rc = PMIx_Publish(list.at, list.n);
    free_infos(&list);
    return rc;
}

/* Comes to a fence of all, which the server knows when this returns; its end tells the step. */
static void come_to_fence(const char *step)
{
    void *end = (void *) (uintptr_t) step;

    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, NULL, 0, note_end, end), "fence_nb");
    check_status(PMIX_SUCCESS, reach_host(), "publish");
}

/* ---- struck off in a fence that it had come to: the others are still waited for */

static void lose_one(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.rank == 0) {
        come_to_fence("lost");
        tell("one is in");
        await("struck off");
        check_for("SRV-019", reach_host() != PMIX_SUCCESS,
                  "a process that is struck off is still served");
    } else if (me.rank == 1) {
        await("struck off");
        come_to_fence("ended");
        tell("two are in");
        await("all came");
        await("ended");
        check_status_for("FEN-018", PMIX_ERR_LOST_CONNECTION, ended, "the fence of rank 1");
    } else {
        await("two are in");
        check_for("FEN-018", upcalls(ON_FENCE, 0) == 0,
                  "the fence was over before the last had come");
        tell("all came");
        check_status_for("FEN-018", PMIX_ERR_LOST_CONNECTION, fence(NULL, 0, NULL),
                         "the fence of rank 2");
    }
    (void) PMIx_Finalize(NULL, 0); /* of the one that is struck off: any status */
}

static void strike_off(void)
{
    pmix_proc_t first = process("A", 0);

    await("one is in");
    PMIx_server_deregister_client(&first, NULL, NULL);
    tell("struck off");
}

/* ---- a process that has finalized may come again, and is waited for */

static void come_again(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.rank == 0) {
        await("went");
        come_to_fence("ended");
        tell("one is in");
        await("ended");
        check_status(PMIX_SUCCESS, ended, "the fence of the one that stayed");
    } else {
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
        tell("went");
        await("one is in");
        check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init again");
        check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "the fence of the one that came again");
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- a process that its host has counted, and names later */

static void wait_for_the_unnamed(void)
{
    if (me.rank == 0) {
        come_to_fence("ended");
        tell("one is in");
        await("ended");
        check_status(PMIX_SUCCESS, ended, "the fence");
        check(told("the other comes"), "it ended without the other");
    } else {
        tell("the other comes");
        fence_all(NULL);
    }
}

static void name_later(void)
{
    pmix_proc_t proc = process("A", 0);
    struct infos list = {0};

    add_u32(&list, PMIX_JOB_SIZE, 2);
    add_text(&list, PMIX_NODE_MAP, "node0");
    add_text(&list, PMIX_PROC_MAP, "0,1");
    PMIx_server_register_nspace(proc.nspace, 2, list.at, list.n, NULL, NULL);
    free_infos(&list);
    PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    job_start_rank("A", 0);
    await("one is in");
    proc.rank = 1;
    PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    job_start_rank("A", 1);
    job_end("A");
    PMIx_server_deregister_nspace(proc.nspace, NULL, NULL);
}

/* ---- the job of a process that is there is taken back */

static void lose_job(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check_status(PMIX_SUCCESS, reach_host(), "publish");
    tell("up");
    await("gone");
    check(reach_host() != PMIX_SUCCESS, "a process without a job is still served");
    (void) PMIx_Finalize(NULL, 0);
}

static void take_job_back(void)
{
    await("up");
    job_deregister("A");
    tell("gone");
}

/* ---- the server ends */

static void fence_at_the_end(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.rank == 0) {
        come_to_fence("ended");
        tell("one is in");
        await("ended");
        check_status(PMIX_ERR_LOST_CONNECTION, ended, "the fence");
    } else {
        tell("other is up");
        await("ended");
    }
    (void) PMIx_Finalize(NULL, 0);
}

static void end_server(void)
{
    static pmix_server_module_t nothing;

    await("one is in");
    await("other is up");
    check_status(PMIX_SUCCESS, PMIx_server_finalize(), "server_finalize");
    job_end("A");
    check_status(PMIX_SUCCESS, PMIx_server_init(&nothing, NULL, 0), "another server");
    job_register("A");
}

/* ---- one runs ahead into the next fence of the same processes */

static void run_ahead(void)
{
    if (me.rank == 0) {
        come_to_fence("first");
        come_to_fence("second");
        tell("ahead");
        await("first");
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
        check(!told("second"), "the second fence ended with the first");
        tell("looked");
        await("second");
    } else {
        await("ahead");
        check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "the first fence");
        await("looked");
        check_status(PMIX_SUCCESS, fence(NULL, 0, NULL), "the second");
    }
}

/* ---- a host that needs a piece of every node is named the job */

static void need_pieces(struct infos *list)
{
    (void) list;
    check(setenv("PMIX_MCA_shmix_fence_piece", "yes", 1) == 0, "no setting");
}

static void fence_of_a_list(void)
{
    pmix_proc_t all[] = {process(me.nspace, 1), process(me.nspace, 0)};

    check_status(PMIX_SUCCESS, fence(all, 2, NULL), "without data");
    check_status(PMIX_SUCCESS, fence(all, 2, PMIX_COLLECT_DATA), "with data");
}

static void saw_the_job(void)
{
    check(upcalls(ON_FENCE, -1) == 4, "two fences of two nodes");
    for (int i = 0; i < upcalls(ON_FENCE, -1); i++) {
        const struct record *r = upcall(ON_FENCE, -1, i);

        check(r->n_procs == 1 && record_names(r, "A", PMIX_RANK_WILDCARD),
              "fence %d is of %d processes", i, (int) r->n_procs);
        check(r->n_blob > 0, "fence %d has no piece", i);
    }
}

/* What reach_host needs. */
#define HEARS [ON_PUBLISH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}

const struct conform_case cases[] = {
    {.ids = "FEN-018 SRV-019 S12",
     .what = "a member that came is struck off, and the host says that all is well",
     .ranks = 3,
     .client = lose_one,
     .script = strike_off,
     .host = {[ON_FENCE] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}, HEARS},
     .raw = true,
     .seconds = 20},
    {.ids = "FEN-018",
     .what = "a member that has finalized comes again",
     .ranks = 2,
     .client = come_again,
     .host = {HEARS},
     .raw = true,
     .seconds = 20},
    {.ids = "FEN-023",
     .what = "a fence before all processes of the node are registered",
     .jobs = {{"A", {2}, .later = true}},
     .client = wait_for_the_unnamed,
     .host = {HEARS},
     .script = name_later,
     .seconds = 20},
    {.ids = "SRV-016",
     .what = "a job is deregistered while its process is connected",
     .client = lose_job,
     .host = {HEARS},
     .script = take_job_back,
     .raw = true,
     .seconds = 20},
    {.ids = "FEN-027",
     .what = "the server ends during a fence",
     .ranks = 2,
     .client = fence_at_the_end,
     .host = {HEARS},
     .script = end_server,
     .raw = true,
     .seconds = 20},
    {.ids = "FEN-021",
     .what = "one runs ahead into the next fence of the same processes",
     .nodes = 2,
     .client = run_ahead,
     .host = {HEARS},
     .seconds = 20},
    {.ids = "FEN-010",
     .what = "a list of all processes is the job, to a host that needs all pieces",
     .nodes = 2,
     .client = fence_of_a_list,
     .server = need_pieces,
     .after = saw_the_job,
     .ours_only = "a parameter of this library"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
