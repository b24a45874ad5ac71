/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Invitations that meet a bad end: processes that die, answers that come late or twice, events of
 * an earlier invitation of the same group that are sent again. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { COMPLETE = PMIX_GROUP_CONSTRUCT_COMPLETE, ABORT = PMIX_GROUP_CONSTRUCT_ABORT };

static void await_event(pmix_status_t code)
{
    await(event_step(code, me.rank));
}

/* The server sends all that it has kept. */
static void hear_everything(void)
{
    hear(0, on_event);
    settle_events();
}

/* ---- two invitations of one id */

/* The first one fails: rank 1 accepts, rank 2 declines. */
static void first_fails(void)
{
    if (me.rank == 0) {
        check_status(ABORT, invite_ranks("g", 1, 2, NULL), "the first invitation");
        fence_all(NULL);
        return;
    }
    answer_none();
    await(step_of("asked", me.rank));
    join_later("g", me.rank == 1 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE, NULL);
    check_joined(1, me.rank == 1 ? ABORT : PMIX_SUCCESS, "");
    fence_all(NULL);
}

/* The invitee is sent the first one's end while it waits for the second one's. */
static void old_abort(void)
{
    first_fails();
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "the second invitation");
        same("A:0,A:1,A:2", invited.members, "the members");
        return;
    }
    await_n(step_of("asked", me.rank), 2);
    if (me.rank == 2) {
        await("sent again");
    }
    join_later("g", PMIX_GROUP_ACCEPT, NULL);
    if (me.rank == 1) {
        hear_everything();
        check(told("joined 1") == 1, "the second join ends with an old event");
        tell("sent again");
    }
    check_joined(2, PMIX_SUCCESS, "A:0,A:1,A:2");
}

/* The leader is sent the answers to the first one while it waits for those to the second. */
static void old_answers(void)
{
    first_fails();
    if (me.rank == 0) {
        invite_ranks_later("g", 1, 2, NULL);
        hear_everything();
        check(told("invited all 0") == 0, "the second invitation ends with old answers");
        tell("sent again");
        await("invited all 0");
        check_status(PMIX_SUCCESS, invited.status, "the second invitation");
        same("A:0,A:1,A:2", invited.members, "the members");
        return;
    }
    await_n(step_of("asked", me.rank), 2);
    await("sent again");
    join_later("g", PMIX_GROUP_ACCEPT, NULL);
    check_joined(2, PMIX_SUCCESS, "A:0,A:1,A:2");
}

/* The first one succeeds, and its event of completion is sent again. */
static void old_completion(void)
{
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "the first invitation");
    } else {
        answer_none();
        await(step_of("asked", me.rank));
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2");
    }
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(ABORT, invite_ranks("g", 1, 2, NULL), "the second invitation");
        return;
    }
    await_n(step_of("asked", me.rank), 2);
    if (me.rank == 2) {
        await("sent again");
    }
    join_later("g", me.rank == 1 ? PMIX_GROUP_ACCEPT : PMIX_GROUP_DECLINE, NULL);
    if (me.rank == 1) {
        hear_everything();
        check(told("joined 1") == 1, "the second join ends with an old event");
        tell("sent again");
    }
    check_joined(2, me.rank == 1 ? ABORT : PMIX_SUCCESS, "");
}

/* ---- joins that come late */

static void after_time_out(void)
{
    struct infos list = {0};

    if (me.rank == 0) {
        add_u32(&list, PMIX_TIMEOUT, 1);
        add_true(&list, PMIX_GROUP_OPTIONAL);
        check_status_for("GRP-082", PMIX_ERR_PARTIAL_SUCCESS, invite_ranks("g", 1, 1, &list),
                         "invite");
        tell("over");
        await("joined 1");
    } else {
        answer_none();
        await("over");
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        about("GRP-078");
        check_joined(1, ABORT, "");
    }
    free_infos(&list);
}

static void after_abort(void)
{
    first_fails();
    if (me.rank > 0) {
        hear(ABORT, on_event);
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(2, ABORT, "");
    }
    fence_all(NULL);
}

/* Nobody has invited it, and the leader has never invited anybody. */
static void never_invited(void)
{
    fence_all(NULL);
    if (me.rank == 1) {
        join_later("nothing", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, ABORT, "");
    }
    fence_all(NULL);
}

