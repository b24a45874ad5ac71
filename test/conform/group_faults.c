/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Members that end before, while and after a group is made. The last rank of the job is the one
 * that does; the others all learn the same of it, and none waits for ever. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/groups.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char name[] = "crew";

static pmix_rank_t last_rank(void)
{
    return (pmix_rank_t) job_size(find_job("A")) - 1;
}

/* "A:0,A:1": all but the last. */
static const char *survivors(void)
{
    static char text[256];
    size_t n = 0;

    for (pmix_rank_t r = 0; r < last_rank(); r++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "%sA:%u", n > 0 ? "," : "", r);
    }
    return text;
}

/* Calls construct; the request is at the server when this returns. */
static void begin(const pmix_proc_t *procs, size_t n, const char *flag)
{
    struct infos list = {0};

    if (flag != NULL) {
        add_true(&list, flag);
    }
    begin_group(name, procs, n, &list);
}

static void begin_all(const char *flag)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    begin(&job, 1, flag);
}

/* ---- events */

/* One member has failed, and each event that says so names it. */
static void check_failed(const char *ids)
{
    char failed[32];
    int n = group_events("failed");

    snprintf(failed, sizeof(failed), "failed %u", last_rank());
    check_for(ids, n == 1, "%d events for one member", n);
    check_aside("GRP-088", group_events(failed) == n, "an event names another process");
}

/* ---- a destruct under way */

static void begin_destruct_with(const char *flag)
{
    struct infos list = {0};

    if (flag != NULL) {
        add_true(&list, flag);
    }
    check_status(PMIX_SUCCESS, PMIx_Group_destruct_nb(name, list.at, list.n, call_done, NULL),
                 "destruct");
    free_infos(&list);
    (void) call_is_over();
}

static void begin_destruct(void)
{
    begin_destruct_with(NULL);
}

/* ---- the one that ends */

/* (host) */
static void kill_last(void)
{
    await("kill it");
    rank_kill("A", last_rank(), SIGKILL);
    tell("killed");
}

/* The last rank stays until it is killed; true for it. `calls`: it takes part before. */
static bool is_victim(bool calls, const char *flag)
{
    if (me.rank != last_rank()) {
        return false;
    }
    if (calls) {
        begin_all(flag);
    }
    await_n("waits", (int) last_rank());
    tell("kill it");
    await("nobody says this");
    return true;
}

/* ---- what the survivors can do */

static void use_and_destruct(void)
{
    pmix_proc_t all = process(name, PMIX_RANK_WILDCARD);

    check_status(PMIX_SUCCESS, fence_seconds(&all, 1, 10), "a fence of the survivors");
    check_status(PMIX_SUCCESS, PMIx_Group_destruct(name, NULL, 0), "destruct");
}

static void make_again(void)
{
    pmix_proc_t left[32];
    struct made made;

    for (pmix_rank_t r = 0; r < last_rank(); r++) {
        left[r] = process(me.nspace, r);
    }
    begin(left, last_rank(), NULL);
    made = await_group();
    if (check_status(PMIX_SUCCESS, made.status, "a group of the survivors")) {
        same(survivors(), made.members, "its members");
        use_and_destruct();
    }
}

/* ---- construct */

static void lost_in_construct(bool calls)
{
    if (is_victim(calls, NULL)) {
        return;
    }
    begin_all(NULL);
    tell("waits");
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, await_call(), "construct");
    make_again();
}

static void aborts(void)
{
    lost_in_construct(false);
}

/* All have come, but for one that comes when the victim, which has come, has ended. */
static void aborts_after_its_call(void)
{
    if (me.rank == last_rank()) {
        begin_all(NULL);
        tell("kill it");
        await("nobody says this");
        return;
    }
    if (me.rank == last_rank() - 1) { /* of its node, whose server has seen the end by then */
        await_n("killed", n_nodes());
        check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind its end");
    }
    begin_all(NULL);
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, await_call(), "construct");
    make_again();
}

/* The host of its node is told that something is wrong there. */
static void failure_was_said(void)
{
    for (int i = 0; i < upcalls(ON_GROUP, n_nodes() - 1); i++) {
        const struct record *r = upcall(ON_GROUP, n_nodes() - 1, i);
        const struct note *status = record_info(r, PMIX_LOCAL_COLLECTIVE_STATUS);

        check_for("GRP-096", i > 0 || (status != NULL && status->number != PMIX_SUCCESS),
                  "the host is not told that a member has ended");
    }
    check_for("GRP-096", upcalls(ON_GROUP, n_nodes() - 1) > 0, "the host is not asked");
}

