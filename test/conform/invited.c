/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups that are made by invitation: ways to join, what their members have of each other, and that
 * they are groups like others. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"
#include "lib/invites.h"

#include <stdio.h>

static void await_event(pmix_status_t code)
{
    await(event_step(code, me.rank));
}

/* ---- ways to join */

/* Nobody is called back when the join ends. */
static void join_unheard(void)
{
    hear(PMIX_GROUP_CONSTRUCT_COMPLETE, on_event);
    if (me.rank > 0) {
        answer_unheard();
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 1, NULL), "invite");
    }
    await_event(PMIX_GROUP_CONSTRUCT_COMPLETE);
    check_status(PMIX_SUCCESS, fence_group("g"), "fence of the group");
}

/* A handler may not wait: it is called on the thread that would bring the outcome. */
static void join_and_wait(size_t id, pmix_status_t code, const pmix_proc_t *source,
                          pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                          pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    pmix_info_t *got = NULL;
    size_t n = 0;

    (void) id, (void) code, (void) info, (void) ninfo, (void) results, (void) nresults;
    check_status(PMIX_ERR_WOULD_BLOCK,
                 PMIx_Group_join("g", source, PMIX_GROUP_ACCEPT, NULL, 0, &got, &n),
                 "a join that blocks");
    tell("refused");
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void join_in_handler(void)
{
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 1, NULL), "invite");
    } else {
        hear(PMIX_GROUP_INVITED, join_and_wait);
        await("refused");
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    }
}

/* Rank 1 has not heard of an invitation. The first one is over before its answer is there, and ends
 * its call; the answer counts for the second one, to a group that rank 1 has not asked for any
 * more. */
static const pmix_info_t *held;
static size_t n_held;

/* (host) */
static void pass_on(struct upcall *copy)
{
    pmix_status_t rc;

    copy->proc = &copy->record->proc;
    copy->infos = held;
    copy->n_infos = n_held;
    rc = sound_answer(copy);
    reply_status(copy, rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc);
}

static pmix_status_t hold_the_answer(struct upcall *ask)
{
    if (ask->number != PMIX_GROUP_INVITE_ACCEPTED || held != NULL) {
        return sound_answer(ask);
    }
    held = ask->infos;
    n_held = ask->n_infos;
    return later(ask, "invited again", pass_on);
}

static void answer_of_an_ended_call(void)
{
    struct infos list = {0};

    if (me.rank == 1) {
        join_later("g", PMIX_GROUP_ACCEPT, NULL);
        await_upcalls(ON_NOTIFY, 1);
        tell("answered");
        check_joined(1, PMIX_GROUP_CONSTRUCT_ABORT, "");
        tell("ended");
        fence_all(NULL);
        return;
    }
    hear(PMIX_GROUP_LEFT, on_event);
    await("answered");
    add_u32(&list, PMIX_TIMEOUT, 1);
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, invite_ranks("g", 1, 1, &list), "the first");
    free_infos(&list);
    await("ended");
    invite_ranks_later("g", 1, 1, NULL);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    tell("invited again");
    await("invited all 0");
    check_status(PMIX_SUCCESS, invited.status, "the second");
    await_event(PMIX_GROUP_LEFT);
    check(heard_affected == 1, "rank %u has left", heard_affected);
    fence_all(NULL);
}

/* ---- what members have */

