/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Who has come to a collective: told by what it is, never counted. A stranger is refused and
 * changes nothing for the members; the connections of one process are one member. */

#include "lib/calls.h"
#include "lib/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a collective under way */

static pmix_status_t begin_fence(const pmix_proc_t *procs, size_t n)
{
    return PMIx_Fence_nb(procs, n, NULL, 0, call_done, NULL);
}

static pmix_status_t begin_connect(const pmix_proc_t *procs, size_t n)
{
    return PMIx_Connect_nb(procs, n, NULL, 0, call_done, NULL);
}

static pmix_status_t begin_disconnect(const pmix_proc_t *procs, size_t n)
{
    return PMIx_Disconnect_nb(procs, n, NULL, 0, call_done, NULL);
}

static pmix_status_t begin_construct(const pmix_proc_t *procs, size_t n)
{
    return PMIx_Group_construct_nb("g", procs, n, NULL, 0, group_done, NULL);
}

/* ---- a stranger among the callers */

static void step(const char *what, int round)
{
    char name[32];

    snprintf(name, sizeof(name), "%s %d", what, round);
    tell(name);
}

static void await_step(const char *what, int round)
{
    char name[32];

    snprintf(name, sizeof(name), "%s %d", what, round);
    await(name);
}

/* Rank 0 is none of the processes; the last rank comes when the stranger has been refused and rank
 * 1 has seen that nothing has changed. */
static void with_stranger(pmix_status_t (*begin)(const pmix_proc_t *, size_t), int round)
{
    pmix_rank_t last = (pmix_rank_t) job_size(find_job("A")) - 1;
    pmix_proc_t procs[16];
    size_t n = 0;
    pmix_status_t rc;

    for (pmix_rank_t r = 1; r <= last; r++) {
        procs[n++] = process(me.nspace, r);
    }
    if (me.rank == 0) {
        await_step("one is in", round);
    } else if (me.rank == last) {
        await_step("seen", round);
    }
    rc = begin(procs, n);
    if (check_status(PMIX_SUCCESS, rc, "round %d", round)) {
        if (me.rank == 1) {
            check(!call_is_over(), "round %d: over before the stranger came", round);
            step("one is in", round);
            await_step("refused", round);
            check(!call_is_over(), "round %d: over, and the last one has not come", round);
            step("seen", round);
        }
        check_status(me.rank == 0 ? PMIX_ERR_NOT_A_MEMBER : PMIX_SUCCESS, await_call(),
                     "round %d: rank %u", round, me.rank);
    }
    if (me.rank == 0) {
        step("refused", round);
    }
    fence_all(NULL);
}

static void strangers(void)
{
    with_stranger(begin_fence, 1);
    with_stranger(begin_connect, 2);
    with_stranger(begin_disconnect, 3);
    with_stranger(begin_construct, 4);
    if (me.rank == 0) {
        check_status(PMIX_ERR_NOT_FOUND, PMIx_Group_destruct("g", NULL, 0), "a stranger's end");
    } else {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
}

/* A group and a wildcard name whom they stand for. */
static void other_names(void)
{
    pmix_proc_t members[2] = {process(me.nspace, 0), process(me.nspace, 1)};
    pmix_proc_t group = process("g", PMIX_RANK_WILDCARD);
    pmix_proc_t second = process("g", 1);
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status(PMIX_SUCCESS, fence(&job, 1, NULL), "all of the job");
    if (me.rank < 2) {
        check_status(PMIX_SUCCESS, PMIx_Group_construct("g", members, 2, NULL, 0, &results, &n),
                     "construct");
        PMIX_INFO_FREE(results, n);
        check_status(PMIX_SUCCESS, fence(&group, 1, NULL), "a fence of the group");
        check_status(me.rank == 1 ? PMIX_SUCCESS : PMIX_ERR_NOT_A_MEMBER, fence(&second, 1, NULL),
                     "a fence of its second member");
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    fence_all(NULL);
}

/* ---- a group's added members */

static void lead(bool together)
{
    pmix_proc_t leaders[2] = {process(me.nspace, 0), process(me.nspace, 1)};
    pmix_proc_t added = process(me.nspace, 2);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &added};
    struct infos list = {0};
    size_t n_leaders = 2;

    add(&list, PMIX_GROUP_ADD_MEMBERS, &array, PMIX_DATA_ARRAY);
    if (!together) {
        add(&list, PMIX_GROUP_BOOTSTRAP, &n_leaders, PMIX_SIZE);
    }
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct_nb("g", together ? leaders : &me, together ? 2 : 1, list.at,
                                         list.n, group_done, NULL),
                 "a leader");
    free_infos(&list);
}

