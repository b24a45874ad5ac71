/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups by invitation: who is invited, who answers what, and what the members have of it. Scenario
 * S18 is among them; invite_ends.c has what goes wrong. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLETE = PMIX_GROUP_CONSTRUCT_COMPLETE, ABORT = PMIX_GROUP_CONSTRUCT_ABORT };

static void await_event(pmix_status_t code)
{
    await(event_step(code, me.rank));
}

/* ---- all accept */

static void all_accept(void)
{
    pmix_proc_t leader = process("A", 0);

    heard_status = -1;
    hear(COMPLETE, on_event);
    if (me.rank > 0) {
        answer_all(PMIX_GROUP_ACCEPT);
    } else {
        answer_none();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status_for("GRP-076", PMIX_SUCCESS, invite_ranks("g", 0, 3, NULL), "invite");
        same_for("GRP-076 GRP-081", "A:0,A:1,A:2,A:3", invited.members, "the leader's results");
        check_for("GRP-081", told("asked 0") == 0, "the leader is not invited");
    } else {
        about("GRP-078");
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
        about(NULL);
        check_for("GRP-064", told(step_of("asked", me.rank)) == 1, "%d invitations",
                  told(step_of("asked", me.rank)));
        check_for("GRP-065", strcmp(asked_to, "g") == 0 && PMIX_CHECK_PROCID(&asked_by, &leader),
                  "invited to '%s' by %s:%u", asked_to, asked_by.nspace, asked_by.rank);
        check_status_for("GRP-067 GRP-068", PMIX_SUCCESS, joined.status, "a join in the handler");
    }
    about("GRP-077");
    await_event(COMPLETE);
    check_status(PMIX_SUCCESS, heard_status, "what the event of completion says");
    same("A:0,A:1,A:2,A:3", heard_members, "whom the event of completion names");
    about(NULL);
    check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
}

static void no_upcall(void)
{
    check_for("GRP-080", upcalls(ON_GROUP, -1) == 0, "the host was asked for a group");
}

/* The invitation is there before anybody registers for it; one joins from its own thread. */
static void register_late(void)
{
    if (me.rank == 0) {
        invite_ranks_later("g", 1, 1, NULL);
        fence_all(NULL); /* behind the invitation */
        await("invited all 0");
        check_status(PMIX_SUCCESS, invited.status, "invite");
    } else {
        fence_all(NULL);
        answer_all(PMIX_GROUP_ACCEPT);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    }
}

/* The fence with the first process that answers returns after its answer has arrived here. */
static void lead_two(void)
{
    pmix_proc_t two[2] = {process("A", 0), process("A", 1)};

    invite_ranks_later("g", 1, 2, NULL);
    check_status(PMIX_SUCCESS, fence(two, 2, NULL), "behind the first answer");
    check_for("GRP-076", told("invited all 0") == 0, "it ended after one of two answers");
    tell("one has answered");
    await("invited all 0");
    check_status_for("GRP-070", PMIX_SUCCESS, invited.status, "invite");
}

/* Rank 1 joins in a call that returns at once, rank 2 afterwards in one that blocks. */
static void join_here(void)
{
    pmix_proc_t two[2] = {process("A", 0), process("A", 1)};
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (me.rank == 0) {
        lead_two();
        return;
    }
    answer_none();
    await(step_of("asked", me.rank));
    if (me.rank == 1) {
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_status(PMIX_SUCCESS, fence(two, 2, NULL), "behind the answer");
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2");
        return;
    }
    await("one has answered");
    check_status(PMIX_SUCCESS,
                 PMIx_Group_join("g", &two[0], PMIX_GROUP_ACCEPT, NULL, 0, &results, &n), "join");
    check(n > 0, "results");
    PMIX_INFO_FREE(results, n);
}

/* ---- one declines: S18 */

static void on_failed(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                      size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    pmix_status_t say = told("abort it") > 0 ? ABORT : PMIX_SUCCESS;
    pmix_info_t instead;
    size_t n = 0;

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            heard_affected = info[i].value.data.proc->rank;
        }
    }
    PMIX_INFO_CONSTRUCT(&instead);
    if (told("replace it") > 0) {
        pmix_proc_t last = process("A", 3);

        PMIX_INFO_LOAD(&instead, PMIX_PROCID, &last, PMIX_PROC);
        n = 1;
    }
    tell(event_step(code, me.rank));
    done(say, n > 0 ? &instead : NULL, n, NULL, NULL, cbdata);
    PMIX_INFO_DESTRUCT(&instead);
}

