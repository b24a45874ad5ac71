/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* One that ends while a group is constructed in parts (leaders by themselves, added members) whose
 * leaders want to be told: who has called is asked at once, the others when they call, and what
 * they say counts for all. Ranks 0 and 1 lead, and add the others. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"
#include "lib/invites.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "crew";

/* How the case is played. */
static bool alone;             /* leaders come by themselves */
static pmix_rank_t victim = 3; /* the rank that ends */
static bool leads;             /* the first rank leads (PMIX_GROUP_LEADER) */
static bool claims;            /* this rank's handler wants to lead */
static pmix_status_t verdict = PMIX_EVENT_ACTION_COMPLETE;

static const char *survivors(void)
{
    return victim == 3 ? "A:0,A:1,A:2" : "A:0,A:2,A:3";
}

static void decide(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    static pmix_info_t claim;
    bool yes = true;

    (void) id, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, &yes, PMIX_BOOL);
    tell(event_step(code, me.rank));
    done(verdict, claims ? &claim : NULL, claims, NULL, NULL, cbdata);
}

static void listen(void)
{
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    hear(PMIX_GROUP_LEADER_FAILED, decide);
}

/* The request is at the server when this returns. */
static void call(void)
{
    pmix_proc_t leaders[2] = {process("A", 0), process("A", 1)};
    pmix_proc_t added[2] = {process("A", 2), process("A", 3)};
    struct infos list = {0};
    size_t two = 2;

    if (me.rank > 1) {
        begin_group(name, NULL, 0, NULL);
        return;
    }
    add_true(&list, PMIX_GROUP_NOTIFY_TERMINATION);
    add_procs(&list, PMIX_GROUP_ADD_MEMBERS, added, 2);
    if (me.rank == (victim == 1 ? 1 : 0) && leads) {
        add_true(&list, PMIX_GROUP_LEADER);
    }
    if (alone) {
        add(&list, PMIX_GROUP_BOOTSTRAP, &two, PMIX_SIZE);
    }
    begin_group(name, alone ? &me : leaders, alone ? 1 : 2, &list);
}

/* (host) A server sees its own processes end; of others it is told. When this is over, the hosts
 * know, too. */
static void kill_victim(void)
{
    pmix_proc_t who = process("A", victim);
    struct infos list = {0};

    await("kill it");
    if (rank_pid("A", victim) == 0) {
        return;
    }
    rank_kill("A", victim, SIGKILL);
    if (n_nodes() > 1) {
        add(&list, PMIX_EVENT_AFFECTED_PROC, &who, PMIX_PROC);
        add_true(&list, PMIX_EVENT_NON_DEFAULT);
        hosts_say(PMIX_ERR_PROC_ABORTED_BY_SIG, &who, &list);
        free_infos(&list);
    }
    tell("killed");
}

static void kill_leader(void)
{
    victim = 1;
    kill_victim();
}

/* The first rank calls, then the victim ends, and the first is asked about it: `code`. The others
 * call one behind the other. */
static void play(pmix_status_t code)
{
    pmix_rank_t before = me.rank == victim + 1 ? me.rank - 2 : me.rank - 1;

    if (me.rank == victim) {
        await(step_of("called", 0));
        if (leads && victim == 1) {
            call();
        }
        tell("kill it");
        await("nobody says this");
    }
    if (me.rank > 0) {
        await("killed"); /* else the hosts may put all together before they know */
        await(event_step(code, 0));
        await(step_of("called", before));
    }
    call();
    tell(step_of("called", me.rank));
}

static void check_asked(pmix_status_t code, int n)
{
    check_for("GRP-087", told(event_step(code, me.rank)) == n, "asked %d times",
              told(event_step(code, me.rank)));
}

/* The group is made of the survivors, or given up; then a group of the name can be made. */
static void check_made(const char *ids, pmix_status_t status)
{
    pmix_proc_t left[3] = {process("A", 0), process("A", victim == 1 ? 2 : 1),
                           process("A", victim == 1 ? 3 : 2)};
    struct made made = await_group();

    check_status_for(ids, status, made.status, "construct");
    if (status != PMIX_SUCCESS) {
        made = make_group(name, left, 3, NULL);
    }
    same_for(ids, survivors(), made.members, "the members");
    check_status_for(ids, PMIX_SUCCESS, fence_group(name), "a fence of the survivors");
    check_status_for(ids, PMIX_SUCCESS, destruct(name), "destruct");
}

