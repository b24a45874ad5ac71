/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Members that end while a group is constructed whose members want to be told: handlers decide
 * whether it is made without them, or given up, and who leads when the leader has ended. The last
 * rank is the one that ends; the others all call the construct. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "crew";

static pmix_rank_t last_rank(void)
{
    return (pmix_rank_t) job_size(find_job("A")) - 1;
}

/* How many end: the last ones. */
static pmix_rank_t n_victims = 1;

/* "A:0,A:1": the others. */
static const char *survivors(void)
{
    static char text[256];
    size_t n = 0;

    for (pmix_rank_t r = 0; r <= last_rank() - n_victims; r++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "%sA:%u", n > 0 ? "," : "", r);
    }
    return text;
}

/* ---- handlers */

/* What this process's handler answers. */
static pmix_status_t verdict = PMIX_EVENT_ACTION_COMPLETE;
static bool claims;

static void decide(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    static pmix_info_t claim;
    bool yes = true;
    bool named = false;

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        named = named || (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) &&
                          info[i].value.data.proc->rank > last_rank() - n_victims);
    }
    check_aside("GRP-088", named, "the event names who has ended");
    PMIX_INFO_LOAD(&claim, PMIX_GROUP_LEADER, &yes, PMIX_BOOL);
    tell(event_step(code, me.rank));
    done(verdict, claims ? &claim : NULL, claims ? 1 : 0, NULL, NULL, cbdata);
}

static int heard(pmix_status_t code, pmix_rank_t rank)
{
    return told(event_step(code, rank));
}

/* ---- the construct */

static void add_flags(struct infos *list, const char *flag)
{
    add_true(list, PMIX_GROUP_NOTIFY_TERMINATION);
    if (flag != NULL) {
        add_true(list, flag);
    }
}

static void called(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                   pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) status;
    (void) info;
    (void) n;
    (void) cbdata;
    if (release != NULL) {
        release(release_cbdata);
    }
}

/* True for the last rank, which takes part if it leads, and stays until it is killed. */
static bool is_victim(bool leads)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    struct infos list = {0};

    if (me.rank != last_rank()) {
        return false;
    }
    if (leads) {
        add_flags(&list, PMIX_GROUP_LEADER);
        check_status(PMIX_SUCCESS,
                     PMIx_Group_construct_nb(name, &job, 1, list.at, list.n, called, NULL),
                     "construct");
        free_infos(&list);
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    }
    tell("kill it");
    await("nobody says this");
    return true;
}

/* (host) */
static void kill_last(void)
{
    await("kill it");
    rank_kill("A", last_rank(), SIGKILL);
    tell("killed");
}

static void construct(pmix_status_t want, const pmix_proc_t *procs, size_t n, struct infos *list)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;
    const char *members = "";

    check_status(want,
                 PMIx_Group_construct(name, procs, n, list->at, list->n, &results, &n_results),
                 "construct");
    for (size_t i = 0; i < n_results; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            members = text_of(&results[i].value);
        }
        check(strncmp(results[i].key, "shmix", 5) != 0 &&
                  !PMIX_CHECK_KEY(&results[i], "pmix.grp.info"),
              "what only servers need is among the results: %s", results[i].key);
    }
    same(want == PMIX_SUCCESS ? survivors() : "", members, "the members");
    PMIX_INFO_FREE(results, n_results);
    free_infos(list);
}

/* The group of all is made without the last, or is given up; then its name can be used anew. */
static void make(pmix_status_t want, const char *flag)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_proc_t left[32];
    struct infos list = {0};

    add_flags(&list, flag);
    construct(want, &job, 1, &list);
    if (want != PMIX_SUCCESS) {
        for (pmix_rank_t r = 0; r < last_rank(); r++) {
            left[r] = process(me.nspace, r);
        }
        construct(PMIX_SUCCESS, left, last_rank(), &list);
    }
    check_status(PMIX_SUCCESS, fence_group(name), "a fence of the survivors");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

/* ---- members */

static void go_on(void)
{
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    if (!is_victim(false)) {
        about("GRP-089");
        make(PMIX_SUCCESS, NULL);
        check_for("GRP-087 GRP-088", heard(PMIX_GROUP_MEMBER_FAILED, me.rank) == 1,
                  "one event for one member: %d", heard(PMIX_GROUP_MEMBER_FAILED, me.rank));
    }
}

