/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An invitation whose leader is lost: handlers of PMIX_GROUP_LEADER_FAILED claim to lead, one does,
 * and all end with the same membership or the same error. Rank 0 invites all others to "g" and is
 * killed when all but the last of them have accepted. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pmix_rank_t last_rank(void)
{
    return (pmix_rank_t) job_size(find_job("A")) - 1;
}

/* (host) Raises the time limit for votes, for cases in which every process votes: a slow one must
 * not count as silent. */
static void be_patient(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_leader_wait", "8000", 1);
}

/* (host) */
static void kill_leader(void)
{
    await("kill");
    kill_and_say(0, PMIX_ERR_PROC_ABORTED_BY_SIG);
}

static void kill_two_leaders(void)
{
    kill_leader();
    await("kill the second");
    kill_and_say(1, PMIX_ERR_PROC_ABORTED_BY_SIG);
}

/* ---- what handlers say */

/* Of this process's handler: PMIX_GROUP_LEADER, or the status. */
static bool claims;
static pmix_status_t says = PMIX_SUCCESS;
static bool waits; /* until rank 1 leads */

static void on_failed(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                      size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    pmix_info_t claim;
    char step[48];

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            snprintf(step, sizeof(step), "%u knows that %u has failed", me.rank,
                     info[i].value.data.proc->rank);
            tell(step);
        }
    }
    tell(event_step(code, me.rank));
    if (waits) {
        await(event_step(PMIX_GROUP_LEADER_SELECTED, 1));
    }
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, NULL, PMIX_BOOL);
    done(says, claims ? &claim : NULL, claims ? 1 : 0, NULL, NULL, cbdata);
    PMIX_INFO_DESTRUCT(&claim);
}

static int knows_of(pmix_rank_t rank)
{
    char step[48];

    snprintf(step, sizeof(step), "%u knows that %u has failed", me.rank, rank);
    return told(step);
}

/* Registers, and takes part until the leader is dead; returns when all know that. The last rank has
 * not answered then. */