static void go_on(void)
{
    listen();
    play(PMIX_GROUP_MEMBER_FAILED);
    check_made("GRP-089", PMIX_SUCCESS);
    check_asked(PMIX_GROUP_MEMBER_FAILED, 1);
}

static void one_aborts(void)
{
    verdict = me.rank == 2 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE;
    listen();
    play(PMIX_GROUP_MEMBER_FAILED);
    check_made("GRP-090", PMIX_GROUP_CONSTRUCT_ABORT);
}

static void nobody_decides(void)
{
    if (me.rank == victim) {
        play(PMIX_GROUP_MEMBER_FAILED);
    }
    call();
    tell(step_of("called", me.rank));
    check_made("GRP-086", PMIX_GROUP_CONSTRUCT_ABORT);
}

static void leader_decides(void)
{
    leads = true;
    verdict = me.rank == 0 ? PMIX_EVENT_ACTION_COMPLETE : PMIX_GROUP_CONSTRUCT_ABORT;
    listen();
    play(PMIX_GROUP_MEMBER_FAILED);
    check_made("GRP-089", PMIX_SUCCESS);
    check_asked(PMIX_GROUP_MEMBER_FAILED, me.rank == 0);
}

static void leader_is_lost(void)
{
    victim = 1;
    leads = true;
    claims = me.rank == 2;
    listen();
    hear(PMIX_GROUP_LEADER_SELECTED, on_event);
    play(PMIX_GROUP_LEADER_FAILED);
    check_made("GRP-091", PMIX_SUCCESS);
    await(event_step(PMIX_GROUP_LEADER_SELECTED, me.rank));
    check_for("GRP-092", heard_status == PMIX_SUCCESS && heard_affected == 2, "who leads: %u",
              heard_affected);
    check_for("GRP-091", told(event_step(PMIX_GROUP_LEADER_FAILED, me.rank)) == 1, "asked once");
}

#define BOTH(name_)                                                                                \
    static void name_##_alone(void)                                                                \
    {                                                                                              \
        alone = true;                                                                              \
        name_();                                                                                   \
    }
BOTH(go_on)
BOTH(one_aborts)
BOTH(nobody_decides)
BOTH(leader_decides)
BOTH(leader_is_lost)

/* Leaders that know each other, and leaders by themselves. */
#define PLAYED(client_, script_)                                                                   \
    .ranks = 4, .client = client_, .script = script_, .seconds = 20,                               \
    .host = {[ON_GROUP] = {MISSING}}
#define ADDED(ids_, what_, client_, script_)                                                       \
    {                                                                                              \
        ids_, .what = what_ ", where some are added", .spread = true, PLAYED(client_, script_)     \
    }
#define ALONE(ids_, what_, ...)                                                                    \
    {                                                                                              \
        ids_, .what = what_ ", where leaders come by themselves", __VA_ARGS__                      \
    }
#define PLAYS(ids_, what_, client_, script_)                                                       \
    ADDED(ids_, what_, client_, script_),                                                          \
        ALONE(ids_, what_, .spread = true, PLAYED(client_##_alone, script_))

const struct conform_case cases[] = {
    PLAYS(.ids = "GRP-087 GRP-089", "handlers go on without the one that has ended", go_on,
          kill_victim),
    PLAYS(.ids = "GRP-090", "one handler aborts", one_aborts, kill_victim),
    PLAYS(.ids = "GRP-086", "nobody decides", nobody_decides, kill_victim),
    PLAYS(.ids = "GRP-087 GRP-089", "the leader decides", leader_decides, kill_victim),
    ADDED(.ids = "GRP-091 GRP-092", "the leader has ended", leader_is_lost, kill_leader),
    /* On one node: a leader's part that is at the host before its end is known is that of a member,
     * and its server asks nobody about it (decision 27). */
    ALONE(.ids = "GRP-091 GRP-092", "the leader has ended",
          PLAYED(leader_is_lost_alone, kill_leader)),
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
