/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups that processes construct which know each other: when a construct ends, what its members
 * are told, and what their hosts are asked. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

static pmix_rank_t last_rank(void)
{
    return (pmix_rank_t) job_size(find_job("A")) - 1;
}

/* All have heard the same. */
static void same_for_all(const char *ids, const char *what, const char *text)
{
    char step[320];

    snprintf(step, sizeof(step), "%s %s", what, text);
    tell(step);
    fence_all(NULL);
    check_for(ids, told(step) == job_size(find_job("A")), "%d heard '%s'", told(step), step);
}

/* ---- all come */

/* Each lists the leaders in its own order, and the last one comes when the others wait. */
static void all_come(void)
{
    static const char everybody[] = "A:0,A:1,A:2,A:3,A:4,A:5";
    pmix_proc_t procs[MOST];
    size_t n = all_from(me.rank, procs);
    struct made made;

    if (me.rank == last_rank()) {
        await_n("waits", (int) last_rank());
    }
    about("GRP-009 GRP-010");
    begin_group("g", procs, n, NULL);
    if (me.rank != last_rank()) {
        check_for("GRP-009", !call_is_over(), "over before the last one came");
        tell("waits");
    }
    made = await_group();
    about(NULL);
    check_status_for("GRP-009 GRP-010", PMIX_SUCCESS, made.status, "construct");
    check_for("GRP-041", made.n_lists == 1, "%d lists of members", made.n_lists);
    check_for("GRP-041",
              strlen(made.members) == n * 4 - 1 &&
                  strncmp(made.members, everybody, strlen(made.members)) == 0,
              "the members are %s", made.members);
    same_for_all("GRP-048", "members", made.members);
    check_for("GRP-040", made.n_ids == 0, "a context id for nobody");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* A host is asked once for each node of several, and not at all for one. */
static void count_upcalls(void)
{
    for (int node = 0; n_nodes() > 1 && node < n_nodes(); node++) {
        check_for("GRP-015", group_upcalls(node, PMIX_GROUP_CONSTRUCT) == 1,
                  "%d constructs on node %d", group_upcalls(node, PMIX_GROUP_CONSTRUCT), node);
        check_for("GRP-098", group_upcalls(node, PMIX_GROUP_DESTRUCT) == 1,
                  "%d destructs on node %d", group_upcalls(node, PMIX_GROUP_DESTRUCT), node);
    }
    check_for("GRP-098", n_nodes() > 1 || group_upcalls(-1, PMIX_GROUP_DESTRUCT) == 0,
              "the host is asked about the end of a group of its node");
    if (n_nodes() == 1) {
        check_for("GRP-031", upcalls(ON_GROUP, -1) == 0, "the host is asked %d times",
                  upcalls(ON_GROUP, -1));
    }
}

/* Blocking calls of some meet those of others that are not. */
static void mixed(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct made made;

    if (me.rank % 2 == 0) {
        begin_group("g", procs, n, NULL);
        made = await_group();
    } else {
        made = make_group("g", procs, n, NULL);
    }
    check_status(PMIX_SUCCESS, made.status, "construct");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* Wildcards of two jobs; one process names some of them singly. */
static void wildcards(void)
{
    pmix_proc_t jobs[2] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};
    pmix_proc_t single[4] = {process("A", 0), process("A", 1), process("A", 2), jobs[1]};
    bool names = strcmp(me.nspace, "A") == 0 && me.rank == 1;
    struct made made = make_group("g", names ? single : jobs, names ? 4 : 2, NULL);

    check_status(PMIX_SUCCESS, made.status, "construct");
    same("A:0,A:1,A:2,B:0,B:1", made.members, "the members");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* ---- several at once */

/* Two groups, which the odd ranks begin in the other order. */
static void two_in_flight(void)
{
    const char *first = me.rank % 2 == 0 ? "g" : "h";
    const char *second = me.rank % 2 == 0 ? "h" : "g";
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct made made;

    begin_group(first, procs, n, NULL);
    tell("one waits");
    await_n("one waits", (int) n);
    check(!call_is_over(), "%s is made of half of its members", first);
    tell("not made");
    await_n("not made", (int) n);
    made = make_group(second, procs, n, NULL);
    check_status(PMIX_SUCCESS, made.status, "%s", second);
    made = await_group();
    check_status(PMIX_SUCCESS, made.status, "%s", first);
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
    check_status(PMIX_SUCCESS, destruct("h"), "destruct");
}

/* A fence of the same processes meets the others' fence, not their construct. */
static void beside_a_fence(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct made made;

    if (me.rank % 2 == 0) {
        begin_group("g", procs, n, NULL);
        tell("constructs");
        check_status(PMIX_SUCCESS, fence(procs, n, NULL), "the fence");
        check(!call_is_over(), "a fence came in place of a construct");
        tell("fenced");
        made = await_group();
    } else {
        await("constructs");
        check_status(PMIX_SUCCESS, fence(procs, n, NULL), "the fence");
        await_n("fenced", (int) (n + 1) / 2);
        made = make_group("g", procs, n, NULL);
    }
    check_status(PMIX_SUCCESS, made.status, "construct");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* ---- names */

static void names(void)
{
    char longest[PMIX_MAX_NSLEN + 2];
    struct made made;

    memset(longest, 'g', sizeof(longest));
    longest[PMIX_MAX_NSLEN] = '\0';
    made = make_group(longest, &me, 1, NULL);
    check_status(PMIX_SUCCESS, made.status, "the longest name");
    check_status(PMIX_SUCCESS, destruct(longest), "its end");
    longest[PMIX_MAX_NSLEN] = 'g';
    longest[PMIX_MAX_NSLEN + 1] = '\0';
    made = make_group(longest, &me, 1, NULL);
    check_status(PMIX_ERR_BAD_PARAM, made.status, "a longer name");
    check_status(PMIX_ERR_BAD_PARAM, destruct(longest), "its end");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Group_leave(longest, NULL, 0), "to leave it");
    made = make_group(NULL, &me, 1, NULL);
    check_status(PMIX_ERR_BAD_PARAM, made.status, "no name");
    check_status(PMIX_ERR_BAD_PARAM, destruct(NULL), "its end");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Group_leave(NULL, NULL, 0), "to leave it");
}

/* {group, wildcard} and {group, rank} among processes; rank 1 does not know the group. */
static void mixed_names(void)
{
    pmix_proc_t pair[2] = {process("A", 2), process("A", 0)};
    pmix_proc_t named[2] = {process("A", 1), process("g", PMIX_RANK_WILDCARD)};
    pmix_proc_t singly[3] = {process("A", 1), process("A", 2), process("A", 0)};
    pmix_proc_t second[2] = {process("A", 1), process("g", 1)};
    struct made made;

    if (me.rank != 1) {
        made = make_group("g", pair, 2, NULL);
        same("A:2,A:0", made.members, "the members of the group");
        made = make_group("h", named, 2, NULL);
    } else {
        made = make_group("h", singly, 3, NULL);
    }
    check_status(PMIX_SUCCESS, made.status, "a group of a process and a group");
    same("A:1,A:2,A:0", made.members, "its members");
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, fence(second, 2, NULL), "a fence of a process and a rank");
    } else if (me.rank == 1) {
        check_status(PMIX_SUCCESS, fence((pmix_proc_t[]){singly[0], singly[2]}, 2, NULL),
                     "the same by name");
    }
    fence_all(NULL);
    check_status(PMIX_SUCCESS, destruct("h"), "destruct");
}