/* Two calls for one invitation, and one more when the group is there. */
static void twice(void)
{
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        fence_all(NULL);
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
        return;
    }
    answer_none();
    await(step_of("asked", me.rank));
    if (me.rank == 2) {
        await("twice");
    }
    join_later("g", PMIX_GROUP_ACCEPT, NULL);
    if (me.rank == 1) {
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        tell("twice");
    }
    check_joined(me.rank == 1 ? 2 : 1, PMIX_SUCCESS, "A:0,A:1,A:2");
    if (me.rank == 1) {
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(3, PMIX_ERR_EXISTS, "");
    }
    fence_all(NULL);
    check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
}

/* A join has a time limit; the leader counts the invitee as failed, not as a member. */
static void join_times_out(void)
{
    struct infos list = {0};

    add_u32(&list, PMIX_TIMEOUT, 1);
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_event);
        check_status(PMIX_ERR_PARTIAL_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        same("A:0,A:2", invited.members, "the members");
    } else {
        answer_none();
        await(step_of("asked", me.rank));
        if (me.rank == 1) {
            join_later("g", PMIX_GROUP_ACCEPT, &list);
            check_joined(1, PMIX_ERR_TIMEOUT, "");
            tell("given up");
        } else {
            await(event_step(PMIX_GROUP_INVITE_FAILED, 0));
            join_later("g", PMIX_GROUP_ACCEPT, NULL);
            check_joined(1, PMIX_SUCCESS, "A:0,A:2");
        }
    }
    free_infos(&list);
}

/* ---- the leader dies */

static void kill_leader(void)
{
    await("kill");
    kill_and_say(0, PMIX_ERR_PROC_ABORTED_BY_SIG);
}

/* Rank 1 waits, rank 2 comes when the leader is dead, and had to do with groups before. */
static void leader_dies(void)
{
    struct infos list = {0};

    if (me.rank == 0) {
        add_true(&list, PMIX_GROUP_OPTIONAL);
        await("ready");
        check_status(PMIX_ERR_PARTIAL_SUCCESS, invite_ranks("early", 2, 2, &list), "early");
        invite_ranks_later("g", 1, 3, NULL);
        stay_until_killed();
    }
    hear(PMIX_GROUP_LEADER_FAILED, on_event);
    if (me.rank == 2) {
        answer_all(PMIX_GROUP_DECLINE);
        tell("ready");
        await_n("asked 2", 2);
        await_n("said", n_nodes());
        settle_events();
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(3, PMIX_GROUP_LEADER_FAILED, "");
    } else if (me.rank == 1) {
        answer_all(PMIX_GROUP_ACCEPT);
        await("asked 1");
        await_n("asked 2", 2);
        tell("kill");
        check_joined(1, PMIX_GROUP_LEADER_FAILED, "");
    } else {
        return;
    }
    await_event(PMIX_GROUP_LEADER_FAILED);
    check(heard_affected == 0, "rank %u has failed", heard_affected);
}

/* Nobody has had to do with groups before. */
static void leader_died_before(void)
{
    if (me.rank == 0) {
        tell("kill");
        stay_until_killed();
    }
    await_n("said", n_nodes());
    join_later("g", PMIX_GROUP_ACCEPT, NULL);
    check_joined(1, PMIX_GROUP_LEADER_FAILED, "");
}

/* The application has heard of the death before anybody had to do with groups. */
static void leader_died_and_was_heard(void)
{
    if (me.rank == 0) {
        await("ready");
        tell("kill");
        stay_until_killed();
    }
    hear(PMIX_ERR_PROC_ABORTED_BY_SIG, on_event);
    settle_events();
    tell("ready");
    await_event(PMIX_ERR_PROC_ABORTED_BY_SIG);
    join_later("g", PMIX_GROUP_ACCEPT, NULL);
    check_joined(1, PMIX_GROUP_LEADER_FAILED, "");
}

/* The leader has completed the group, and dies at once: who hears of the death hears of the group
 * first. */
static void leader_dies_after(void)
{
    if (me.rank == 0) {
        await_n("ready", job_size(find_job("A")) - 1);
        if (invite_ranks("g", 1, (pmix_rank_t) job_size(find_job("A")) - 1, NULL) == PMIX_SUCCESS) {
            tell("kill");
        }
        stay_until_killed();
    }
    answer_all(PMIX_GROUP_ACCEPT);
    tell("ready");
    await(step_of("joined", me.rank));
    check_status(PMIX_SUCCESS, joined.status, "join");
}

/* ---- invitees die */

enum { N_CODES = 9 };