/* Ranks 1 and 2 accept, 3 declines. `ids`: whom it is about how the invitation ends. */
static void one_declines(const char *ids, const struct infos *list, pmix_status_t status,
                         const char *members)
{
    bool made = status != ABORT;

    hear(COMPLETE, on_event);
    hear(ABORT, on_event);
    if (me.rank > 0) {
        answer_all(me.rank < 3 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE);
    }
    fence_all(NULL);
    about(ids);
    if (me.rank == 0) {
        check_status(status, invite_ranks("g", 1, 3, list), "invite");
        same(members, invited.members, "the leader's results");
        await_event(COMPLETE);
        check_aside("GRP-077", heard_status == status, "the event of completion says %d",
                    heard_status);
    } else if (me.rank < 3) {
        check_joined(1, made ? PMIX_SUCCESS : ABORT, members);
        await_event(made ? COMPLETE : ABORT);
        check_aside("GRP-077", told(event_step(COMPLETE, me.rank)) == (int) made,
                    "events of completion");
    } else {
        check_joined(1, PMIX_SUCCESS, "");
    }
    if (made && me.rank < 3) {
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
    }
}

static void all_or_nothing(void)
{
    one_declines("GRP-074", NULL, ABORT, "");
}

static void optional(void)
{
    struct infos list = {0};

    add_true(&list, PMIX_GROUP_OPTIONAL);
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_DECLINED, on_event);
    }
    one_declines("GRP-067 GRP-083", &list, PMIX_ERR_PARTIAL_SUCCESS, "A:0,A:1,A:2");
    if (me.rank == 0) {
        about("GRP-071");
        await_event(PMIX_GROUP_INVITE_DECLINED);
        check(told(event_step(PMIX_GROUP_INVITE_DECLINED, 0)) == 1, "events of a refusal");
        check_for("GRP-067", PMIX_GROUP_DECLINE == 0 && PMIX_GROUP_ACCEPT == 1, "the answers");
    }
    free_infos(&list);
}

static void handler_ignores(void)
{
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_failed);
    }
    one_declines("GRP-073", NULL, PMIX_ERR_PARTIAL_SUCCESS, "A:0,A:1,A:2");
    if (me.rank == 0) {
        check_for("GRP-072", told(event_step(PMIX_GROUP_INVITE_FAILED, 0)) == 1,
                  "one failure is told once");
        check_for("GRP-072", heard_affected == 3, "of rank %u", heard_affected);
    }
}

static void handler_aborts(void)
{
    tell("abort it");
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_failed);
    }
    one_declines("GRP-074", NULL, ABORT, "");
    if (me.rank == 0) {
        check_for("GRP-072", told(event_step(PMIX_GROUP_INVITE_FAILED, 0)) == 1,
                  "one failure is told once");
    }
}

/* Rank 2 declines, and rank 3 is invited in its place. */
static void replaced(void)
{
    tell("replace it");
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_failed);
    } else {
        answer_all(me.rank != 2 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        same("A:0,A:1,A:3", invited.members, "the members");
    } else if (me.rank != 2) {
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:3");
    } else {
        check_joined(1, PMIX_SUCCESS, "");
    }
}

/* ---- aborts */

static void abort_it(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) code;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    done(ABORT, NULL, 0, NULL, NULL, cbdata);
}

/* A handler of an answer says so; the rest has to hear of it. Rank 2 has not answered. */
static void abort_by_handler(pmix_status_t code)
{
    struct infos list = {0};

    add_true(&list, PMIX_GROUP_OPTIONAL);
    hear(ABORT, on_event);
    if (me.rank == 0) {
        hear(code, abort_it);
    } else if (me.rank == 1) {
        answer_all(code == PMIX_GROUP_INVITE_ACCEPTED ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE);
    } else {
        answer_none();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(ABORT, invite_ranks("g", 1, 2, &list), "invite");
    } else if (me.rank == 1) {
        check_joined(1, code == PMIX_GROUP_INVITE_ACCEPTED ? ABORT : PMIX_SUCCESS, "");
    }
    await_event(ABORT);
    free_infos(&list);
}

static void abort_when_accepted(void)
{
    abort_by_handler(PMIX_GROUP_INVITE_ACCEPTED);
}

static void abort_when_declined(void)
{
    abort_by_handler(PMIX_GROUP_INVITE_DECLINED);
}

/* ---- who is invited */

static void wildcard(void)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);

    if (me.rank > 0) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite("g", &all, 1, NULL), "invite");
        same("A:0,A:1,A:2,A:3", invited.members, "the members");
    } else {
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
    }
}