static void unknown_groups(void)
{
    pmix_proc_t others[2] = {process("A", 1), process("A", 2)};
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    struct made made;

    check(destruct("nothing") != PMIX_SUCCESS, "a group that nobody has made");
    if (me.rank > 0) {
        made = make_group("g", others, 2, NULL);
        check_status(PMIX_SUCCESS, made.status, "construct");
        tell("made");
        await("tried");
        check_status(PMIX_SUCCESS, fence(&all, 1, NULL), "the group is there");
        check_status(PMIX_SUCCESS, destruct("g"), "destruct");
    } else {
        await_n("made", 2);
        check(destruct("g") != PMIX_SUCCESS, "a group of others");
        tell("tried");
    }
}

/* Who has begun to construct a group cannot leave it yet. */
static void leave_too_early(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct made made;

    if (me.rank == 0) {
        begin_group("g", procs, n, NULL);
        check(PMIx_Group_leave("g", NULL, 0) != PMIX_SUCCESS, "left before it was made");
        check(!call_is_over(), "made before all have come");
        tell("tried");
        made = await_group();
    } else {
        await("tried");
        made = make_group("g", procs, n, NULL);
    }
    check_status(PMIX_SUCCESS, made.status, "construct");
    check(made.n_lists == 1 && strlen(made.members) == n * 4 - 1, "the members are %s",
          made.members);
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* ---- the host */

/* Members of other nodes, and no host: every node is by itself. */
static void only_local(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct infos list = {0};
    struct made made;

    add_true(&list, PMIX_GROUP_LOCAL_ONLY);
    made = make_group("g", procs, n, &list);
    check_status(PMIX_SUCCESS, made.status, "construct");
    tell("made");
    await_n("made", (int) n);
}

static void no_construct(void)
{
    check(group_upcalls(-1, PMIX_GROUP_CONSTRUCT) == 0, "the host is asked");
}

static void needs_host(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    struct infos list = {0};
    struct made made;

    if (n_nodes() == 1) {
        add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    }
    made = make_group("g", procs, n, &list);
    check_status(PMIX_ERR_NOT_SUPPORTED, made.status, "construct");
    check(made.n_lists + made.n_ids == 0, "results of nothing");
}

static pmix_status_t refuse_once(struct upcall *ask)
{
    char step[32];

    snprintf(step, sizeof(step), "refused at %d", node());
    if (told(step) > 0) {
        return sound_answer(ask);
    }
    tell(step);
    if (node() > 0) { /* by the callback */
        reply_status(ask, PMIX_ERR_NO_PERMISSIONS);
        return PMIX_SUCCESS;
    }
    return PMIX_ERR_NO_PERMISSIONS;
}

static void refused(void)
{
    pmix_proc_t procs[MOST];
    size_t n = all_from(0, procs);
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    struct made made = make_group("g", procs, n, NULL);

    check_status(PMIX_ERR_NO_PERMISSIONS, made.status, "construct");
    check(made.n_lists + made.n_ids == 0, "results of nothing");
    check(fence(&all, 1, NULL) != PMIX_SUCCESS, "half of a group is left");
    fence_all(NULL);
    made = make_group("g", procs, n, NULL);
    check_status(PMIX_SUCCESS, made.status, "construct again");
    check_status(PMIX_SUCCESS, fence(&all, 1, NULL), "the group is there");
    check_status(PMIX_SUCCESS, destruct("g"), "destruct");
}

/* ---- constants */

static void numbers(void)
{
    static const struct {
        int want;
        int is;
    } list[] = {
        {-159, PMIX_GROUP_INVITED},
        {-160, PMIX_GROUP_LEFT},
        {-161, PMIX_GROUP_INVITE_ACCEPTED},
        {-162, PMIX_GROUP_INVITE_DECLINED},
        {-163, PMIX_GROUP_INVITE_FAILED},
        {-164, PMIX_GROUP_MEMBERSHIP_UPDATE},
        {-165, PMIX_GROUP_CONSTRUCT_ABORT},
        {-166, PMIX_GROUP_CONSTRUCT_COMPLETE},
        {-167, PMIX_GROUP_LEADER_SELECTED},
        {-168, PMIX_GROUP_LEADER_FAILED},
        {-169, PMIX_GROUP_CONTEXT_ID_ASSIGNED},
        {-170, PMIX_GROUP_MEMBER_FAILED},
        {0, PMIX_GROUP_CONSTRUCT},
        {1, PMIX_GROUP_DESTRUCT},
    };

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        check(list[i].want == list[i].is, "%d is %d", list[i].want, list[i].is);
    }
}