static const pmix_status_t codes[N_CODES] = {
    PMIX_EVENT_PROC_TERMINATED,          PMIX_ERR_PROC_ABORTED,       PMIX_ERR_PROC_ABORTED_BY_SIG,
    PMIX_ERR_PROC_FAILED_TO_START,       PMIX_ERR_PROC_KILLED_BY_CMD, PMIX_ERR_PROC_REQUESTED_ABORT,
    PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED, PMIX_ERR_PROC_TERM_WO_SYNC,  PMIX_ERR_EXIT_NONZERO_TERM,
};

/* Each death is told with another code: all before the invitation, or while it waits. */
static void say_all_ends(void)
{
    await("kill");
    for (pmix_rank_t rank = 1; rank <= N_CODES; rank++) {
        if (rank_pid("A", rank) > 0) {
            rank_kill("A", rank, SIGKILL);
        }
        say_ended(codes[rank - 1], rank);
    }
    tell("said");
}

static void invitees_die(bool before)
{
    struct infos list = {0};

    if (me.rank > 0) {
        if (!before) {
            answer_none();
        }
        tell("ready");
        stay_until_killed();
    }
    add_true(&list, PMIX_GROUP_OPTIONAL);
    hear(PMIX_GROUP_INVITE_FAILED, on_event);
    await_n("ready", N_CODES);
    if (before) {
        tell("kill");
        await_n("said", n_nodes());
    }
    invite_ranks_later("g", 1, N_CODES, &list);
    for (pmix_rank_t rank = 1; !before && rank <= N_CODES; rank++) {
        await(step_of("asked", rank));
    }
    tell("kill");
    await("invited all 0");
    check_status(PMIX_ERR_PARTIAL_SUCCESS, invited.status, "invite");
    same("A:0", invited.members, "the members");
    check(told(event_step(PMIX_GROUP_INVITE_FAILED, 0)) == N_CODES, "each failure is told once");
    free_infos(&list);
}

static void dead_before(void)
{
    invitees_die(true);
}

static void die_while_asked(void)
{
    invitees_die(false);
}

static void kill_first(void)
{
    await("kill");
    kill_and_say(1, PMIX_ERR_PROC_ABORTED_BY_SIG);
}

/* Rank 1 has accepted, and dies before rank 2 has answered: what it has given is not the group's.
 */
static void dies_after_answer(void)
{
    struct infos inner = {0};
    struct infos list = {0};

    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_FAILED, on_event);
        hear(PMIX_GROUP_INVITE_ACCEPTED, on_event);
        await_n("ready", 2);
        check_status(PMIX_ERR_PARTIAL_SUCCESS, invite_ranks("g", 1, 2, NULL), "invite");
        same("A:0,A:2", invited.members, "the members");
        check(!invited.has_data, "data of one who is no member");
        check(heard_affected == 1, "rank %u has failed", heard_affected);
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
    } else if (me.rank == 1) {
        answer_none();
        tell("ready");
        await("asked 1");
        add_u32(&inner, "last.words", 1);
        add_array(&list, PMIX_GROUP_INFO, &inner);
        join_later("g", PMIX_GROUP_ACCEPT, &list);
        stay_until_killed();
    } else {
        answer_none();
        tell("ready");
        await("asked 2");
        await(event_step(PMIX_GROUP_INVITE_ACCEPTED, 0));
        tell("kill");
        await(event_step(PMIX_GROUP_INVITE_FAILED, 0));
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, "A:0,A:2");
        check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
    }
    same("-46", got_of(1, "last.words", PMIX_OPTIONAL), "what the dead has given");
}

/* The host says that rank 1 has ended; but then it raises an event, as one that was started again.
 */
static void lives_again(void)
{
    hear(PMIX_ERR_PROC_ABORTED_BY_SIG, on_event);
    hear(PMIX_EXTERNAL_ERR_BASE - 5, on_event);
    if (me.rank == 1) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    tell("say");
    if (me.rank == 1) {
        await(event_step(PMIX_ERR_PROC_ABORTED_BY_SIG, 0));
        check_status(PMIX_SUCCESS,
                     PMIx_Notify_event(PMIX_EXTERNAL_ERR_BASE - 5, &me, PMIX_RANGE_SESSION, NULL, 0,
                                       NULL, NULL),
                     "an event");
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    } else {
        await_event(PMIX_EXTERNAL_ERR_BASE - 5);
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 1, NULL), "invite");
    }
}

