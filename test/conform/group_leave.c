/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Leaving a group: the others stay a group, without the one that left, on every node. A destruct
 * that does not succeed takes nothing apart. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"
#include "lib/queries.h"

#include <stdio.h>
#include <string.h>

static const char name[] = "crew";

static pmix_proc_t everybody(void)
{
    return process(name, PMIX_RANK_WILDCARD);
}

static pmix_rank_t last_rank(void)
{
    return (pmix_rank_t) job_size(find_job("A")) - 1;
}

static void construct(const pmix_proc_t *members, size_t n)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct(name, members, n, NULL, 0, &results, &n_results),
                 "construct");
    PMIX_INFO_FREE(results, n_results);
}

static void construct_all(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    construct(&job, 1);
}

/* The ranks 0 to last, without one; "A:0,A:2". */
static const char *ranks_but(pmix_rank_t left, pmix_rank_t last)
{
    static char text[256];
    size_t n = 0;

    text[0] = '\0';
    for (pmix_rank_t r = 0; r <= last; r++) {
        if (r != left) {
            n += (size_t) snprintf(text + n, sizeof(text) - n, "%sA:%u", n > 0 ? "," : "", r);
        }
    }
    return text;
}

static const char *members_now(void)
{
    struct infos quals = {0};

    add_text(&quals, PMIX_GROUP_ID, name);
    return query_text(PMIX_QUERY_GROUP_MEMBERSHIP, &quals);
}

/* ---- the others go on */

/* What the remaining members can do with the group. */
static void use_group(pmix_rank_t left)
{
    pmix_proc_t all = everybody();
    pmix_proc_t second = process(name, 1);
    pmix_proc_t beyond = process(name, last_rank());
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status_for("GRP-103", PMIX_SUCCESS, fence_seconds(&all, 1, 10), "a fence of the rest");
    same_for("GRP-103", ranks_but(left, last_rank()), members_now(), "the members");
    check_status_for("GRP-103", PMIX_ERR_NOT_FOUND, fence(&beyond, 1, NULL),
                     "a rank that is no more");
    if (me.rank == (left == 0 || left == 1 ? 2 : 1)) {
        check_status_for("GRP-103", PMIX_SUCCESS, fence(&second, 1, NULL), "who has moved up");
    }
    check_status_for("GRP-103", PMIX_SUCCESS,
                     PMIx_Group_construct("inner", &all, 1, NULL, 0, &results, &n),
                     "a group of the rest");
    PMIX_INFO_FREE(results, n);
    check_status_for("GRP-103", PMIX_SUCCESS, PMIx_Group_destruct("inner", NULL, 0), "its end");
    check_status_for("GRP-103", PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
    check_for("GRP-103", fence(&all, 1, NULL) != PMIX_SUCCESS, "the name is nobody's any more");
}

/* What the one that left cannot do any more. */
static void is_out(void)
{
    pmix_proc_t all = everybody();

    check(fence_seconds(&all, 1, 10) != PMIX_SUCCESS, "a fence of a group that was left");
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Group_leave(name, NULL, 0), "to leave twice");
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Group_destruct(name, NULL, 0), "destruct from outside");
}

static bool event_came(const char *event)
{
    await_group_event(event, 1);
    return true;
}

static void leave_with_events(pmix_rank_t left)
{
    char text[280];

    watch_group(name);
    construct_all();
    fence_all(NULL);
    if (me.rank == left) {
        check_status_for("GRP-102", PMIX_SUCCESS, PMIx_Group_leave(name, NULL, 0), "leave");
        is_out();
    } else {
        snprintf(text, sizeof(text), "left %u", left);
        check_for("GRP-102", event_came(text), "who has left");
        snprintf(text, sizeof(text), "update %s", ranks_but(left, last_rank()));
        check_for("GRP-104", event_came(text), "who is left");
        use_group(left);
    }
    fence_all(NULL);
}

static void first_leaves(void)
{
    leave_with_events(0);
}

static void last_leaves(void)
{
    leave_with_events(last_rank());
}

/* Until the server of this node has been told. */
static void await_members(const char *members)
{
    while (strcmp(members, members_now()) != 0) {
    }
}

/* Nobody has registered for an event, and the others go on as soon as they know by other means:
 * those of the same node at once. */
static void unnoticed(void)
{
    construct_all();
    fence_all(NULL);
    if (me.rank == 1) {
        check_status(PMIX_SUCCESS, PMIx_Group_leave(name, NULL, 0), "leave");
        tell("gone");
        is_out();
    } else {
        await("gone");
        if (node() != job_node(find_job("A"), 1)) {
            await_members(ranks_but(1, last_rank()));
        }
        use_group(1);
    }
    fence_all(NULL);
}

/* A group of the same name is made again, with the one that left: what is late belongs to the old
 * one. */
static void again(void)
{
    for (int i = 0; i < 3; i++) {
        pmix_proc_t all = everybody();

        if (i == 0) {
            watch_group(name);
        }
        construct_all();
        check_status_for("GRP-099", PMIX_SUCCESS, fence_seconds(&all, 1, 10),
                         "all of them, round %d", i);
        if (me.rank == 0) {
            check_status(PMIX_SUCCESS, PMIx_Group_leave(name, NULL, 0), "leave");
        } else {
            await_group_event("left 0", i + 1);
            check_status_for("GRP-103", PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0),
                             "destruct");
        }
        fence_all(NULL);
    }
}

