/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Ids of groups where processes are named: what they stand for, what they cannot stand for, and
 * which of them are refused. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <stdio.h>
#include <stdlib.h>
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
        await("B comes");
        fence_with_job();
    } else {
        tell("B comes");
        fence_with_job();
    }
}

static void start_later(void)
{
    await("claimed");
    job_register("B");
    job_start("B");
}

static void names_the_job(void)
{
    const struct record *fence = upcall(ON_FENCE, -1, 0);

    check(fence != NULL && record_names(fence, "B", PMIX_RANK_WILDCARD), "the fence is one of B");
}

/* ---- ids that stand for nobody */

static void construct_with(const char *name, pmix_status_t want, const pmix_proc_t *procs, size_t n,
                           const struct infos *list, const char *what)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    check_status(want,
                 PMIx_Group_construct(name, procs, n, list != NULL ? list->at : NULL,
                                      list != NULL ? list->n : 0, &results, &n_results),
                 "construct beside %s", what);
    PMIX_INFO_FREE(results, n_results);
}

/* The id "g" beside this process, in each collective. */
static void refused_everywhere(const char *what)
{
    pmix_proc_t procs[2] = {me, process("g", PMIX_RANK_WILDCARD)};
    pmix_proc_t one[2] = {process("g", 0), me};
    struct infos list = {0};

    add_procs(&list, PMIX_GROUP_ADD_MEMBERS, &procs[1], 1);
    check_status(PMIX_ERR_NOT_FOUND, fence_seconds(procs, 2, SECONDS), "fence beside %s", what);
    check_status(PMIX_ERR_NOT_FOUND, fence_seconds(one, 2, SECONDS), "fence beside one of %s",
                 what);
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Connect(procs, 2, NULL, 0), "connect beside %s", what);
    construct_with("h", PMIX_ERR_NOT_FOUND, procs, 2, NULL, what);
    construct_with("h", PMIX_ERR_NOT_FOUND, &me, 1, &list, what);
    free_infos(&list);
}

/* Rank 0 invites the last one. */
static void pending(void)
{
    pmix_rank_t last = (pmix_rank_t) job_size(find_job("A")) - 1;
    bool is_in = me.rank == 0 || me.rank == last;

    about("GRP-084");
    if (me.rank == last) {
        answer_none();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        invite_ranks_later("g", last, last, NULL);
    }
    if (is_in) {
        await(step_of("asked", last));
        refused_everywhere("a pending invitation");
        tell("refused");
    }
    if (me.rank == last) {
        await_n("refused", 2);
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        await(step_of("joined", last));
    } else if (me.rank == 0) {
        await(step_of("invited all", 0));
    }
    fence_all(NULL);
    if (is_in) {
        check_status(PMIX_SUCCESS, fence_group("g"), "the group is complete");
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
        about("GRP-099 GRP-005");
        refused_everywhere("a group that is no more");
    }
    fence_all(NULL);
}

/* The last rank declines. */
static void declined(void)
{
    answer_all(PMIX_GROUP_DECLINE);
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_GROUP_CONSTRUCT_ABORT, invite_ranks("g", 1, 1, NULL), "invite");
        tell("over");
    }
    await("over");
    refused_everywhere("a group that was not made");
}

static void constructed(void)
{
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);

    construct_with("g", PMIX_SUCCESS, &all, 1, NULL, "nothing");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    refused_everywhere("a group that is no more");
}

/* A name that this server has never heard of may be known to its host. */
static void unknown(void)
{
    pmix_proc_t procs[2] = {me, process("elsewhere", PMIX_RANK_WILDCARD)};

    check_status(PMIX_ERR_UNREACH, fence_seconds(procs, 2, SECONDS), "the host has its say");
    check_status(PMIX_ERR_UNREACH, PMIx_Connect(procs, 2, NULL, 0), "the host has its say");
}

static void host_was_asked(void)
{
    check(upcalls(ON_FENCE, -1) == 1 &&
              record_names(upcall(ON_FENCE, -1, 0), "elsewhere", PMIX_RANK_WILDCARD),
          "the fence reaches the host");
    check(upcalls(ON_CONNECT, -1) == 1 &&
              record_names(upcall(ON_CONNECT, -1, 0), "elsewhere", PMIX_RANK_WILDCARD),
          "the connect reaches the host");
}