static void say_ended_falsely(void)
{
    await_n("say", 2);
    say_ended(PMIX_ERR_PROC_ABORTED_BY_SIG, 1);
}

/* ---- the leader or an invitee aborts */

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

/* ---- the server dies */

/* The leader and rank 1 wait for rank 2, which never answers. */
static void lose_server(void)
{
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    if (me.rank > 0) {
        answer_none();
        tell("ready");
    }
    if (me.rank == 0) {
        hear(PMIX_GROUP_INVITE_ACCEPTED, on_event);
        await_n("ready", 2);
        check_status(PMIX_ERR_LOST_CONNECTION, invite_ranks("g", 1, 2, NULL), "invite");
        tell("ended");
    } else if (me.rank == 1) {
        await("asked 1");
        check_status(PMIX_ERR_LOST_CONNECTION,
                     PMIx_Group_join("g", &asked_by, PMIX_GROUP_ACCEPT, NULL, 0, NULL, NULL),
                     "join");
        tell("ended");
    }
    await_n("ended", 2);
    (void) PMIx_Finalize(NULL, 0); /* any status: there is nobody to tell */
}

static void die_when_accepted(void)
{
    await("asked 2");
    await(event_step(PMIX_GROUP_INVITE_ACCEPTED, 0));
    host_dies();
}

#define DEATH(n_, ranks_, client_, script_)                                                        \
    .nodes = n_, .ranks = ranks_, .client = client_, .script = script_

const struct conform_case cases[] = {
    {.ids = "GRP-078",
     .what = "an abort of an earlier invitation",
     .spread = true,
     DEATH(1, 3, old_abort, NULL)},
    {.ids = "GRP-076",
     .what = "answers to an earlier invitation",
     .spread = true,
     DEATH(1, 3, old_answers, NULL)},
    {.ids = "GRP-078",
     .what = "the completion of an earlier invitation",
     .spread = true,
     DEATH(1, 3, old_completion, NULL)},
    {.ids = "GRP-078 GRP-082",
     .what = "a join after the time limit",
     .spread = true,
     DEATH(1, 2, after_time_out, NULL)},
    {.ids = "GRP-078",
     .what = "a join after the abort",
     .spread = true,
     DEATH(1, 3, after_abort, NULL)},
    {.ids = "GRP-078",
     .what = "a join without an invitation",
     .spread = true,
     DEATH(1, 2, never_invited, NULL)},
    {.ids = "GRP-078", .what = "joins of one invitation", .spread = true, DEATH(1, 3, twice, NULL)},
    {.ids = "GRP-078",
     .what = "a join with a time limit",
     .spread = true,
     DEATH(1, 3, join_times_out, NULL)},
    {.ids = "GRP-091",
     .what = "the leader dies",
     .spread = true,
     DEATH(1, 4, leader_dies, kill_leader)},
    {.ids = "GRP-091",
     .what = "the leader is dead already",
     .spread = true,
     DEATH(1, 2, leader_died_before, kill_leader)},
    {.ids = "GRP-091",
     .what = "the leader is dead, as the application knows",
     .spread = true,
     DEATH(1, 2, leader_died_and_was_heard, kill_leader)},
    {.ids = "GRP-078",
     .what = "the leader dies with the group made",
     .spread = true,
     DEATH(1, 4, leader_dies_after, kill_leader)},
    {.ids = "GRP-072",
     .what = "invitees are dead already",
     .spread = true,
     DEATH(1, 1 + N_CODES, dead_before, say_all_ends)},
    {.ids = "GRP-072",
     .what = "invitees die while they are asked",
     .spread = true,
     DEATH(1, 1 + N_CODES, die_while_asked, say_all_ends)},
    {.ids = "GRP-072",
     .what = "an invitee dies after its answer",
     .spread = true,
     DEATH(1, 3, dies_after_answer, kill_first)},
    {.ids = "GRP-072",
     .what = "an invitee has been started again",
     .spread = true,
     DEATH(1, 2, lives_again, say_ended_falsely)},
    {.ids = "GRP-074",
     .what = "the leader aborts",
     .spread = true,
     DEATH(1, 3, leader_aborts, NULL)},
    {.ids = "GRP-074",
     .what = "an invitee aborts",
     .spread = true,
     DEATH(1, 3, invitee_aborts, NULL)},
    {.ids = "GRP-076 GRP-078",
     .what = "the server dies",
     .raw = true,
     .dirty = true,
     DEATH(1, 3, lose_server, die_when_accepted)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