static void give_id(struct upcall *copy)
{
    size_t id = 42;
    struct infos list = {0};

    add(&list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
    reply_infos(copy, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
}

static pmix_status_t give_id_later(struct upcall *ask)
{
    return later(ask, NULL, give_id);
}

static void contribute(struct infos *list, const char *key)
{
    struct infos inner = {0};

    add_u32(&inner, key, 100 + me.rank);
    add_array(list, PMIX_GROUP_INFO, &inner);
}

/* Everybody's value of the key, and what is under another context id. */
static void check_contributions(const char *key, size_t id)
{
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        char want[16];

        snprintf(want, sizeof(want), "%u", 100 + rank);
        same_for("GRP-042", want, given(rank, key, id), "what %u has given", rank);
        if (id > 0) {
            same_for("GRP-044", "-46", given(rank, key, id + 1), "of another group");
        }
    }
}

/* The same by a plain get. Values of the same processes that were got from the server, which knows
 * nothing of the contributions, have not taken them away. */
static void check_kept(const char *key, size_t id)
{
    struct infos list = {0};

    if (id > 0) {
        add(&list, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
        PMIX_INFO_SET_QUALIFIER(&list.at[0]);
    }
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        if (job_node(find_job("A"), rank) == node()) {
            check_number(30 + rank, rank, "near", NULL);
        }
        check_for("GRP-042", atoi(got("A", rank, key, list.at, list.n)) == (int) (100 + rank),
                  "what %u has given, by a plain get", rank);
    }
    free_infos(&list);
}

static const char *number_text(uint32_t number)
{
    static char text[16];

    snprintf(text, sizeof(text), "%u", number);
    return text;
}

static void give_and_get(bool with_id)
{
    const char *about_id = with_id ? "GRP-037" : "GRP-040";
    struct infos list = {0};

    put_in(PMIX_REMOTE, "posted", 7 + me.rank);
    put_in(PMIX_LOCAL, "near", 30 + me.rank);
    commit();
    contribute(&list, "given");
    if (me.rank == 0) {
        if (with_id) {
            add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
        }
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, &list), "invite");
        check_for(about_id, invited.id == (with_id ? 42U : 0U), "context id %zu", invited.id);
    } else {
        answer_none();
        await(step_of("asked", me.rank));
        join_later("g", PMIX_GROUP_ACCEPT, &list);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2");
        check_for(about_id, joined.id == (with_id ? 42U : 0U), "context id %zu", joined.id);
    }
    check_contributions("given", with_id ? 42 : 0);
    about("GRP-042");
    check_kept("given", with_id ? 42 : 0);
    check_kept("given", with_id ? 42 : 0);
    check_contributions("given", with_id ? 42 : 0);
    about("GRP-079");
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        if (job_node(find_job("A"), rank) != node()) {
            check_number(7 + rank, rank, "posted", PMIX_OPTIONAL);
        }
        if (with_id && rank != me.rank) {
            check_aside("GRP-079", strcmp(given(rank, "posted", 42), number_text(7 + rank)) == 0,
                        "what %u has posted, as a value of the group", rank);
        }
    }
    about(NULL);
    free_infos(&list);
    fence_all(NULL);
}

static void with_context_id(void)
{
    give_and_get(true);
}

static void without_context_id(void)
{
    give_and_get(false);
}

/* ---- life after */

/* What a query of one key is answered, with a qualifier (key NULL: none). */
static const char *query_with(const char *key, const char *qualifier, const void *value,
                              pmix_data_type_t type)
{
    static char text[160];
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, key);
    if (qualifier != NULL) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], qualifier, value, type);
    }
    rc = PMIx_Query_info(&query, 1, &results, &n);
    snprintf(text, sizeof(text), "%d", rc);
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], key)) {
            snprintf(text, sizeof(text), "%s", text_of(&results[i].value));
        }
    }
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    return text;
}

static const char *query(const char *key, const char *group)
{
    return query_with(key, group != NULL ? PMIX_GROUP_ID : NULL, group, PMIX_STRING);
}

static void check_range(const char *number, pmix_data_range_t range)
{
    char names[32];

    same_for("GRP-052", number,
             query_with(PMIX_QUERY_NUM_GROUPS, PMIX_RANGE, &range, PMIX_DATA_RANGE), "number");
    snprintf(names, sizeof(names), "array of %s", number);
    if (strcmp(number, "0") != 0) {
        same_for("GRP-052", names,
                 query_with(PMIX_QUERY_GROUP_NAMES, PMIX_RANGE, &range, PMIX_DATA_RANGE), "names");
    }
}

/* Waits until both jobs have done a step. */
static void both(const char *step)
{
    char text[32 + PMIX_MAX_NSLEN];

    fence_all(NULL);
    snprintf(text, sizeof(text), "%s of %s", step, me.nspace);
    if (me.rank == 0) {
        tell(text);
    }
    snprintf(text, sizeof(text), "%s of A", step);
    await(text);
    snprintf(text, sizeof(text), "%s of B", step);
    await(text);
}

/* The first two of each job make a group; A has a third process. */
static void groups_in_range(void)
{
    const char *name = strcmp(me.nspace, "A") == 0 ? "g" : "h";
    bool member = me.rank < 2;
    pmix_proc_t two[] = {process(me.nspace, 0), process(me.nspace, 1)};

    if (member) {
        check_status(PMIX_SUCCESS, make_group(name, two, 2, NULL).status, "a group");
    }
    both("group");
    check_range(member ? "1" : "0", PMIX_RANGE_PROC_LOCAL);
    check_range("1", PMIX_RANGE_NAMESPACE);
    check_range("2", PMIX_RANGE_LOCAL);
    check_range("2", PMIX_RANGE_SESSION);
    check_range("2", PMIX_RANGE_GLOBAL);
    same_for("GRP-052", "2", query(PMIX_QUERY_NUM_GROUPS, NULL), "number in the session");
    both("query");
    if (member) {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
    }
    both("end");
    check_range("0", PMIX_RANGE_SESSION);
}