static void never_named(void)
{
    static const enum entry entries[] = {ON_FENCE, ON_CONNECT, ON_GROUP};

    for (size_t e = 0; e < sizeof(entries) / sizeof(entries[0]); e++) {
        for (int i = 0; i < upcalls(entries[e], -1); i++) {
            check_for("GRP-005",
                      !record_names(upcall(entries[e], -1, i), "g", PMIX_RANK_WILDCARD) &&
                          !record_names(upcall(entries[e], -1, i), "g", 0),
                      "the host is given an id of no group");
        }
    }
}

/* ---- ranges of events */

enum {
    CODE = PMIX_EXTERNAL_ERR_BASE - 31,
    BEHIND = PMIX_EXTERNAL_ERR_BASE - 32,
    NEVER_RAISED = PMIX_EXTERNAL_ERR_BASE - 33
};

static void raise_code(pmix_status_t code, const pmix_proc_t *to)
{
    struct infos list = {0};
    pmix_status_t rc;

    if (to != NULL) {
        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, to, 1);
    }
    rc = PMIx_Notify_event(code, &me, to != NULL ? PMIX_RANGE_CUSTOM : PMIX_RANGE_SESSION, list.at,
                           list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

/* Tells "event of SOURCE at RANK". */
static void event_of(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t *results, size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char step[48];

    (void) id;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    snprintf(step, sizeof(step), "event %d of %u at %u", code, source->rank, me.rank);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static int events_of(pmix_status_t code, pmix_rank_t source, pmix_rank_t at)
{
    char step[48];

    snprintf(step, sizeof(step), "event %d of %u at %u", code, source, at);
    return told(step);
}

static void await_event_of(pmix_status_t code, pmix_rank_t source)
{
    char step[48];

    snprintf(step, sizeof(step), "event %d of %u at %u", code, source, me.rank);
    await(step);
}

/* Ranks 1 and 0 are the group, in this order. */
static void make_pair(void)
{
    pmix_proc_t procs[2] = {process("A", 1), process("A", 0)};

    if (me.rank < 2) {
        construct_with("g", PMIX_SUCCESS, procs, 2, NULL, "nothing");
    }
    fence_all(NULL);
}

/* True if the server of this process knows the group, because a member is of its node. */
static bool is_known_here(void)
{
    const struct job *job = find_job("A");

    return node() == job_node(job, 0) || node() == job_node(job, 1);
}

/* Ranks 0 and 2 listen to the first of the group, which comes to its end; rank 2 is none of it. */
static void listen_to_group(void)
{
    bool listens = me.rank == 0 || (me.rank == 2 && is_known_here());
    pmix_proc_t of[2] = {process("g", 0), process("g", 7)};
    pmix_status_t code = CODE;
    struct infos list = {0};

    make_pair();
    if (listens) {
        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, of, 1);
        check(PMIx_Register_event_handler(&code, 1, list.at, list.n, event_of, NULL, NULL) >= 0,
              "a handler of events of a group");
        drop(&list, PMIX_EVENT_CUSTOM_RANGE);
        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &of[1], 1);
        check_status(PMIX_ERR_NOT_FOUND,
                     PMIx_Register_event_handler(&code, 1, list.at, list.n, event_of, NULL, NULL),
                     "a rank that the group does not have");
        free_infos(&list);
        hear(BEHIND, event_of);
    }
    if (me.rank == 0) {
        tell("there is a group");
        await("the host has listened");
    }
    fence_all(NULL); /* rank 2 knows the group from its server, as long as there is one */
    if (me.rank < 2) {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    fence_all(NULL);
    raise_code(CODE, NULL);
    raise_code(BEHIND, NULL);
    if (listens) {
        for (pmix_rank_t rank = 0; rank < 3; rank++) {
            await_event_of(BEHIND, rank);
        }
        check_for("EVT-010 GRP-005",
                  events_of(CODE, 1, me.rank) == 1 &&
                      events_of(CODE, 0, me.rank) + events_of(CODE, 2, me.rank) == 0,
                  "events of the first of the group only: %d, %d, %d", events_of(CODE, 0, me.rank),
                  events_of(CODE, 1, me.rank), events_of(CODE, 2, me.rank));
    }
    fence_all(NULL);
}

/* The host of the first node, which knows the group of its client. */
static void listen_in_the_host(void)
{
    pmix_proc_t of[2] = {process("g", 0), process("g", 7)};
    pmix_status_t code = NEVER_RAISED; /* event_of in a host would tell the steps of rank 0 */

    if (node() != 0) {
        return;
    }
    await("there is a group");
    for (int i = 0; i < 2; i++) {
        struct infos list = {0};
        pmix_status_t rc;

        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &of[i], 1);
        rc = PMIx_Register_event_handler(&code, 1, list.at, list.n, event_of, NULL, NULL);
        check_for("EVT-010", i == 0 ? rc >= 0 : rc == PMIX_ERR_NOT_FOUND,
                  "a handler of rank %u of a group, in the host: %d", of[i].rank, rc);
        free_infos(&list);
    }
    tell("the host has listened");
}

