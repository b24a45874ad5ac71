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
    heard_status = -1;
    hear(COMPLETE, on_event);
    if (me.rank > 0) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 0, 3, NULL), "invite");
        same("A:0,A:1,A:2,A:3", invited.members, "the leader's results");
    } else {
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
    }
    await_event(COMPLETE);
    check_status(PMIX_SUCCESS, heard_status, "what the event of completion says");
    check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
}

static void no_upcall(void)
{
    check(upcalls(ON_GROUP, -1) == 0, "the host was asked for a group");
}

/* The invitation is there before anybody registers for it; one joins from its own thread. */
static void register_late(void)
{
    if (me.rank == 0) {
        invite_ranks_later("g", 1, 1, NULL);
        tell("sent");
        await("invited all 0");
        check_status(PMIX_SUCCESS, invited.status, "invite");
    } else {
        await("sent");
        answer_all(PMIX_GROUP_ACCEPT);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    }
}

static void join_here(void)
{
    pmix_proc_t leader = process("A", 0);
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        return;
    }
    answer_none();
    await(step_of("asked", me.rank));
    check_status(PMIX_SUCCESS,
                 PMIx_Group_join("g", &leader, PMIX_GROUP_ACCEPT, NULL, 0, &results, &n), "join");
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

/* Ranks 1 and 2 accept, 3 declines. */
static void one_declines(const struct infos *list, pmix_status_t status, const char *members)
{
    bool made = status != ABORT;

    hear(COMPLETE, on_event);
    hear(ABORT, on_event);
    if (me.rank > 0) {
        answer_all(me.rank < 3 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(status, invite_ranks("g", 1, 3, list), "invite");
        same(members, invited.members, "the leader's results");
        await_event(COMPLETE);
        check_status(status, heard_status, "what the event of completion says");
    } else if (me.rank < 3) {
        check_joined(1, made ? PMIX_SUCCESS : ABORT, members);
        await_event(made ? COMPLETE : ABORT);
        check(told(event_step(COMPLETE, me.rank)) == (int) made, "events of completion");
    } else {
        check_joined(1, PMIX_SUCCESS, "");
    }
    if (made && me.rank < 3) {
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
    }
}

static void all_or_nothing(void)
{
    one_declines(NULL, ABORT, "");
}

static void optional(void)
{
    struct infos list = {0};

    add_true(&list, PMIX_GROUP_OPTIONAL);
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_DECLINED, on_event);
    }
    one_declines(&list, PMIX_ERR_PARTIAL_SUCCESS, "A:0,A:1,A:2");
    if (me.rank == 0) {
        await_event(PMIX_GROUP_INVITE_DECLINED);
    }
    free_infos(&list);
}

static void handler_ignores(void)
{
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_failed);
    }
    one_declines(NULL, PMIX_ERR_PARTIAL_SUCCESS, "A:0,A:1,A:2");
    if (me.rank == 0) {
        check(told(event_step(PMIX_GROUP_INVITE_FAILED, 0)) == 1, "one failure is told once");
        check(heard_affected == 3, "of rank %u", heard_affected);
    }
}

static void handler_aborts(void)
{
    tell("abort it");
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_failed);
    }
    one_declines(NULL, ABORT, "");
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

/* A participant raises the event; rank 2 never answers. */
static void abort_by_event(pmix_rank_t who)
{
    struct infos list = {0};
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);

    hear(ABORT, on_event);
    if (me.rank == 1) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        invite_ranks_later("g", 1, 2, NULL);
    }
    await("asked 1");
    if (me.rank == who) {
        add_text(&list, PMIX_GROUP_ID, "g");
        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &all, 1);
        (void) PMIx_Notify_event(ABORT, &me, PMIX_RANGE_CUSTOM, list.at, list.n, NULL, NULL);
        free_infos(&list);
    }
    if (me.rank == 0) {
        await("invited all 0");
        check_status(ABORT, invited.status, "invite");
    } else if (me.rank == 1) {
        check_joined(1, ABORT, "");
    }
    await_event(ABORT);
}

static void leader_aborts(void)
{
    abort_by_event(0);
}

static void invitee_aborts(void)
{
    abort_by_event(2);
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
        check_status(PMIX_SUCCESS, invite("g", named, 2, NULL), "invite");
        same(members, invited.members, "the members");
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

#define ON_NODES(n_, ranks_, ids_, what_, client_)                                                 \
    {                                                                                              \
        .ids = ids_, .what = what_, .nodes = n_, .ranks = ranks_, .client = client_                \
    }

const struct conform_case cases[] = {
    {.ids = "GRP-064 GRP-065 GRP-067 GRP-068 GRP-076 GRP-077 GRP-078 GRP-080 GRP-081",
     .what = "all accept, on one node",
     .ranks = 4,
     .client = all_accept,
     .after = no_upcall},
    {.ids = "GRP-064 GRP-065 GRP-067 GRP-068 GRP-076 GRP-077 GRP-078 GRP-080 GRP-081",
     .what = "all accept, on two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = all_accept,
     .after = no_upcall},
    ON_NODES(2, 1, "GRP-066", "an invitation from before the registration", register_late),
    ON_NODES(1, 3, "GRP-070 GRP-076", "a join that waits", join_here),
    ON_NODES(1, 4, "GRP-074 GRP-077 S18", "all or nothing, on one node", all_or_nothing),
    ON_NODES(2, 2, "GRP-074 GRP-077 S18", "all or nothing, on two nodes", all_or_nothing),
    ON_NODES(2, 2, "GRP-071 GRP-083 GRP-093 S18", "fewer are fine", optional),
    ON_NODES(1, 4, "GRP-072 GRP-073 S18", "a handler lets it go on with fewer", handler_ignores),
    ON_NODES(2, 2, "GRP-072 GRP-074 S18", "a handler aborts when one fails", handler_aborts),
    ON_NODES(2, 2, "GRP-075", "one who fails is replaced", replaced),
    ON_NODES(1, 3, "GRP-074", "a handler aborts when one accepts", abort_when_accepted),
    ON_NODES(3, 1, "GRP-074", "a handler aborts when one declines", abort_when_declined),
    ON_NODES(3, 1, "GRP-074", "the leader aborts", leader_aborts),
    ON_NODES(3, 1, "GRP-074", "an invitee aborts", invitee_aborts),
    ON_NODES(1, 4, "GRP-064", "a wildcard is everybody, on one node", wildcard),
    ON_NODES(2, 2, "GRP-064", "a wildcard is everybody, on two nodes", wildcard),
    {.ids = "GRP-005 GRP-064",
     .what = "all of another job and of a group",
     .nodes = 2,
     .jobs = {{"A", {1, 1}}, {"B", {1, 1}}},
     .client = other_job_and_group},
    ON_NODES(1, 1, "GRP-064 GRP-082", "directives and ranks of a wrong type", bad_arguments),
    ON_NODES(2, 1, "GRP-004", "a name that is taken", names_taken),
    ON_NODES(3, 1, "GRP-004", "a name that an invitee's group has", name_taken_there),
    ON_NODES(1, 3, "GRP-070", "answers of another library", answers_say_nothing),
    {.ids = "GRP-078",
     .what = "an invitation of another library",
     .client = invited_by_another,
     .script = another_leader},
    ON_NODES(1, 2, "GRP-085", "two invite each other", crosswise),
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
