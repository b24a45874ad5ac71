/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups that were made by invitation: what their members have of each other, and that they are
 * groups like others. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/invites.h"

#include <stdio.h>

static void await_event(pmix_status_t code)
{
    await(event_step(code, me.rank));
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

/* Everybody's value of the key, under the context id (0: without). */
static void check_contributions(const char *key, size_t id)
{
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        char want[16];
        pmix_info_t with;

        snprintf(want, sizeof(want), "%u", 100 + rank);
        PMIX_INFO_LOAD(&with, PMIX_GROUP_CONTEXT_ID, &id, PMIX_SIZE);
        PMIX_INFO_SET_QUALIFIER(&with);
        same(want, got("A", rank, key, &with, id > 0 ? 1 : 0), "what %u has given", rank);
        PMIX_INFO_DESTRUCT(&with);
    }
}

static void give_and_get(bool with_id)
{
    struct infos list = {0};

    put_in(PMIX_REMOTE, "posted", 7 + me.rank);
    commit();
    contribute(&list, "given");
    if (me.rank == 0) {
        if (with_id) {
            add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
        }
        check_status(PMIX_SUCCESS, invite_ranks("g", 1, 2, &list), "invite");
        check(invited.id == (with_id ? 42U : 0U), "context id %zu", invited.id);
    } else {
        answer_none();
        await(step_of("asked", me.rank));
        join_later("g", PMIX_GROUP_ACCEPT, &list);
        check_joined(1, PMIX_SUCCESS, "A:0,A:1,A:2");
        check(joined.id == (with_id ? 42U : 0U), "context id %zu", joined.id);
    }
    check_contributions("given", with_id ? 42 : 0);
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        if (job_node(find_job("A"), rank) != node()) {
            check_number(7 + rank, rank, "posted", PMIX_OPTIONAL);
        }
    }
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

static const char *query(const char *key, const char *group)
{
    static char text[160];
    pmix_query_t query;
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, key);
    if (group != NULL) {
        PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
        PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_GROUP_ID, group, PMIX_STRING);
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
    same("1", query(PMIX_QUERY_NUM_GROUPS, NULL), "number of groups");
    same("A:0,A:1,A:2,A:3", query(PMIX_QUERY_GROUP_MEMBERSHIP, "g"), "members");
    same("array of 1", got_of(me.rank, PMIX_GROUP_NAMES, NULL), "names of groups");
    fence_all(NULL);
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
            check_status(PMIX_SUCCESS, invite_ranks("g", 1, 3, NULL), "invite");
        } else {
            check_joined(i, PMIX_SUCCESS, "A:0,A:1,A:2,A:3");
        }
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
        same("0", query(PMIX_QUERY_NUM_GROUPS, NULL), "number of groups");
        fence_all(NULL);
    }
}

#define ON_NODES(n_, ranks_, ids_, what_, client_)                                                 \
    {                                                                                              \
        .ids = ids_, .what = what_, .nodes = n_, .ranks = ranks_, .client = client_                \
    }

const struct conform_case cases[] = {
    {.ids = "GRP-037 GRP-042 GRP-044 GRP-079",
     .what = "what members give, with a context id",
     .nodes = 3,
     .client = with_context_id,
     .host = {[ON_CONTROL] = {OWN, .own = give_id_later}}},
    ON_NODES(1, 3, "GRP-040 GRP-042 GRP-079", "what members give, without a context id",
             without_context_id),
    ON_NODES(1, 4, "GRP-051 GRP-052 GRP-102", "it is queried and left, on one node", life),
    ON_NODES(2, 2, "GRP-051 GRP-052 GRP-102", "it is queried and left, on two nodes", life),
    ON_NODES(1, 4, "GRP-097 GRP-099", "it is destructed and made again, on one node",
             life_and_destruct),
    ON_NODES(2, 2, "GRP-097 GRP-099", "it is destructed and made again, on two nodes",
             life_and_destruct),
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