/* All of another job, and of a group. */
static void other_job_and_group(void)
{
    pmix_proc_t some[] = {process("A", 0), process("A", 1)};
    pmix_proc_t named[] = {process("sub", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};
    static const char members[] = "A:0,A:1,B:0,B:1";
    bool leads = strcmp(me.nspace, "A") == 0 && me.rank == 0;
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (strcmp(me.nspace, "A") == 0) {
        check_status(PMIX_SUCCESS, PMIx_Group_construct("sub", some, 2, NULL, 0, &results, &n),
                     "construct");
        PMIX_INFO_FREE(results, n);
    }
    if (leads) {
        await_n("ready", 3);
        check_status_for("GRP-064", PMIX_SUCCESS, invite("g", named, 2, NULL), "invite");
        same_for("GRP-005 GRP-064", members, invited.members, "the members");
    } else {
        answer_all(PMIX_GROUP_ACCEPT);
        tell("ready");
        await_n("joined 0", me.rank == 0 ? 1 : 0);
        await_n("joined 1", me.rank == 1 ? 2 : 0);
    }
    check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
}

static void bad_arguments(void)
{
    pmix_proc_t other = process("A", 1);
    pmix_proc_t nobody = process("A", PMIX_RANK_UNDEF);
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    add_text(&list, PMIX_TIMEOUT, "soon");
    check_status(PMIX_ERR_BAD_PARAM, invite("g", &other, 1, &list), "invite with a text as limit");
    check_status(PMIX_ERR_BAD_PARAM,
                 PMIx_Group_join("g", &other, PMIX_GROUP_ACCEPT, list.at, list.n, &results, &n),
                 "join");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Fence(&me, 1, list.at, list.n), "fence");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Connect(&me, 1, list.at, list.n), "connect");
    check_status(PMIX_ERR_BAD_PARAM,
                 PMIx_Group_construct("g", &me, 1, list.at, list.n, &results, &n), "construct");
    check_status(PMIX_ERR_BAD_PARAM, invite("g", &nobody, 1, NULL), "invite nobody");
    free_infos(&list);
}

/* ---- names */