/* Only one of them has a handler. */
static void one_goes_on(void)
{
    if (me.rank == 0) {
        hear(PMIX_GROUP_MEMBER_FAILED, decide);
    }
    if (!is_victim(false)) {
        make(PMIX_SUCCESS, NULL);
    }
}

static void one_aborts(void)
{
    verdict = me.rank == 0 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE;
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    if (!is_victim(false)) {
        make(PMIX_GROUP_CONSTRUCT_ABORT, NULL);
    }
}

static void nobody_decides(void)
{
    if (!is_victim(false)) {
        make(PMIX_GROUP_CONSTRUCT_ABORT, NULL);
    }
}

/* ---- leaders */

/* The last rank leads, and ends before the one before it, of its node, has called. */
static bool leader_is_lost(void)
{
    hear(PMIX_GROUP_LEADER_FAILED, decide);
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    hear(PMIX_GROUP_LEADER_SELECTED, on_event);
    if (is_victim(true)) {
        return true;
    }
    if (me.rank == last_rank() - 1) {
        await_n("killed", n_nodes());
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind its end");
    }
    return false;
}

static void check_events(pmix_status_t selected, pmix_rank_t leader)
{
    await(event_step(PMIX_GROUP_LEADER_SELECTED, me.rank));
    check_for("GRP-091",
              heard(PMIX_GROUP_LEADER_FAILED, me.rank) == 1 &&
                  heard(PMIX_GROUP_MEMBER_FAILED, me.rank) == 0,
              "the leader has failed, once: %d, %d", heard(PMIX_GROUP_LEADER_FAILED, me.rank),
              heard(PMIX_GROUP_MEMBER_FAILED, me.rank));
    check_for("GRP-092", heard(PMIX_GROUP_LEADER_SELECTED, me.rank) == 1,
              "a leader is selected once");
    check_status_for("GRP-092", selected, heard_status, "what is said of the new leader");
    check_for("GRP-092", heard_affected == leader, "who leads: %u", heard_affected);
}

/* Of two that want to lead one does. */
static void two_claim(void)
{
    claims = me.rank < 2;
    if (!leader_is_lost()) {
        about("GRP-091 GRP-092");
        make(PMIX_SUCCESS, NULL);
        check_events(PMIX_SUCCESS, 0);
    }
}

static void last_claims(void)
{
    claims = me.rank == last_rank() - 1;
    if (!leader_is_lost()) {
        about("GRP-091 GRP-092");
        make(PMIX_SUCCESS, NULL);
        check_events(PMIX_SUCCESS, last_rank() - 1);
    }
}

static void nobody_claims(void)
{
    if (!leader_is_lost()) {
        about("GRP-091 GRP-092");
        make(PMIX_SUCCESS, NULL);
        check_events(PMIX_ERR_NOT_FOUND, PMIX_RANK_UNDEF);
    }
}

static void abort_without_leader(void)
{
    verdict = me.rank == 0 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE;
    if (!leader_is_lost()) {
        make(PMIX_GROUP_CONSTRUCT_ABORT, NULL);
    }
}

/* ---- before all have called */

/* (host) Kills the last rank, and tells every server of its end. */
static void kill_and_tell(void)
{
    await("kill it");
    kill_and_say(last_rank(), PMIX_ERR_PROC_ABORTED_BY_SIG);
}

/* Waits until a process has been asked. */
static void await_asked(pmix_status_t code, pmix_rank_t rank)
{
    await(event_step(code, rank));
}

/* Each calls when the one before it has been asked: who has called is asked at once, and the next
 * one when it calls. */
static void one_by_one(void)
{
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    if (!is_victim(false)) {
        if (me.rank > 0) {
            await_asked(PMIX_GROUP_MEMBER_FAILED, me.rank - 1);
        }
        about("GRP-087 GRP-089");
        make(PMIX_SUCCESS, NULL);
        check_for("GRP-087", heard(PMIX_GROUP_MEMBER_FAILED, me.rank) == 1, "asked once: %d",
                  heard(PMIX_GROUP_MEMBER_FAILED, me.rank));
    }
}

/* What one has said before the others call counts for all. */
static void one_by_one_aborts(void)
{
    verdict = me.rank == 0 ? PMIX_GROUP_CONSTRUCT_ABORT : PMIX_EVENT_ACTION_COMPLETE;
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    if (!is_victim(false)) {
        if (me.rank > 0) {
            await_asked(PMIX_GROUP_MEMBER_FAILED, me.rank - 1);
        }
        make(PMIX_GROUP_CONSTRUCT_ABORT, NULL);
    }
}

