/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Names that stand for several processes, in the construction of a group: everybody behind the
 * server is told of processes. And names that no group can have. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <string.h>

#ifndef PMIX_GROUP_FINAL_MEMBERSHIP_ORDER
#define PMIX_GROUP_FINAL_MEMBERSHIP_ORDER "pmix.grp.finord"
#endif

/* True if both texts name the same ranks of job A, in any order. */
static bool same_ranks(const char *one, const char *other)
{
    bool same = strlen(one) == strlen(other);

    for (int rank = 0; rank < 10; rank++) {
        char name[8];

        snprintf(name, sizeof(name), "A:%d", rank);
        same = same && (strstr(one, name) != NULL) == (strstr(other, name) != NULL);
    }
    return same;
}

static void check_members(const char *want, const pmix_info_t *results, size_t n)
{
    const char *members = "(none)";

    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            members = text_of(&results[i].value);
        }
    }
    check(same_ranks(want, members), "the members are %s, not %s", members, want);
    check_aside("GRP-046", strcmp(want, members) == 0, "the order is %s, not %s", members, want);
}

/* With the directives, or alone as one that is added; the list is released. */
static void construct(const char *name, const pmix_proc_t *procs, size_t n, struct infos *list,
                      const char *want)
{
    pmix_info_t *results = NULL;
    size_t n_results = 0;

    if (check_status(PMIX_SUCCESS,
                     PMIx_Group_construct(name, procs, n, list->at, list->n, &results, &n_results),
                     "construct %s", name)) {
        check_members(want, results, n_results);
    }
    PMIX_INFO_FREE(results, n_results);
    free_infos(list);
}

static void add_list(struct infos *list, const char *key, const pmix_proc_t *procs, size_t n)
{
    pmix_data_array_t array = {.type = PMIX_PROC, .size = n, .array = (void *) (uintptr_t) procs};

    add(list, key, &array, PMIX_DATA_ARRAY);
}