/* Rank 2, which is not in the group, raises an event for its first member, and one for all of it,
 * which are kept; the members register when the group is no more. */
static void tell_group(void)
{
    pmix_proc_t first = process("g", 0);
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    pmix_proc_t beyond = process("g", 7);
    struct infos list = {0};

    make_pair();
    if (me.rank == 2 && node() == job_node(find_job("A"), 0)) {
        add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &beyond, 1);
        check_status_for(
            "GRP-006", PMIX_ERR_NOT_FOUND,
            PMIx_Notify_event(CODE, &me, PMIX_RANGE_CUSTOM, list.at, list.n, NULL, NULL),
            "a rank that the group does not have");
        free_infos(&list);
    }
    if (me.rank == 2) {
        raise_code(CODE, &first);
        raise_code(BEHIND, &all);
    }
    fence_all(NULL);
    if (me.rank < 2) {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    fence_all(NULL);
    hear(CODE, event_of);
    hear(BEHIND, event_of);
    if (me.rank < 2) {
        await_event_of(BEHIND, 2);
    }
    settle_events();
    fence_all(NULL);
    check_for("GRP-006",
              events_of(CODE, 2, 1) == 1 && events_of(CODE, 2, 0) + events_of(CODE, 2, 2) == 0,
              "the event is for one member: %d, %d, %d", events_of(CODE, 2, 0),
              events_of(CODE, 2, 1), events_of(CODE, 2, 2));
    check_for("EVT-010", events_of(BEHIND, 2, 0) == 1 && events_of(BEHIND, 2, 1) == 1,
              "the event is for all members");
}

static void ranges_are_processes(void)
{
    check_for("EVT-010", n_nodes() > 1 || upcalls(ON_NOTIFY, 0) == 2, "the host is told of both");
    for (int i = 0; i < upcalls(ON_NOTIFY, 0); i++) {
        const struct note *range = record_info(upcall(ON_NOTIFY, 0, i), PMIX_EVENT_CUSTOM_RANGE);

        check_for("EVT-010", range == NULL || strchr(range->text, 'g') == NULL,
                  "the host is told %s", range != NULL ? range->text : "");
    }
}

/* ---- group information of groups that are no more */

static void keep_two(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_shmix_group_infos", "2", 1);
}