static void names_taken(void)
{
    pmix_proc_t pair[] = {process("A", 0), process("A", 1)};
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status(PMIX_SUCCESS, PMIx_Group_construct("made", pair, 2, NULL, 0, &results, &n),
                 "construct");
    PMIX_INFO_FREE(results, n);
    if (me.rank == 0) {
        check_status(PMIX_ERR_EXISTS, invite("A", &pair[1], 1, NULL), "a namespace's name");
        check_status(PMIX_ERR_EXISTS, invite("made", &pair[1], 1, NULL), "a group's name");
        invite_later("pending", &pair[1], 1, NULL);
        check_status(PMIX_ERR_EXISTS, invite("pending", &pair[1], 1, NULL), "while it is formed");
        tell("refused");
        await("invited all 0");
        check_status(PMIX_SUCCESS, invited.status, "the first one");
    } else {
        await("refused");
        join_later("pending", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    }
    fence_all(NULL);
}

/* Rank 1 is in a group of that name, of which the leader knows nothing. */
static void name_taken_there(void)
{
    pmix_proc_t pair[] = {process("A", 1), process("A", 2)};
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (me.rank > 0) {
        check_status(PMIX_SUCCESS, PMIx_Group_construct("g", pair, 2, NULL, 0, &results, &n),
                     "construct");
        PMIX_INFO_FREE(results, n);
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(ABORT, invite("g", pair, 1, NULL), "invite");
    } else if (me.rank == 1) {
        check_joined(1, PMIX_ERR_EXISTS, "");
    }
    fence_all(NULL);
    if (me.rank > 0) {
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the old group");
    }
}

/* ---- other libraries: events that say less */

/* As a client of OpenPMIx 5 or 6 answers: with the range, and nothing more. */
static void answers_say_nothing(void)
{
    pmix_proc_t leader = process("A", 0);
    struct infos list = {0};

    hear(COMPLETE, on_event);
    if (me.rank > 0) {
        answer_none();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        same("A:0,A:1,A:2", invited.members, "the members");
    } else {
        await(step_of("asked", me.rank));
        add(&list, PMIX_EVENT_CUSTOM_RANGE, &leader, PMIX_PROC);
        (void) PMIx_Notify_event(PMIX_GROUP_INVITE_ACCEPTED, &me, PMIX_RANGE_CUSTOM, list.at,
                                 list.n, NULL, NULL);
        free_infos(&list);
    }
    await_event(COMPLETE);
}

/* As a leader of such a client invites and completes; it is the host, in the name of a process that
 * is none. */
static void invited_by_another(void)
{
    answer_all(PMIX_GROUP_ACCEPT);
    tell("ready");
    check_joined(1, PMIX_SUCCESS, "B:0,A:0");
}

static void raise_event(pmix_status_t code, const pmix_proc_t *members)
{
    struct infos list = {0};
    pmix_status_t rc;

    add_text(&list, PMIX_GROUP_ID, "g");
    add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, members, 2);
    if (code == COMPLETE) {
        add_procs(&list, PMIX_GROUP_MEMBERSHIP, members, 2);
    }
    rc = PMIx_Notify_event(code, &members[0], PMIX_RANGE_CUSTOM, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

static void another_leader(void)
{
    pmix_proc_t members[] = {process("B", 0), process("A", 0)};

    await("ready");
    raise_event(PMIX_GROUP_INVITED, members);
    await_upcalls(ON_NOTIFY, 1);
    raise_event(COMPLETE, members);
}

/* ---- two at once */

static void crosswise(void)
{
    const char *mine = me.rank == 0 ? "g0" : "g1";
    pmix_proc_t other = process("A", 1 - me.rank);

    answer_all(PMIX_GROUP_ACCEPT);
    fence_all(NULL);
    check_status(PMIX_SUCCESS, invite(mine, &other, 1, NULL), "invite");
    check(strlen(invited.members) > 0, "members");
    await_n(step_of("joined", me.rank), 1);
    check_status(PMIX_SUCCESS, joined.status, "join");
    check_status(PMIX_SUCCESS, fence_group("g0"), "fence of one");
    check_status(PMIX_SUCCESS, fence_group("g1"), "fence of the other");
}

#define ON_NODES(n_, ranks_, client_) .nodes = n_, .ranks = ranks_, .client = client_, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-064 GRP-065 GRP-067 GRP-068 GRP-076 GRP-077 GRP-078 GRP-080 GRP-081",
     .what = "all accept, on one node",
     .spread = true,
     .ranks = 4,
     .client = all_accept,
     .after = no_upcall},
    {.ids = "GRP-064 GRP-065 GRP-067 GRP-068 GRP-076 GRP-077 GRP-078 GRP-080 GRP-081",
     .what = "all accept, on two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = all_accept,
     .after = no_upcall},
    {.ids = "GRP-066",
     .what = "an invitation from before the registration",
     .spread = true,
     ON_NODES(1, 2, register_late)},
    {.ids = "GRP-070 GRP-076",
     .what = "a join that waits",
     .spread = true,
     ON_NODES(1, 3, join_here)},
    {.ids = "GRP-074 GRP-077 S18",
     .what = "all or nothing",
     .spread = true,
     ON_NODES(1, 4, all_or_nothing)},
    {.ids = "GRP-067 GRP-071 GRP-083 S18",
     .what = "fewer are fine",
     .spread = true,
     ON_NODES(1, 4, optional)},
    {.ids = "GRP-072 GRP-073 S18",
     .what = "a handler lets it go on with fewer",
     .spread = true,
     ON_NODES(1, 4, handler_ignores)},
    {.ids = "GRP-072 GRP-074 S18",
     .what = "a handler aborts when one fails",
     .spread = true,
     ON_NODES(1, 4, handler_aborts)},
    {.ids = "GRP-075",
     .what = "one who fails is replaced",
     .spread = true,
     ON_NODES(1, 4, replaced)},
    {.ids = "GRP-074",
     .what = "a handler aborts when one accepts",
     .spread = true,
     ON_NODES(1, 3, abort_when_accepted)},
    {.ids = "GRP-074",
     .what = "a handler aborts when one declines",
     .spread = true,
     ON_NODES(1, 3, abort_when_declined)},
    {.ids = "GRP-064", .what = "a wildcard is everybody", .spread = true, ON_NODES(1, 4, wildcard)},
    {.ids = "GRP-005 GRP-064",
     .what = "all of another job and of a group",
     .nodes = 2,
     .jobs = {{"A", {1, 1}}, {"B", {1, 1}}},
     .client = other_job_and_group},
    /* On one node: the library of the caller refuses. */
    {.ids = "S18", .what = "directives and ranks of a wrong type", ON_NODES(1, 1, bad_arguments)},
    {.ids = "GRP-004", .what = "a name that is taken", .spread = true, ON_NODES(1, 2, names_taken)},
    {.ids = "GRP-004",
     .what = "a name that an invitee's group has",
     .spread = true,
     ON_NODES(1, 3, name_taken_there)},
    {.ids = "GRP-070",
     .what = "answers of another library",
     .spread = true,
     ON_NODES(1, 3, answers_say_nothing)},
    /* On one node: the host plays the leader, which could be anywhere. */
    {.ids = "GRP-078",
     .what = "an invitation of another library",
     .client = invited_by_another,
     .script = another_leader},
    {.ids = "GRP-085", .what = "two invite each other", .spread = true, ON_NODES(1, 2, crosswise)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
