/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups of processes that do not know each other: leaders that come by themselves (a bootstrap),
 * and members that leaders add. On one node a server settles them if its host makes no groups; what
 * is between servers is the host's. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"

#include <stdio.h>
#include <string.h>

static const char everybody[] = "A:0,A:1,A:2,A:3";

static void contribute(struct infos *list)
{
    struct infos inner = {0};

    add_u32(&inner, "given", 100 + me.rank);
    add_array(list, PMIX_GROUP_INFO, &inner);
}

/* Both leaders add 2, rank 1 adds 3 as well. */
static void add_others(struct infos *list)
{
    pmix_proc_t others[2] = {process("A", 2), process("A", 3)};

    add_procs(list, PMIX_GROUP_ADD_MEMBERS, others, me.rank == 0 ? 1 : 2);
}

/* Ranks 0 and 1 lead and know each other; the others know the name of the group. */
static void come(struct infos *list)
{
    pmix_proc_t leaders[2] = {process("A", 0), process("A", 1)};

    contribute(list);
    if (me.rank < 2) {
        add_others(list);
    }
    begin_group("g", me.rank < 2 ? leaders : NULL, me.rank < 2 ? 2 : 0, list);
}

/* The same, where a leader knows that there are two and no more. */
static void come_alone(struct infos *list)
{
    size_t leaders = 2;

    contribute(list);
    if (me.rank < 2) {
        add_others(list);
        add(list, PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    }
    begin_group("g", me.rank < 2 ? &me : NULL, me.rank < 2, list);
}

/* The results of all; the order is that of the leaders' calls. */
static void check_made(const char *ids, const struct made *made)
{
    check_status_for(ids, PMIX_SUCCESS, made->status, "construct");
    same_for(ids, everybody, made->members, "the members");
    check_for(ids, made->n_lists == 1, "%d lists of members", made->n_lists);
}

static void check_given(void)
{
    for (pmix_rank_t rank = 0; rank < 4; rank++) {
        char want[16];

        snprintf(want, sizeof(want), "%u", 100 + rank);
        same_for("GRP-018", want, given(rank, "given", 0), "what %u has given", rank);
    }
}

/* ---- who is waited for */

/* The ranks come one behind the other, and each but the last finds nothing made. */
static void one_by_one(void (*how)(struct infos *list), const char *ids)
{
    struct infos list = {0};
    char step[32];

    if (me.rank > 0) {
        snprintf(step, sizeof(step), "%u waits", me.rank - 1);
        await(step);
    }
    about("GRP-021");
    how(&list);
    if (me.rank < 3) {
        check_for("GRP-021", !call_is_over(), "made, and %u has not come", me.rank + 1);
    }
    snprintf(step, sizeof(step), "%u waits", me.rank);
    tell(step);
    about(ids);
}

static void added(void)
{
    struct made made;

    one_by_one(come, "GRP-001 GRP-019");
    made = await_group();
    check_made("GRP-001 GRP-019 GRP-060", &made);
    check_for("GRP-018", made.n_given == 4, "%d contributions", made.n_given);
    check_given();
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

static void by_bootstrap(void)
{
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    struct made made;

    one_by_one(come_alone, "GRP-001 GRP-054");
    made = await_group();
    check_made("GRP-001 GRP-054 GRP-059", &made);
    check_for("GRP-059", made.n_given == 4, "%d contributions", made.n_given);
    for (pmix_rank_t rank = 0; rank < 4; rank++) {
        check_for("GRP-059", given(rank, "given", 0)[0] == '1', "what %u has given", rank);
    }
    check_status_for("GRP-062", PMIX_SUCCESS, fence(&all, 1, NULL), "a fence of the group");
    check_status_for("GRP-062", PMIX_SUCCESS, destruct("g"), "destruct");
    check_for("GRP-062", fence(&all, 1, NULL) != PMIX_SUCCESS, "the group is no more");
}

/* Two leaders, and nobody is added. */
static void leaders_only(void)
{
    size_t leaders = 2;
    struct infos list = {0};
    struct made made;

    if (me.rank == 1) {
        await("the first waits");
    }
    add(&list, PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    begin_group("g", &me, 1, &list);
    if (me.rank == 0) {
        check(!call_is_over(), "made of one of two leaders");
        tell("the first waits");
    }
    made = await_group();
    check_status(PMIX_SUCCESS, made.status, "construct");
    same("A:0,A:1", made.members, "the members");
}

/* ---- what the host is asked */

/* Those who are added come first, then one leader: of it the host hears with the other one. */
static void added_with_host(void)
{
    struct infos list = {0};
    struct made made;

    if (me.rank == 0) {
        about("GRP-020");
        await_upcalls(ON_GROUP, 2);
        about(NULL);
    } else if (me.rank == 1) {
        await("half of the leaders");
    }
    come(&list);
    if (me.rank == 0) {
        check_for("GRP-020", group_upcalls(-1, PMIX_GROUP_CONSTRUCT) == 2,
                  "those who are added count for a leader");
        tell("half of the leaders");
    }
    made = await_group();
    check_status(PMIX_SUCCESS, made.status, "construct");
    same(everybody, made.members, "the members");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

static void told_of_added(void)
{
    int n_leaders = 0;

    for (int i = 0; i < group_upcalls(-1, PMIX_GROUP_CONSTRUCT); i++) {
        const struct record *r = group_upcall(-1, PMIX_GROUP_CONSTRUCT, i);
        const struct note *others = record_info(r, PMIX_GROUP_ADD_MEMBERS);
        const struct note *who = record_info(r, PMIX_PROCID);

        if (r->n_procs > 0) {
            n_leaders++;
            check_for("GRP-017", others != NULL && strcmp(others->text, "A:2,A:3") == 0,
                      "who is added: %s", others != NULL ? others->text : "(none)");
        } else {
            check_for("GRP-020", who != NULL && strncmp(who->text, "A:", 2) == 0, "who has come");
        }
    }
    check_for("GRP-017", n_leaders == 1, "%d upcalls of leaders", n_leaders);
}

/* Each call is an upcall before the next one comes. */
static void bootstrap_with_host(void)
{
    struct infos list = {0};
    struct made made;
    char step[32];

    if (me.rank > 0) {
        snprintf(step, sizeof(step), "%u is there", me.rank - 1);
        await(step);
    }
    about("GRP-055");
    come_alone(&list);
    await_upcalls(ON_GROUP, (int) me.rank + 1);
    check(group_upcalls(-1, PMIX_GROUP_CONSTRUCT) == (int) me.rank + 1, "%d upcalls",
          group_upcalls(-1, PMIX_GROUP_CONSTRUCT));
    about(NULL);
    snprintf(step, sizeof(step), "%u is there", me.rank);
    tell(step);
    made = await_group();
    check_status(PMIX_SUCCESS, made.status, "construct");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* A leader names itself, and says how many there are. */
static void told_of_leaders(void)
{
    for (int rank = 0; rank < 4; rank++) {
        const struct record *r = group_upcall(-1, PMIX_GROUP_CONSTRUCT, rank);
        const struct note *n = record_info(r, PMIX_GROUP_BOOTSTRAP);

        check_for("GRP-054", (n != NULL && n->number == 2) == (rank < 2), "the number of leaders");
        check_for("GRP-054", r->n_procs == (rank < 2), "%zu processes", r->n_procs);
        check_for("GRP-054", rank > 1 || record_names(r, "A", (pmix_rank_t) rank), "a leader");
    }
}

/* ---- what is wrong */

static pmix_status_t construct(const char *key, const void *value, pmix_data_type_t type, size_t n)
{
    pmix_proc_t procs[2] = {me, process("A", 1 - me.rank)};
    struct infos list = {0};

    add(&list, key, value, type);
    return make_group("g", procs, n, &list).status;
}

static void wrong_numbers(void)
{
    size_t none = 0;
    size_t two = 2;

    check_status_for("GRP-061", PMIX_ERR_BAD_PARAM,
                     construct(PMIX_GROUP_BOOTSTRAP, &none, PMIX_SIZE, 1), "no leader");
    check_status_for("GRP-061", PMIX_ERR_BAD_PARAM,
                     construct(PMIX_GROUP_BOOTSTRAP, "two", PMIX_STRING, 1), "a text");
    check_status_for("GRP-063", PMIX_ERR_BAD_PARAM,
                     construct(PMIX_GROUP_BOOTSTRAP, &two, PMIX_SIZE, 2), "several processes");
}

/* One leader says two, and the other one three. */
static void disagree(void)
{
    size_t leaders = 2 + me.rank;

    check_status(PMIX_ERR_BAD_PARAM, construct(PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE, 1),
                 "rank %u", me.rank);
}

#define DEALT(ranks_, client_) .ranks = ranks_, .spread = true, .client = client_, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-001 GRP-018 GRP-019 GRP-021 GRP-060",
     .what = "leaders add members",
     DEALT(4, added),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-001 GRP-021 GRP-054 GRP-059 GRP-062",
     .what = "leaders by themselves add members",
     DEALT(4, by_bootstrap),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-021",
     .what = "leaders by themselves",
     DEALT(2, leaders_only),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-017 GRP-020",
     .otherwise = "GRP-020",
     .what = "a host is told of those who are added",
     DEALT(4, added_with_host),
     .after = told_of_added},
    {.ids = "GRP-054 GRP-055",
     .otherwise = "GRP-054",
     .what = "a host is told of each call",
     DEALT(4, bootstrap_with_host),
     .after = told_of_leaders},
    {.ids = "GRP-061 GRP-063", .what = "numbers of leaders that are none", DEALT(2, wrong_numbers)},
    {.ids = "GRP-061",
     .what = "leaders that do not agree how many they are",
     DEALT(2, disagree),
     .host = {[ON_GROUP] = {MISSING}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