/* The rank that calls last; it is on the last node. */
static bool is_late(void)
{
    return me.rank == last_rank() - 1;
}

static struct {
    pmix_status_t status;
    char members[256];
} made;

static void on_made(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                    pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    made.status = status;
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(made.members, sizeof(made.members), "%s", text_of(&info[i].value));
        }
    }
    if (release != NULL) {
        release(release_cbdata);
    }
    tell(step_of("made", me.rank));
}

/* Calls the construct; its server has the call when this returns. */
static void call(bool leads)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    struct infos list = {0};

    add_flags(&list, leads ? PMIX_GROUP_LEADER : NULL);
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct_nb(name, &job, 1, list.at, list.n, on_made, NULL),
                 "construct");
    free_infos(&list);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    tell(step_of("called", me.rank));
}

/* The leader calls, then all others but one; then the last rank ends. An event of the leader that
 * reaches everybody comes behind the announcement of its call. */
enum { FOLLOW_ME = -1234567 };

static void call_in_turn(pmix_rank_t leader)
{
    hear(FOLLOW_ME, on_event);
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    hear(PMIX_GROUP_LEADER_FAILED, decide);
    hear(PMIX_GROUP_LEADER_SELECTED, on_event);
    fence_all(NULL);
    if (me.rank == leader) {
        call(true);
        check_status(PMIX_SUCCESS,
                     PMIx_Notify_event(FOLLOW_ME, &me, PMIX_RANGE_GLOBAL, NULL, 0, NULL, NULL),
                     "notify");
    } else {
        await(event_step(FOLLOW_ME, me.rank));
        if (me.rank < last_rank() - 1) {
            call(false);
        }
    }
    if (me.rank == last_rank()) {
        for (pmix_rank_t r = 0; r < last_rank() - 1; r++) {
            await(step_of("called", r));
        }
        tell("kill it");
        await("nobody says this");
    }
}

static void check_made(void)
{
    await(step_of("made", me.rank));
    about("GRP-089");
    check_status(PMIX_SUCCESS, made.status, "construct");
    same(survivors(), made.members, "the members");
    check_status(PMIX_SUCCESS, fence_group(name), "a fence of the survivors");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

/* Only the leader is asked, wherever the others are. */
static void check_leader_asked(void)
{
    check_made();
    check_for("GRP-087", heard(PMIX_GROUP_MEMBER_FAILED, me.rank) == (me.rank == 0),
              "only the leader is asked: %d", heard(PMIX_GROUP_MEMBER_FAILED, me.rank));
}

/* It is asked while one is still waited for. */
static void leader_decides_early(void)
{
    verdict = me.rank == 0 ? PMIX_EVENT_ACTION_COMPLETE : PMIX_GROUP_CONSTRUCT_ABORT;
    call_in_turn(0);
    if (is_late()) {
        await_asked(PMIX_GROUP_MEMBER_FAILED, 0);
        call(false);
    }
    check_leader_asked();
}

/* Nobody tells the leader's server of the end before all have called. */
static void leader_decides(void)
{
    verdict = me.rank == 0 ? PMIX_EVENT_ACTION_COMPLETE : PMIX_GROUP_CONSTRUCT_ABORT;
    call_in_turn(0);
    if (is_late()) {
        await_n("killed", n_nodes());
        call(false);
    }
    check_leader_asked();
}

/* The leader ends while one is still waited for: all others are asked who is to lead. */
static void leader_is_lost_early(void)
{
    claims = me.rank == 1;
    call_in_turn(last_rank());
    if (is_late()) {
        for (pmix_rank_t r = 0; r < me.rank; r++) {
            await_asked(PMIX_GROUP_LEADER_FAILED, r);
        }
        call(false);
    }
    check_made();
    check_events(PMIX_SUCCESS, 1);
}

/* (host) The last two ranks end. */
static void kill_two(void)
{
    await("kill it");
    kill_and_say(last_rank(), PMIX_ERR_PROC_ABORTED_BY_SIG);
    kill_and_say(last_rank() - 1, PMIX_ERR_PROC_ABORTED_BY_SIG);
}

/* All members of the last node end when they have called, and their node's call is at the host. The
 * first rank calls later. */
static void node_is_lost(void)
{
    n_victims = 2;
    hear(PMIX_GROUP_MEMBER_FAILED, decide);
    if (me.rank > 0) {
        call(false);
    }
    if (me.rank > last_rank() - n_victims) {
        await_n(step_of("called", last_rank() - 1), 1);
        await_n(step_of("called", last_rank()), 1);
        tell("kill it");
        await("nobody says this");
    }
    if (me.rank == 0) {
        await_n("said", 2 * n_nodes());
        call(false);
    }
    check_made();
    check_for("GRP-087", heard(PMIX_GROUP_MEMBER_FAILED, me.rank) == 2, "asked about both: %d",
              heard(PMIX_GROUP_MEMBER_FAILED, me.rank));
}

/* ---- handlers that do not end */

static struct {
    pmix_event_notification_cbfunc_fn_t done;
    void *cbdata;
} asked;

static void ponder(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    asked.done = done;
    asked.cbdata = cbdata;
    tell(event_step(code, me.rank));
}

/* The limit counts from the question on: until then the host has had the call. */
static void nobody_answers(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    struct infos list = {0};
    int seconds = 2;

    hear(PMIX_GROUP_MEMBER_FAILED, ponder);
    if (is_victim(false)) {
        return;
    }
    await_n("killed", n_nodes());
    add_flags(&list, NULL);
    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    about("GRP-087");
    construct(PMIX_ERR_TIMEOUT, &job, 1, &list);
    await(event_step(PMIX_GROUP_MEMBER_FAILED, me.rank));
    asked.done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, asked.cbdata);
}