/* Ranks 0 and 1 lead and add 2; nobody adds 3, which comes before it. */
static void nobody_adds(bool together)
{
    if (me.rank < 2) {
        await("the stranger is in");
        lead(together);
        check(!call_is_over(), "over without the one that was added");
        tell("a leader waits");
    } else {
        if (me.rank == 2) {
            await_n("a leader waits", 2);
        }
        check_status(PMIX_SUCCESS, PMIx_Group_construct_nb("g", NULL, 0, NULL, 0, group_done, NULL),
                     "one that is added");
        if (me.rank == 3) {
            check(!call_is_over(), "nobody can know yet who adds it");
            tell("the stranger is in");
        }
    }
    check_status(me.rank == 3 ? PMIX_ERR_NOT_A_MEMBER : PMIX_SUCCESS, await_call(), "rank %u",
                 me.rank);
    if (me.rank < 3) {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    fence_all(NULL);
}

static void added_together(void)
{
    nobody_adds(true);
}

static void added_by_bootstrap(void)
{
    nobody_adds(false);
}

/* ---- clones */

/* Rank 0 is two processes. Both have come, and rank 1 has not. */
static void clones_count_once(void)
{
    bool rank_0 = strcmp(getenv("PMIX_RANK"), "0") == 0;
    pid_t child = rank_0 ? fork() : -1;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (!rank_0) {
        await_n("a clone has looked", 2);
        check_status(PMIX_SUCCESS, PMIx_Fence(NULL, 0, NULL, 0), "fence");
    } else {
        check_status(PMIX_SUCCESS, begin_fence(NULL, 0), "fence of a clone");
        check(!call_is_over(), "a clone came in place of the other rank");
        tell("a clone waits");
        await_n("a clone waits", 2);
        check(!call_is_over(), "two clones came in place of the other rank");
        tell("a clone has looked");
        check_status(PMIX_SUCCESS, await_call(), "fence of a clone");
    }
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    if (child == 0) {
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

/* Rank 0 is two processes, and all connections are asked for: the clone comes last, or goes
 * instead, which frees the others. */
static void all_clones(bool comes)
{
    bool rank_0 = strcmp(getenv("PMIX_RANK"), "0") == 0;
    pid_t child = rank_0 ? fork() : -1;
    struct infos list = {0};

    add_true(&list, PMIX_ALL_CLONES_PARTICIPATE);
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    tell("up");
    await_n("up", 3);
    if (child == 0) {
        await_n("waits", 2);
        tell("the last");
    }
    if (child != 0 || comes) {
        check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, list.at, list.n, call_done, NULL),
                     "fence");
        if (child != 0) {
            check(told("the last") > 0 || !call_is_over(), "the clone was not waited for");
            tell("waits");
        }
        check_status(PMIX_SUCCESS, await_call(), "fence");
        check(told("the last"), "the clone was not waited for");
    }
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    if (child == 0) {
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static void all_clones_come(void)
{
    all_clones(true);
}

static void a_clone_goes(void)
{
    all_clones(false);
}

/* Rank 0 and its clone have come, and the clone is gone: it was no other rank. */
static void a_clone_has_gone(void)
{
    bool rank_0 = strcmp(getenv("PMIX_RANK"), "0") == 0;
    pid_t child = rank_0 ? fork() : -1;
    struct infos list = {0};

    add_true(&list, PMIX_ALL_CLONES_PARTICIPATE);
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (!rank_0) {
        await("the clone is gone");
    }
    check_status(PMIX_SUCCESS, PMIx_Fence_nb(NULL, 0, list.at, list.n, call_done, NULL), "fence");
    free_infos(&list);
    if (rank_0) {
        check(!call_is_over(), "clones came in place of the other rank");
        tell("a clone waits");
    }
    if (child == 0) {
        await_n("a clone waits", 2);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
        (void)
            call_is_over(); /* the server has seen the end when it answers what comes behind it */
        check(!call_is_over(), "a clone that is gone came in place of the other rank");
        tell("the clone is gone");
    }
    check_status(PMIX_SUCCESS, await_call(), "fence");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

const struct conform_case cases[] = {
    {.ids = "S15", .what = "a stranger is refused", .ranks = 3, .client = strangers},
    {.ids = "S15",
     .what = "a stranger is refused on one of two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = strangers},
    {.ids = "S15",
     .what = "a stranger is refused on a node of its own",
     .nodes = 3,
     .ranks = 1,
     .client = strangers},
    {.ids = "S15",
     .what = "a wildcard and a group name whom they stand for",
     .ranks = 3,
     .client = other_names},
    {.ids = "S15",
     .what = "a process that no leader adds",
     .ranks = 4,
     .client = added_together,
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "S15",
     .what = "a process that no bootstrapping leader adds",
     .ranks = 4,
     .client = added_by_bootstrap,
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "FEN-024",
     .what = "two clones are one process",
     .ranks = 2,
     .client = clones_count_once,
     .raw = true},
    {.ids = "FEN-024",
     .what = "all clones of a process",
     .ranks = 2,
     .client = all_clones_come,
     .raw = true},
    {.ids = "FEN-024",
     .what = "a clone that goes is not waited for",
     .ranks = 2,
     .client = a_clone_goes,
     .raw = true},
    {.ids = "FEN-024",
     .what = "a clone that came and is gone is no other process",
     .ranks = 2,
     .client = a_clone_has_gone,
     .raw = true},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