/* It is queried, rank 3 leaves it, the others destruct it, and the name is free. */
static void life(void)
{
    hear(PMIX_GROUP_LEFT, on_event);
    if (me.rank > 0) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 3, NULL), "invite");
    } else {
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
    }
    same_for("GRP-052", "1", query(PMIX_QUERY_NUM_GROUPS, NULL), "number of groups");
    same_for("GRP-052", "array of 1", query(PMIX_QUERY_GROUP_NAMES, NULL), "names");
    same_for("GRP-052", "A:0,A:1,A:2,A:3", query(PMIX_QUERY_GROUP_MEMBERSHIP, "g"), "members");
    same_for("GRP-051", "array of 1", got_of(me.rank, PMIX_GROUP_NAMES, NULL), "names of groups");
    fence_all(NULL);
    about("GRP-102");
    if (me.rank == 3) {
        check_status(PMIX_SUCCESS, PMIx_Group_leave("g", NULL, 0), "leave");
    } else {
        await_event(PMIX_GROUP_LEFT);
        check(heard_affected == 3, "rank %u has left", heard_affected);
    }
}

static void life_and_destruct(void)
{
    if (me.rank > 0) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    for (int i = 1; i <= 2; i++) {
        if (me.rank == 0) {
            check_status_for("GRP-099", PMIX_SUCCESS, invite_ranks("g", 1, 3, NULL), "invite");
        } else {
            check_joined(i, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
        }
        tell("destructs");
        check_status_for("GRP-097", PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
        check_for("GRP-097", told("destructs") == 4 * i, "a destruct of %d of %d",
                  told("destructs"), 4 * i);
        same_for("GRP-099", "0", query(PMIX_QUERY_NUM_GROUPS, NULL), "number of groups");
        fence_all(NULL);
    }
}

#define ON_NODES(n_, ranks_, client_) .nodes = n_, .ranks = ranks_, .client = client_, .seconds = 20

/* A group of two has ended; the third, of another node, has only heard of its completion. */
static void made_with_a_stranger(void)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);

    if (me.rank == 1) {
        answer_all(PMIX_GROUP_ACCEPT);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 1, NULL), "invite");
    } else if (me.rank == 1) {
        check_joined(1, PMIX_SUCCESS, "A:0,A:1");
    }
    if (me.rank < 2) {
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    }
    fence_all(NULL);
    check_status(PMIX_SUCCESS, make_group("g", &job, 1, NULL).status, "a group of all three");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "its end");
}

const struct conform_case cases[] = {
    {.ids = "GRP-068",
     .what = "a join without a callback",
     .spread = true,
     ON_NODES(1, 2, join_unheard)},
    {.ids = "GRP-078",
     .what = "an answer that comes when its call has ended",
     ON_NODES(2, 1, answer_of_an_ended_call),
     .host = {[ON_NOTIFY] = {OWN, .own = hold_the_answer}}},
    {.ids = "GRP-069",
     .what = "a handler that waits",
     .spread = true,
     ON_NODES(1, 2, join_in_handler)},
    {.ids = "GRP-037 GRP-042 GRP-044 GRP-079",
     .what = "what members give, with a context id",
     .nodes = 3,
     .client = with_context_id,
     .host = {[ON_CONTROL] = {OWN, .own = give_id_later}}},
    {.ids = "GRP-037 GRP-042 GRP-044 GRP-079",
     .what = "what members give, with a context id, on two nodes",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}},
     .client = with_context_id,
     .host = {[ON_CONTROL] = {OWN, .own = give_id_later}}},
    {.ids = "GRP-040 GRP-042 GRP-079",
     .what = "what members give, without a context id",
     ON_NODES(3, 1, without_context_id)},
    {.ids = "GRP-040 GRP-042 GRP-079",
     .what = "what members give, without a context id, on two nodes",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}},
     .client = without_context_id,
     .seconds = 20},
    {.ids = "GRP-051 GRP-052 GRP-102",
     .what = "it is queried and left, on one node",
     .spread = true,
     ON_NODES(1, 4, life)},
    {.ids = "GRP-051 GRP-052 GRP-102",
     .what = "it is queried and left, on two nodes",
     ON_NODES(2, 2, life)},
    {.ids = "GRP-052",
     .what = "queries about the groups of a range",
     .jobs = {{"A", {3}}, {"B", {2}}},
     .client = groups_in_range,
     .seconds = 20},
    {.ids = "GRP-097 GRP-099",
     .what = "it is destructed and made again, on one node",
     .spread = true,
     ON_NODES(1, 4, life_and_destruct)},
    {.ids = "GRP-097 GRP-099",
     .what = "it is destructed and made again, on two nodes",
     ON_NODES(2, 2, life_and_destruct)},
    {.ids = "GRP-099",
     .what = "it is destructed and made again with others",
     .spread = true,
     ON_NODES(1, 3, made_with_a_stranger)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
