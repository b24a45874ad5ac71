/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A group's name in place of a namespace: PMIx_Get and PMIx_Fence. */

#include <stdio.h>
#include <string.h>

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"

/* Returns the members in the order of their ranks in the group, to be freed with PMIX_PROC_FREE. */
static pmix_proc_t *make_group(const char *name, pmix_proc_t *members, size_t n_members)
{
    pmix_proc_t *ranked;
    pmix_info_t *results = NULL;
    size_t n = 0;

    PMIX_PROC_CREATE(ranked, n_members);
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct(name, members, n_members, NULL, 0, &results, &n),
                 "construct");
    for (size_t i = 0; i < n; i++) {
        const pmix_data_array_t *array = results[i].value.data.darray;

        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP) &&
            check(array->size == n_members, "%zu members", array->size)) {
            memcpy(ranked, array->array, n_members * sizeof(*ranked));
        }
    }
    PMIX_INFO_FREE(results, n);
    return ranked;
}

static void read_members(const char *group, const pmix_proc_t *ranked, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[PMIX_MAX_NSLEN + 32];

        snprintf(text, sizeof(text), "of %s %u", ranked[i].nspace, ranked[i].rank);
        same_for("GET-002", text, got(group, (pmix_rank_t) i, "where", NULL, 0), "group rank %zu",
                 i);
    }
}

static void post(void)
{
    char text[PMIX_MAX_NSLEN + 32];

    snprintf(text, sizeof(text), "of %s %u", me.nspace, me.rank);
    put_text(PMIX_GLOBAL, "where", text);
    commit();
}

static void read_by_group_rank(void)
{
    pmix_proc_t members[] = {process("A", 1), process("B", 0), process("A", 0)};
    pmix_proc_t *ranked;

    post();
    ranked = make_group("crew", members, 3);
    read_members("crew", ranked, 3);
    for (pmix_rank_t i = 0; i < 3; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%u", ranked[i].rank);
        same_for("GET-002", text, got("crew", i, PMIX_LOCAL_RANK, NULL, 0), "a key of the host");
    }
    PMIX_PROC_FREE(ranked, 3);
    same_for("GET-012", "-46", got("crew", 3, "where", NULL, 0),
             "a rank that the group does not have");
    same_for("GET-012", "-46", got("crew", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
             "a group is no job");
    same_for("GET-012", "-46", got("band", 0, "where", NULL, 0), "no group");
    tell("read");
    await_n("read", 3);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("crew", NULL, 0), "destruct");
    same_for("GET-012", "-46", got("crew", 0, "where", NULL, 0), "a group that was taken apart");
}

/* Each time with other members. */
static void read_again(void)
{
    pmix_proc_t members[] = {process("A", 0), process("A", 1), process("A", 2)};
    size_t first = me.rank == 2 ? 1 : 0;
    size_t last = me.rank == 0 ? 1 : 2;

    post();
    for (size_t i = first; i < last; i++) {
        pmix_proc_t *ranked;

        if (i == 1) {
            await_n("undone", 2);
        }
        ranked = make_group("crew", &members[i], 2);
        read_members("crew", ranked, 2);
        PMIX_PROC_FREE(ranked, 2);
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("crew", NULL, 0), "destruct");
        tell("undone");
    }
}

/* Only the members, at two nodes; the others do not take part. */
static void fence_members(void)
{
    pmix_proc_t members[] = {process("A", 0), process("A", 3)};
    pmix_proc_t all = process("ends", PMIX_RANK_WILDCARD);
    pmix_proc_t each[] = {process("ends", 1), process("ends", 0)};
    pmix_proc_t none = process("ends", 2);
    pmix_proc_t *ranked;

    if (me.rank == 0 || me.rank == 3) {
        ranked = make_group("ends", members, 2);
        PMIX_PROC_FREE(ranked, 2);
        check_status_for("FEN-002", PMIX_SUCCESS, PMIx_Fence(&all, 1, NULL, 0),
                         "a fence of the group");
        check_status_for("FEN-002", PMIX_SUCCESS, PMIx_Fence(each, 2, NULL, 0),
                         "a fence of its ranks");
        check_status_for("FEN-002", PMIX_ERR_NOT_FOUND, PMIx_Fence(&none, 1, NULL, 0),
                         "a rank that it does not have");
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("ends", NULL, 0), "destruct");
    }
}

static void check_fences(void)
{
    check_for("FEN-004", upcalls(ON_FENCE, -1) == 4, "%d upcalls for two fences at two nodes",
              upcalls(ON_FENCE, -1));
    for (int i = 0; i < upcalls(ON_FENCE, -1); i++) {
        const struct record *r = upcall(ON_FENCE, -1, i);

        check_for("FEN-002", r->n_procs == 2 && record_names(r, "A", 0) && record_names(r, "A", 3),
                  "the host is told of processes");
    }
}

static void meet_with_empty_hands(void)
{
    pmix_proc_t members[] = {process(me.nspace, 0), process(me.nspace, 1)};
    pmix_proc_t *ranked = make_group("empty", members, 2);

    PMIX_PROC_FREE(ranked, 2);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("empty", NULL, 0), "destruct");
}

static void check_no_endpoints(void)
{
    check(upcalls(ON_GROUP, -1) > 0, "no host is asked");
    for (int i = 0; i < upcalls(ON_GROUP, -1); i++) {
        check(record_info(upcall(ON_GROUP, -1, i), PMIX_GROUP_ENDPT_DATA) == NULL,
              "upcall %d has data of nobody", i);
    }
}

const struct conform_case cases[] = {
    {.ids = "FEN-002 FEN-004",
     .what = "a fence names a group",
     .nodes = 2,
     .ranks = 2,
     .client = fence_members,
     .after = check_fences},
    {.ids = "GET-002 GET-012",
     .what = "a group and a rank in it name a process",
     .jobs = {{"A", {2}}, {"B", {1}}},
     .host = {[ON_MODEX] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     .client = read_by_group_rank,
     .ours_only = "PMIx_Get of the distribution's library does not know groups"},
    {.ids = "GET-002",
     .what = "another group of the same name",
     .spread = true,
     .ranks = 3,
     .client = read_again,
     .ours_only = "PMIx_Get of the distribution's library does not know groups"},
    {.ids = "FEN-012",
     .what = "members that have posted nothing bring no data to a group",
     .nodes = 2,
     .client = meet_with_empty_hands,
     .after = check_no_endpoints},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