/* One of the survivors allows to go on. */
static void survives(void)
{
    const char *flag = me.rank == 0 ? PMIX_GROUP_FT_COLLECTIVE : NULL;
    struct made made;

    watch_group(name);
    if (is_victim(false, flag)) {
        return;
    }
    begin_all(the_case()->nodes > 1 ? PMIX_GROUP_FT_COLLECTIVE : flag);
    tell("waits");
    made = await_group();
    check_status_for("GRP-094", PMIX_SUCCESS, made.status, "construct");
    same_for("GRP-094", survivors(), made.members, "the members");
    about("GRP-088");
    await_group_event("failed", 1);
    about(NULL);
    use_and_destruct();
    check_failed("GRP-088");
}

static void is_optional(void)
{
    struct made made;

    watch_group(name);
    if (is_victim(false, PMIX_GROUP_OPTIONAL)) {
        return;
    }
    begin_all(PMIX_GROUP_OPTIONAL);
    tell("waits");
    made = await_group();
    check_status_for("GRP-093 GRP-108", PMIX_ERR_PARTIAL_SUCCESS, made.status, "construct");
    same_for("GRP-093", survivors(), made.members, "the members");
    use_and_destruct();
    check_for("GRP-093", group_events("failed") == 0, "no event: %d", group_events("failed"));
}

/* Rank 0 leads and adds the others, of which the last one ends before it has called. */
static void added_is_lost(const char *flag)
{
    pmix_proc_t added = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &added};
    struct infos list = {0};
    struct made made;

    if (is_victim(false, NULL)) {
        return;
    }
    if (me.rank == 0) {
        add(&list, PMIX_GROUP_ADD_MEMBERS, &array, PMIX_DATA_ARRAY);
        if (flag != NULL) {
            add_true(&list, flag);
        }
    }
    begin_group(name, &me, me.rank == 0, &list);
    tell("waits");
    made = await_group();
    check_status(flag != NULL ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT, made.status, "rank %u",
                 me.rank);
    if (flag != NULL) {
        same(survivors(), made.members, "the members");
        use_and_destruct();
    } else {
        tell("over"); /* the host answers each caller by itself: till then the name is in use */
        await_n("over", (int) last_rank());
        make_again();
    }
}

static void added_aborts(void)
{
    added_is_lost(NULL);
}

static void added_survives(void)
{
    added_is_lost(PMIX_GROUP_FT_COLLECTIVE);
}

/* ---- destruct, and the time between */

static void make(const char *flag)
{
    begin_all(flag);
    check_status(PMIX_SUCCESS, await_call(), "construct");
}

static void lost_in_destruct(void)
{
    make(NULL);
    if (is_victim(false, NULL)) {
        return;
    }
    begin_destruct();
    tell("waits");
    check_status(PMIX_ERR_LOST_CONNECTION, await_call(), "destruct");
    make_again();
}

/* The member of a node ends, and the others destruct the group: the next one of its name has
 * another member of that node. */
static void made_with_another(void)
{
    pmix_rank_t other = last_rank() - 1;
    pmix_proc_t first[32];
    size_t n = 0;

    for (pmix_rank_t r = 0; r <= last_rank(); r++) {
        first[n] = process(me.nspace, r);
        n += r != other;
    }
    if (me.rank != other) {
        begin(first, n, NULL);
        check_status(PMIX_SUCCESS, await_call(), "construct");
    }
    if (me.rank == last_rank()) {
        await_n("waits", (int) other);
        tell("kill it");
        await("nobody says this");
        return;
    }
    if (me.rank < other) {
        begin_destruct();
        tell("waits");
        check_status(PMIX_ERR_LOST_CONNECTION, await_call(), "destruct");
        tell("destructed");
    }
    await_n("destructed", (int) other);
    make_again();
}

/* Asked for at the construct or at the destruct. */
static void destruct_announces(const char *at_construct, const char *at_destruct)
{
    watch_group(name);
    make(at_construct);
    if (is_victim(false, NULL)) {
        return;
    }
    begin_destruct_with(at_destruct);
    tell("waits");
    check_status_for("GRP-100", PMIX_SUCCESS, await_call(), "destruct");
    about("GRP-105");
    await_group_event("failed", 1);
    about(NULL);
    make_again();
    check_for("GRP-105", group_events("left") == 0, "who ends does not leave");
    check_failed("GRP-100");
}

static void announced_in_destruct(void)
{
    destruct_announces(PMIX_GROUP_NOTIFY_TERMINATION, NULL);
}

static void announced_by_destruct(void)
{
    destruct_announces(NULL, PMIX_GROUP_NOTIFY_TERMINATION);
}