/* Rank 0 leads and adds everybody by the wildcard of the job. */
static void add_job(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    struct infos list = {0};

    if (me.rank == 0) {
        add_list(&list, PMIX_GROUP_ADD_MEMBERS, &job, 1);
    } else {
        about("GRP-057");
    }
    construct("g", &me, me.rank == 0, &list, "A:0,A:1,A:2");
    about(NULL);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

/* Rank 0 leads and adds the others by the name of a group; the order is that group's. */
static void add_group(void)
{
    pmix_proc_t inner[2] = {process(me.nspace, 2), process(me.nspace, 0)};
    pmix_proc_t added[2] = {process("in", PMIX_RANK_WILDCARD), process(me.nspace, 1)};
    struct infos none = {0};
    struct infos list = {0};

    if (me.rank != 1) {
        construct("in", inner, 2, &none, "A:2,A:0");
    }
    if (me.rank == 0) {
        add_list(&list, PMIX_GROUP_ADD_MEMBERS, added, 2);
        add_list(&list, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, added, 2);
    }
    about("GRP-005 GRP-016");
    construct("g", &me, me.rank == 0, &list, "A:2,A:0,A:1");
    about(NULL);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

/* The members in the directives of the leader's upcall. */
static void expect(const char *key, const char *want)
{
    const char *text = "(none)";

    for (int i = 0; i < upcalls(ON_GROUP, -1); i++) {
        const struct note *note = record_info(upcall(ON_GROUP, -1, i), key);

        text = note != NULL ? note->text : text;
    }
    same_for("GRP-005 GRP-058", want, text, "what the host is told");
}

static void told_of_processes(void)
{
    expect(PMIX_GROUP_ADD_MEMBERS, "A:2,A:0,A:1");
    expect(PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, "A:2,A:0,A:1");
}

/* A leader that asks for an order, and one that asks for another. */
static void two_orders(void)
{
    pmix_proc_t order[2] = {process(me.nspace, me.rank), process(me.nspace, 1 - me.rank)};
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    size_t leaders = 2;

    add(&list, PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    add_list(&list, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, order, 2);
    check_status_for("GRP-047", PMIX_ERR_BAD_PARAM,
                     PMIx_Group_construct("g", &me, 1, list.at, list.n, &results, &n),
                     "two orders");
    drop(&list, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER);
    if (me.rank == 1) {
        add_list(&list, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, order, 2);
    }
    construct("g", &me, 1, &list, "A:1,A:0");
}

/* ---- names */

static void taken(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_info_t *results = NULL;
    struct infos none = {0};
    size_t n = 0;

    check_status(PMIX_ERR_EXISTS, PMIx_Group_construct("A", &job, 1, NULL, 0, &results, &n),
                 "the name of a job");
    check_status(PMIX_SUCCESS, fence(&job, 1, NULL), "the job is what it was");
    construct("g", &job, 1, &none, "A:0,A:1,A:2");
    check_status(PMIX_ERR_EXISTS, PMIx_Group_construct("g", &job, 1, NULL, 0, &results, &n),
                 "the name of a group");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

/* Names that stand for nobody: an error of the call. */
static void nobody(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_proc_t gone = process("g", PMIX_RANK_WILDCARD);
    pmix_proc_t beyond = process("h", 3);
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    construct("g", &job, 1, &list, "A:0,A:1,A:2");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
    construct("h", &job, 1, &list, "A:0,A:1,A:2");
    check_status_for("GRP-099", PMIX_ERR_NOT_A_MEMBER, fence(&gone, 1, NULL),
                     "a group that is no more");
    check_status_for("GRP-099", PMIX_ERR_NOT_A_MEMBER,
                     PMIx_Group_construct("i", &gone, 1, NULL, 0, &results, &n),
                     "a group of a group that is no more");
    check_status_for("GRP-005", PMIX_ERR_NOT_FOUND, PMIx_Connect(&beyond, 1, NULL, 0),
                     "a rank beyond");
    add_list(&list, PMIX_GROUP_ADD_MEMBERS, &beyond, 1);
    check_status_for("GRP-005", PMIX_ERR_NOT_FOUND,
                     PMIx_Group_construct("i", &me, 1, list.at, list.n, &results, &n),
                     "a rank beyond is added");
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("h", NULL, 0), "destruct");
}

static void nothing_came(void)
{
    check(upcalls(ON_FENCE, -1) == 0 && upcalls(ON_CONNECT, -1) == 0,
          "the host is left alone with nobody: %d, %d", upcalls(ON_FENCE, -1),
          upcalls(ON_CONNECT, -1));
}

const struct conform_case cases[] = {
    {.ids = "GRP-016 GRP-057",
     .otherwise = "GRP-016",
     .what = "a wildcard among the added members",
     .ranks = 3,
     .spread = true,
     .host = {[ON_GROUP] = {MISSING}},
     .client = add_job,
     .seconds = 20},
    {.ids = "GRP-005 GRP-016 GRP-046",
     .otherwise = "GRP-016",
     .what = "a group among the added members, and in the order",
     .ranks = 3,
     .spread = true,
     .host = {[ON_GROUP] = {MISSING}},
     .client = add_group,
     .seconds = 20},
    {.ids = "GRP-005 GRP-016 GRP-058",
     .otherwise = "GRP-016",
     .what = "a host is told whom a group among the added members stands for",
     .ranks = 3,
     .spread = true,
     .client = add_group,
     .after = told_of_processes,
     .seconds = 20},
    {.ids = "GRP-046 GRP-047",
     .otherwise = "GRP-046",
     .what = "orders of leaders by themselves",
     .ranks = 2,
     .spread = true,
     .host = {[ON_GROUP] = {MISSING}},
     .client = two_orders,
     .seconds = 20},
    {.ids = "GRP-004",
     .what = "names that are taken",
     .ranks = 3,
     .spread = true,
     .client = taken,
     .seconds = 20},
    {.ids = "GRP-005 GRP-099",
     .what = "names that stand for nobody",
     .ranks = 3,
     .spread = true,
     .client = nobody,
     .after = nothing_came,
     .seconds = 20},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