/* Context ids 1, 2 and so on. */
static pmix_status_t give_next_id(struct upcall *ask)
{
    static size_t last;
    struct infos list = {0};

    if (ask->number != PMIX_GROUP_CONSTRUCT) {
        return sound_answer(ask);
    }
    last++;
    add(&list, PMIX_GROUP_CONTEXT_ID, &last, PMIX_SIZE);
    for (size_t i = 0; i < ask->n_infos; i++) {
        if (PMIX_CHECK_KEY(&ask->infos[i], PMIX_GROUP_INFO_ARRAY)) {
            add(&list, PMIX_GROUP_INFO_ARRAY, ask->infos[i].value.data.darray, PMIX_DATA_ARRAY);
        }
    }
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static void make_with_info(const char *group, uint32_t value)
{
    struct infos list = {0};
    struct infos inner = {0};
    pmix_proc_t all = process("A", PMIX_RANK_WILDCARD);

    add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    if (me.rank == 0) {
        add_u32(&inner, "given", value);
        add_array(&list, PMIX_GROUP_INFO, &inner);
    }
    construct_with(group, PMIX_SUCCESS, &all, 1, &list, "nothing");
    free_infos(&list);
}

static const char *info_of(size_t id)
{
    pmix_info_t with[2];
    const char *text;

    PMIX_INFO_LOAD(&with[0], PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    PMIX_INFO_SET_QUALIFIER(&with[0]);
    PMIX_INFO_LOAD(&with[1], PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    text = got("A", 0, "given", with, 2);
    PMIX_INFO_DESTRUCT(&with[0]);
    PMIX_INFO_DESTRUCT(&with[1]);
    return text;
}

/* One group lives through the others, of which there are more than are remembered. What a member
 * has put is still its own when it has been told of its group information. */
static void many_groups(void)
{
    put_in(PMIX_REMOTE, "put", 7);
    commit();
    make_with_info("stays", 101);
    about("PUT-008");
    check_number(7, me.rank, "put", NULL);
    about(NULL);
    for (uint32_t i = 2; i <= 5; i++) {
        make_with_info("g", 100 + i);
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    same_for("GRP-044", "101", info_of(1), "of the group that exists");
    same_for("GRP-045", "105", info_of(5), "of the group that ended last");
    same_for("GRP-045", "-46", info_of(2), "of the group that ended first");
    same_for("GRP-045", "-46", info_of(3), "of the next");
    fence_all(NULL);
}

#define PENDING(n_, ranks_, where_)                                                                \
    {                                                                                              \
        .ids = "GRP-005 GRP-084 GRP-099",                                                          \
        .what = "a group cannot be used before it is complete, nor after its end, " where_,        \
        .nodes = n_, .ranks = ranks_, .client = pending, .after = never_named, .seconds = 30       \
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
    PENDING(1, 3, "on one node"),
    PENDING(2, 1, "on two nodes"),
    PENDING(3, 1, "on three nodes"),
    {.ids = "GRP-005",
     .what = "the id of an invitation that has come to nothing is nobody",
     .spread = true,
     .ranks = 2,
     .client = declined,
     .after = never_named,
     .seconds = 20},
    {.ids = "GRP-005",
     .what = "the id of a group that was constructed is nobody after its end",
     .spread = true,
     .ranks = 2,
     .client = constructed,
     .after = never_named,
     .seconds = 20},
    /* On one node: each server has a bound of its own, and this host numbers groups for its own. */
    {.ids = "GRP-044 GRP-045 PUT-008",
     .what = "group information of groups that are no more has a bound",
     .ranks = 2,
     .server = keep_two,
     .client = many_groups,
     .host = {[ON_GROUP] = {OWN, .own = give_next_id}},
     .ours_only = "it has a bound of its own",
     .seconds = 20},
    {.ids = "EVT-010 GRP-005",
     .otherwise = "EVT-010",
     .what = "a handler's sources are the members of a group",
     .spread = true,
     .ranks = 3,
     .client = listen_to_group,
     .script = listen_in_the_host,
     .seconds = 20},
    {.ids = "EVT-010 GRP-006",
     .otherwise = "EVT-010",
     .what = "another process raises an event for a group",
     .spread = true,
     .ranks = 3,
     .client = tell_group,
     .after = ranges_are_processes,
     .seconds = 20},
    /* On one node: the host that refuses is that of the caller. */
    {.ids = "GRP-005",
     .what = "a name that only the host may know is for the host to judge",
     .host =
         {[ON_FENCE] = {CALLBACK, PMIX_ERR_UNREACH}, [ON_CONNECT] = {CALLBACK, PMIX_ERR_UNREACH}},
     .client = unknown,
     .after = host_was_asked,
     .seconds = 20},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