/* Those of each node make a group of their own. */
static void of_one_node(void)
{
    pmix_rank_t first = me.rank - me.rank % 2;
    pmix_proc_t here[2] = {process(me.nspace, first), process(me.nspace, first + 1)};
    char want[32];
    struct made made = make_group("here", here, 2, NULL);

    snprintf(want, sizeof(want), "A:%u,A:%u", first, first + 1);
    check_status(PMIX_SUCCESS, made.status, "construct");
    same(want, made.members, "the members");
    check_status(PMIX_SUCCESS, destruct("here"), "destruct");
}

static void nobody_was_asked(void)
{
    check_for("GRP-031", upcalls(ON_GROUP, -1) == 0, "hosts are asked %d times",
              upcalls(ON_GROUP, -1));
}

#define ON_NODES(n_, ranks_, client_) .nodes = n_, .ranks = ranks_, .client = client_, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-009 GRP-010 GRP-031 GRP-040 GRP-041 GRP-048 GRP-098",
     .what = "all leaders come, on one node",
     ON_NODES(1, 4, all_come),
     .after = count_upcalls},
    {.ids = "GRP-009 GRP-010 GRP-015 GRP-040 GRP-041 GRP-048 GRP-098",
     .what = "all leaders come, on two nodes",
     ON_NODES(2, 2, all_come),
     .after = count_upcalls},
    {.ids = "GRP-009 GRP-010 GRP-015 GRP-040 GRP-041 GRP-048 GRP-098",
     .what = "all leaders come, on three nodes",
     ON_NODES(3, 2, all_come),
     .after = count_upcalls},
    {.ids = "GRP-107",
     .what = "calls that block and calls that do not",
     .spread = true,
     ON_NODES(1, 4, mixed)},
    {.ids = "GRP-107",
     .what = "calls that block and calls that do not, on two nodes",
     ON_NODES(2, 2, mixed)},
    {.ids = "GRP-011",
     .what = "wildcards of two jobs",
     .jobs = {{"A", {3}}, {"B", {2}}},
     ON_NODES(1, 0, wildcards)},
    {.ids = "GRP-011",
     .what = "wildcards of two jobs, on two nodes",
     .jobs = {{"A", {2, 1}}, {"B", {1, 1}}},
     ON_NODES(2, 0, wildcards)},
    {.ids = "GRP-011",
     .what = "wildcards of two jobs, on three nodes",
     .jobs = {{"A", {2, 1}}, {"B", {0, 1, 1}}},
     ON_NODES(3, 0, wildcards)},
    {.ids = "GRP-003",
     .what = "two constructs at once",
     .spread = true,
     ON_NODES(1, 4, two_in_flight)},
    {.ids = "GRP-003",
     .what = "two constructs at once, on two nodes",
     ON_NODES(2, 2, two_in_flight)},
    {.ids = "GRP-036",
     .what = "a construct and a fence",
     .spread = true,
     ON_NODES(1, 4, beside_a_fence)},
    {.ids = "GRP-036",
     .what = "a construct and a fence, on two nodes",
     ON_NODES(2, 2, beside_a_fence)},
    /* On one node: the library of the caller refuses. */
    {.ids = "GRP-002", .what = "names of groups", ON_NODES(1, 1, names)},
    {.ids = "GRP-008",
     .what = "a group among processes",
     .spread = true,
     ON_NODES(1, 3, mixed_names)},
    {.ids = "GRP-101",
     .what = "the end of another's group",
     .spread = true,
     ON_NODES(1, 3, unknown_groups)},
    {.ids = "GRP-095",
     .what = "to leave what is not made",
     .spread = true,
     ON_NODES(1, 3, leave_too_early)},
    {.ids = "GRP-095",
     .what = "to leave what is not made, on two nodes",
     ON_NODES(2, 2, leave_too_early)},
    {.ids = "GRP-033",
     .what = "the caller says that all is local",
     ON_NODES(2, 2, only_local),
     .after = no_construct},
    {.ids = "GRP-033",
     .what = "the caller says that all is local, on three nodes",
     ON_NODES(3, 2, only_local),
     .after = no_construct},
    {.ids = "GRP-034",
     .what = "a context id, and a host that makes no groups",
     ON_NODES(1, 2, needs_host),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-034",
     .what = "two nodes, and a host that makes no groups",
     ON_NODES(2, 2, needs_host),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-034",
     .what = "three nodes, and a host that makes no groups",
     ON_NODES(3, 1, needs_host),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-035",
     .what = "a host that refuses",
     ON_NODES(2, 2, refused),
     .host = {[ON_GROUP] = {OWN, .own = refuse_once}}},
    {.ids = "GRP-035",
     .what = "a host that refuses, on three nodes",
     ON_NODES(3, 1, refused),
     .host = {[ON_GROUP] = {OWN, .own = refuse_once}}},
    {.ids = "GRP-031",
     .what = "groups within the nodes, of two",
     ON_NODES(2, 2, of_one_node),
     .after = nobody_was_asked},
    {.ids = "GRP-031",
     .what = "groups within the nodes, of three",
     ON_NODES(3, 2, of_one_node),
     .after = nobody_was_asked},
    /* On one node: constants. */
    {.ids = "GRP-109", .what = "events and operations of groups", .client = numbers},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