static void be_invited(void)
{
    heard_status = 1;
    hear(PMIX_GROUP_LEADER_FAILED, on_failed);
    hear(PMIX_GROUP_LEADER_SELECTED, on_event);
    if (me.rank == last_rank()) {
        answer_none();
    } else {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    settle_events();
    tell("ready");
    await(step_of("asked", me.rank));
    tell("invited");
    if (me.rank == last_rank()) {
        await_n("invited", (int) last_rank());
        tell("kill");
    }
    await_n("said", n_nodes());
}

static void lead_and_die(const struct infos *list)
{
    await_n("ready", (int) last_rank());
    invite_ranks_later("g", 1, last_rank(), list);
    stay_until_killed();
}

/* Waits for the event, and looks whom it names; PMIX_RANK_UNDEF: nobody. */
static void check_selected(pmix_rank_t leader)
{
    await(event_step(PMIX_GROUP_LEADER_SELECTED, me.rank));
    check(heard_status == (leader != PMIX_RANK_UNDEF ? PMIX_SUCCESS : PMIX_ERR_NOT_FOUND),
          "the status of the event is %d", heard_status);
    check(heard_affected == leader, "rank %u leads", heard_affected);
}

/* Of all but rank 0, the new leader first. */
static const char *all_others(pmix_rank_t leader)
{
    static char text[160];
    size_t n = (size_t) snprintf(text, sizeof(text), "A:%u", leader);

    for (pmix_rank_t rank = 1; rank <= last_rank(); rank++) {
        if (rank != leader) {
            n += (size_t) snprintf(text + n, sizeof(text) - n, ",A:%u", rank);
        }
    }
    return text;
}

/* ---- one leads */

static void check_group(pmix_rank_t leader)
{
    check_joined(1, PMIX_SUCCESS, all_others(leader));
    check_selected(leader);
    check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

/* The last rank answers the invitation of the dead leader when another one leads. */
static void succeeded_by(pmix_rank_t leader)
{
    if (me.rank == 0) {
        lead_and_die(NULL);
    }
    be_invited();
    if (me.rank == last_rank()) {
        await(event_step(PMIX_GROUP_LEADER_SELECTED, leader));
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, all_others(leader));
        check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    } else {
        check_group(leader);
        check_aside("GRP-091", knows_of(0) == 1, "the loss is told once");
    }
    check(told("asked 1") == 1 && told(step_of("asked", me.rank)) == 1,
          "the application is asked once");
}

static void one_claims(void)
{
    claims = me.rank == 2;
    succeeded_by(2);
}

static void all_claim(void)
{
    claims = true;
    succeeded_by(1);
}

/* The directives of the lost leader are those of the new one: fewer members are fine. */
static void directives_stay(void)
{
    struct infos list = {0};

    claims = me.rank == 1;
    add_true(&list, PMIX_GROUP_OPTIONAL);
    if (me.rank == 0) {
        lead_and_die(&list);
    }
    free_infos(&list);
    be_invited();
    if (me.rank == last_rank()) {
        await(event_step(PMIX_GROUP_LEADER_SELECTED, 1));
        join_later("g", PMIX_GROUP_DECLINE, NULL);
        check_joined(1, PMIX_SUCCESS, "");
    } else {
        check_joined(1, me.rank == 1 ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS, "A:1,A:2");
        check_selected(1);
        check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
    }
    tell("over");
    await_n("over", (int) last_rank());
}

/* The last rank has finalized before the invitation: the new leader does not wait for it. */
static void one_is_silent(void)
{
    struct infos list = {0};

    claims = true;
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    add_true(&list, PMIX_GROUP_OPTIONAL);
    if (me.rank == 0) {
        await("gone");
        lead_and_die(&list);
    }
    free_infos(&list);
    tell("ready");
    if (me.rank == last_rank()) {
        check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
        tell("gone");
        await_n("over", 2);
        return;
    }
    hear(PMIX_GROUP_LEADER_FAILED, on_failed);
    answer_all(PMIX_GROUP_ACCEPT);
    await(step_of("asked", me.rank));
    tell("invited");
    if (me.rank == 1) {
        await_n("invited", 2);
        tell("kill");
    }
    check_joined(1, me.rank == 1 ? PMIX_ERR_PARTIAL_SUCCESS : PMIX_SUCCESS, "A:1,A:2");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
    tell("over");
}

/* Rank 1 leads when it has not heard from those above rank 2, who are slow. They look for a leader
 * themselves while rank 1 still waits for rank 2: there are not two groups of one invitation. */
static void slow_ones(void)
{
    bool slow = me.rank > 2;
    struct infos list = {0};

    add_true(&list, PMIX_GROUP_OPTIONAL);
    if (me.rank == 0) {
        lead_and_die(&list);
    }
    free_infos(&list);
    claims = me.rank != 2;
    waits = slow;
    hear(PMIX_GROUP_LEADER_FAILED, on_failed);
    hear(PMIX_GROUP_LEADER_SELECTED, on_event);
    if (me.rank == 2) {
        answer_none();
    } else {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    settle_events();
    tell("ready");
    await(step_of("asked", me.rank));
    settle_events();
    tell("kill");
    if (slow) {
        check_joined(1, PMIX_GROUP_CONSTRUCT_ABORT, "");
        tell("slow");
    } else if (me.rank == 2) {
        await_n("slow", (int) last_rank() - 2);
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, "A:1,A:2");
        check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
    } else {
        check_joined(1, PMIX_ERR_PARTIAL_SUCCESS, "A:1,A:2");
        check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
    }
    tell("over");
    await_n("over", (int) last_rank());
}

/* (host) */
static void kill_when_all_know(void)
{
    await_n("kill", (int) last_rank());
    kill_leader();
}

/* Rank 1 leads next and dies; rank 2 leads then. */
static void two_die(void)
{
    claims = true;
    if (me.rank == 0) {
        lead_and_die(NULL);
    }
    be_invited();
    if (me.rank == 1) {
        await(event_step(PMIX_GROUP_LEADER_SELECTED, 2));
        tell("kill the second");
        stay_until_killed();
    }
    await_n("said", 2 * n_nodes());
    if (me.rank == last_rank()) {
        await_n(event_step(PMIX_GROUP_LEADER_SELECTED, 2), 2);
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
    } else {
        await_n(event_step(PMIX_GROUP_LEADER_SELECTED, me.rank), 2);
        check(knows_of(0) == 1 && knows_of(1) == 1, "each loss is told once");
    }
    check_joined(1, PMIX_SUCCESS, "A:2,A:3");
    check_status(PMIX_SUCCESS, fence_group("g"), "a fence of the group");
}

/* ---- nobody does */

static void end_without(pmix_status_t status)
{
    if (me.rank == 0) {
        lead_and_die(NULL);
    }
    be_invited();
    if (me.rank < last_rank()) {
        check_joined(1, status, "");
        check_aside("GRP-091", knows_of(0) == 1, "the loss is told once");
    }
    tell("over");
    await_n("over", (int) last_rank());
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Group_destruct("g", NULL, 0), "there is no group");
}