static void announced(void)
{
    char update[280];

    watch_group(name);
    make(PMIX_GROUP_NOTIFY_TERMINATION);
    if (is_victim(false, NULL)) {
        return;
    }
    tell("waits");
    about("GRP-087 GRP-105");
    await_group_event("failed", 1);
    about("GRP-104");
    await_group_event("update", 1);
    about(NULL);
    about("GRP-100");
    use_and_destruct();
    about(NULL);
    check_failed("GRP-087");
    snprintf(update, sizeof(update), "update %s", survivors());
    check_for("GRP-104", group_events("update") == 1, "%d updates", group_events("update"));
    check_for("GRP-104", group_events(update) == 1, "who is left is not %s", survivors());
    check_for("GRP-105", group_events("left") == 0, "who ends does not leave");
}

static void not_announced(void)
{
    watch_group(name);
    make(NULL);
    if (is_victim(false, NULL)) {
        return;
    }
    tell("waits");
    check_status_for("GRP-100", PMIX_ERR_LOST_CONNECTION, PMIx_Group_destruct(name, NULL, 0),
                     "destruct");
    make_again();
    check_for("GRP-087", group_events("failed") + group_events("update") == 0,
              "nobody has asked to be told");
}

#define PLAYED(ranks_, nodes_, client_)                                                            \
    .ranks = ranks_, .nodes = nodes_, .client = client_, .script = kill_last, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-086",
     .what = "a member that ends aborts a construct",
     .spread = true,
     PLAYED(3, 1, aborts)},
    {.ids = "GRP-086",
     .what = "a member that ends aborts a construct on two nodes",
     PLAYED(2, 2, aborts)},
    {.ids = "GRP-086",
     .what = "a member that ends aborts a construct on three nodes",
     PLAYED(2, 3, aborts)},
    /* The member has a neighbour that has not called: else its part is at the host already. */
    {.ids = "GRP-086",
     .what = "a member that ends after its call",
     PLAYED(3, 1, aborts_after_its_call)},
    {.ids = "GRP-086 GRP-096",
     .otherwise = "GRP-086",
     .what = "a member on two nodes that ends after its call",
     PLAYED(2, 2, aborts_after_its_call),
     .after = failure_was_said},
    {.ids = "GRP-086 GRP-096",
     .otherwise = "GRP-086",
     .what = "a member on three nodes that ends after its call",
     PLAYED(2, 3, aborts_after_its_call),
     .after = failure_was_said},
    {.ids = "GRP-088 GRP-094",
     .what = "a construct that survives",
     .spread = true,
     PLAYED(3, 1, survives)},
    {.ids = "GRP-088 GRP-094",
     .what = "a construct that survives, on two nodes",
     PLAYED(2, 2, survives)},
    {.ids = "GRP-088 GRP-094",
     .what = "a construct that survives, on three nodes",
     PLAYED(2, 3, survives)},
    {.ids = "GRP-093 GRP-108",
     .what = "members that are optional",
     .spread = true,
     PLAYED(3, 1, is_optional)},
    {.ids = "GRP-093 GRP-108",
     .what = "members that are optional, on two nodes",
     PLAYED(2, 2, is_optional)},
    {.ids = "GRP-086",
     .what = "an added member that ends",
     .spread = true,
     PLAYED(3, 1, added_aborts),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-094",
     .what = "an added member that ends where the others survive",
     .spread = true,
     PLAYED(3, 1, added_survives),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-100",
     .what = "a member that ends before a destruct",
     .spread = true,
     PLAYED(3, 1, lost_in_destruct)},
    {.ids = "GRP-100",
     .what = "a member that ends before a destruct on two nodes",
     PLAYED(2, 2, lost_in_destruct)},
    {.ids = "GRP-099",
     .what = "the name of a group that others have destructed",
     .spread = true,
     PLAYED(4, 1, made_with_another)},
    {.ids = "GRP-100 GRP-105",
     .what = "its end is announced in place of an error",
     .spread = true,
     PLAYED(3, 1, announced_in_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "its end is announced in place of an error, on two nodes",
     PLAYED(2, 2, announced_in_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "its end is announced in place of an error, on three nodes",
     PLAYED(2, 3, announced_in_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "it is the destruct that wants it to be announced",
     .spread = true,
     PLAYED(3, 1, announced_by_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "it is the destruct that wants it to be announced, on two nodes",
     PLAYED(2, 2, announced_by_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "it is the destruct that wants it to be announced, on three nodes",
     PLAYED(2, 3, announced_by_destruct)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced",
     .spread = true,
     PLAYED(3, 1, announced)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced on two nodes",
     PLAYED(2, 2, announced)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced on three nodes",
     PLAYED(2, 3, announced)},
    {.ids = "GRP-087 GRP-100",
     .what = "a member's end that nobody wants to hear of",
     .spread = true,
     PLAYED(3, 1, not_announced)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