#define PLAYED(ranks_, nodes_, client_, script_)                                                   \
    .ranks = ranks_, .nodes = nodes_, .client = client_, .script = script_, .seconds = 20

/* Each with members on one node, with the host, and on several. */
#define ON_NODES(ids_, what_, client_, script_)                                                    \
    {ids_, .what = what_ ", on one node", PLAYED(4, 1, client_, script_)},                         \
        {ids_, .what = what_ ", on two nodes", PLAYED(2, 2, client_, script_)},                    \
    {                                                                                              \
        ids_, .what = what_ ", on three nodes", PLAYED(2, 3, client_, script_)                     \
    }
#define EVERYWHERE(ids_, what_, client_) ON_NODES(ids_, what_, client_, kill_last)
#define EARLY(ids_, what_, client_)      ON_NODES(ids_, what_, client_, kill_and_tell)

const struct conform_case cases[] = {
    EVERYWHERE(.ids = "GRP-087 GRP-088 GRP-089", "handlers go on without the one that has ended",
               go_on),
    EVERYWHERE(.ids = "GRP-089", "one handler goes on", one_goes_on),
    EVERYWHERE(.ids = "GRP-090", "one handler aborts", one_aborts),
    EVERYWHERE(.ids = "GRP-086", "nobody decides", nobody_decides),
    EVERYWHERE(.ids = "GRP-087 GRP-089", "the leader decides", leader_decides),
    EVERYWHERE(.ids = "GRP-091 GRP-092", "two want to lead", two_claim),
    EVERYWHERE(.ids = "GRP-091 GRP-092", "one wants to lead", last_claims),
    EVERYWHERE(.ids = "GRP-091 GRP-092", "nobody wants to lead", nobody_claims),
    EVERYWHERE(.ids = "GRP-090", "a handler aborts without a leader", abort_without_leader),
    EARLY(.ids = "GRP-087 GRP-089", "each is asked when it calls", one_by_one),
    EARLY(.ids = "GRP-090", "one aborts before the others call", one_by_one_aborts),
    EARLY(.ids = "GRP-087 GRP-089", "the leader decides before all have called",
          leader_decides_early),
    {.ids = "GRP-087 GRP-089",
     .what = "all members of a node end, on two nodes",
     PLAYED(2, 2, node_is_lost, kill_two)},
    {.ids = "GRP-087 GRP-089",
     .what = "all members of a node end, on three nodes",
     PLAYED(2, 3, node_is_lost, kill_two)},
    EVERYWHERE(.ids = "GRP-087", "no handler ends before the limit", nobody_answers),
    EARLY(.ids = "GRP-089 GRP-091 GRP-092", "the leader ends before all have called",
          leader_is_lost_early),
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