static void nobody_claims(void)
{
    end_without(PMIX_GROUP_LEADER_FAILED);
    if (me.rank < last_rank()) {
        check_selected(PMIX_RANK_UNDEF);
    }
}

static void one_aborts(void)
{
    claims = me.rank == 1;
    says = me.rank == 2 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_SUCCESS;
    end_without(PMIX_GROUP_CONSTRUCT_ABORT);
    check(told(event_step(PMIX_GROUP_LEADER_SELECTED, me.rank)) == 0, "somebody leads");
}

/* The last rank declines after all: the new leader's group is all or nothing. */
static void one_declines(void)
{
    claims = me.rank == 1;
    if (me.rank == 0) {
        lead_and_die(NULL);
    }
    be_invited();
    if (me.rank == last_rank()) {
        await(event_step(PMIX_GROUP_LEADER_SELECTED, 1));
        join_later("g", PMIX_GROUP_DECLINE, NULL);
        check_joined(1, PMIX_SUCCESS, "");
    } else {
        check_joined(1, PMIX_GROUP_CONSTRUCT_ABORT, "");
    }
    tell("over");
    await_n("over", (int) last_rank());
}

#define DEATH(n_, ranks_, client_, script_)                                                        \
    .nodes = n_, .ranks = ranks_, .client = client_, .script = script_
#define ANSWERED(n_, ranks_, client_, script_)                                                     \
    DEATH(n_, ranks_, client_, script_), .server = be_patient

const struct conform_case cases[] = {
    {.ids = "GRP-091 GRP-092",
     .otherwise = "GRP-092",
     .what = "one who was invited leads after the leader",
     .spread = true,
     ANSWERED(1, 4, one_claims, kill_leader)},
    {.ids = "GRP-092",
     .what = "of several the first leads",
     .spread = true,
     ANSWERED(1, 4, all_claim, kill_leader)},
    {.ids = "GRP-092",
     .what = "a new leader has the directives of the lost one",
     .spread = true,
     ANSWERED(1, 4, directives_stay, kill_leader)},
    {.ids = "GRP-092",
     .what = "one who has finalized is not waited for",
     .spread = true,
     .raw = true,
     DEATH(1, 4, one_is_silent, kill_leader)},
    {.ids = "GRP-092",
     .what = "those who were slow make no group of their own",
     .spread = true,
     DEATH(1, 4, slow_ones, kill_when_all_know)},
    {.ids = "GRP-092",
     .what = "the new leader dies",
     .spread = true,
     ANSWERED(1, 4, two_die, kill_two_leaders)},
    {.ids = "GRP-091 GRP-092",
     .otherwise = "GRP-092",
     .what = "nobody wants to lead",
     .spread = true,
     ANSWERED(1, 4, nobody_claims, kill_leader)},
    {.ids = "GRP-090",
     .what = "one aborts, though another claims",
     .spread = true,
     ANSWERED(1, 4, one_aborts, kill_leader)},
    {.ids = "GRP-092",
     .what = "an invitation of the new leader is declined",
     .spread = true,
     ANSWERED(1, 4, one_declines, kill_leader)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