/* One leaves while the others wait for it in a destruct. */
static void leave_a_destruct(void)
{
    construct_all();
    if (me.rank == 0) {
        await_n("waits", (int) last_rank());
        check_status(PMIX_SUCCESS, PMIx_Group_leave(name, NULL, 0), "leave");
    } else {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct_nb(name, NULL, 0, call_done, NULL),
                     "destruct");
        (void) call_is_over();
        tell("waits");
        check_status(PMIX_SUCCESS, await_call(), "a destruct that one left");
        tell("taken apart");
    }
    await_n("taken apart", (int) last_rank());
    fence_all(NULL);
    construct_all();
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct again");
}

/* Rank 1 says of rank 0 that it is no member any more, also beside itself. */
static void said_of_another(void)
{
    static const pmix_status_t codes[] = {PMIX_GROUP_LEFT, PMIX_GROUP_MEMBER_FAILED};
    pmix_proc_t other = process("A", 0);

    construct_all();
    for (int i = 0; i < 4 && me.rank == 1; i++) {
        struct infos list = {0};

        add_text(&list, PMIX_GROUP_ID, name);
        if (i > 1) {
            add(&list, PMIX_EVENT_AFFECTED_PROC, &me, PMIX_PROC);
        }
        add(&list, PMIX_EVENT_AFFECTED_PROC, &other, PMIX_PROC);
        check_status(
            PMIX_ERR_NO_PERMISSIONS,
            PMIx_Notify_event(codes[i % 2], &me, PMIX_RANGE_SESSION, list.at, list.n, NULL, NULL),
            "event %d", i);
        free_infos(&list);
    }
    fence_all(NULL);
    same(ranks_but(PMIX_RANK_UNDEF, last_rank()), members_now(), "the members");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

static void none_told(void)
{
    check(upcalls(ON_NOTIFY, -1) == 0, "%d hosts are told", upcalls(ON_NOTIFY, -1));
}

/* ---- what does not succeed changes nothing */

static void destruct_too_late(void)
{
    pmix_proc_t all = everybody();
    struct infos list = {0};
    int one = 1;

    construct_all();
    add(&list, PMIX_TIMEOUT, &one, PMIX_INT);
    if (me.rank > 0) {
        check_status(PMIX_ERR_TIMEOUT, PMIx_Group_destruct(name, list.at, list.n), "destruct");
    }
    free_infos(&list);
    fence_all(NULL);
    check_status(PMIX_SUCCESS, fence_seconds(&all, 1, 10), "a fence of the group");
    same(ranks_but(PMIX_RANK_UNDEF, last_rank()), members_now(), "the members");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

/* The host refuses once. */
static pmix_status_t refuse_destruct(struct upcall *ask)
{
    if (ask->number == PMIX_GROUP_DESTRUCT && told("refused") < n_nodes()) {
        tell("refused");
        return PMIX_ERR_NO_PERMISSIONS;
    }
    return sound_answer(ask);
}

static void destruct_refused(void)
{
    pmix_proc_t all = everybody();

    construct_all();
    check_status(PMIX_ERR_NO_PERMISSIONS, PMIx_Group_destruct(name, NULL, 0), "refused");
    check_status(PMIX_SUCCESS, fence_seconds(&all, 1, 10), "a fence of the group");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

const struct conform_case cases[] = {
    {.ids = "GRP-102 GRP-103 GRP-104",
     .what = "the first of a group leaves",
     .spread = true,
     .ranks = 4,
     .client = first_leaves,
     .seconds = 20},
    {.ids = "GRP-102 GRP-103 GRP-104",
     .what = "the last of a group leaves",
     .spread = true,
     .ranks = 4,
     .client = last_leaves,
     .seconds = 20},
    {.ids = "GRP-103",
     .what = "one leaves and no event is asked for",
     .spread = true,
     .ranks = 4,
     .client = unnoticed,
     .seconds = 20},
    {.ids = "GRP-099 GRP-103",
     .what = "a group that one left is made again",
     .spread = true,
     .ranks = 3,
     .client = again,
     .seconds = 20},
    {.ids = "GRP-103",
     .what = "one leaves while the others take the group apart",
     .spread = true,
     .ranks = 3,
     .client = leave_a_destruct,
     .seconds = 20},
    {.ids = "GRP-102",
     .what = "one says that another has left",
     .spread = true,
     .ranks = 3,
     .client = said_of_another,
     .after = none_told,
     .seconds = 20,
     .ours_only = "whom a client may speak of is this library's rule"},
    {.ids = "GRP-097",
     .what = "a destruct that ends too early leaves the group as it is",
     .spread = true,
     .ranks = 3,
     .client = destruct_too_late,
     .seconds = 20},
    {.ids = "GRP-097",
     .what = "a destruct that the host refuses leaves the group as it is",
     .nodes = 2,
     .ranks = 2,
     .host = {[ON_GROUP] = {OWN, .own = refuse_destruct}},
     .client = destruct_refused,
     .seconds = 20},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
