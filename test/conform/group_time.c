/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Time limits of a group's construction: the shortest counts until the host has the operation, and
 * from then on the host decides. A case that would wait for a longer limit does not end in time. */

#include "lib/calls.h"
#include "lib/groups.h"

#include <stdio.h>

static void begin(const pmix_proc_t *procs, size_t leaders, int seconds)
{
    struct infos list = {0};

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    if (leaders > 0) {
        add(&list, PMIX_GROUP_BOOTSTRAP, &leaders, PMIX_SIZE);
    }
    begin_group("g", procs, 1, &list);
}

/* On each node the first caller has the longest limit, and the last rank does not come. */
static void shortest(void)
{
    static const int limits[] = {600, 1, 300};
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_rank_t here = me.rank % 4;
    char in[16];

    snprintf(in, sizeof(in), "in at %d", node());
    tell("up");
    await_n("up", 4 * n_nodes()); /* no limit runs while another process starts */
    if (here == 3) {
        await_n("over", 3 * n_nodes());
        return;
    }
    await_n(in, (int) here);
    begin(&job, 0, limits[here]);
    tell(in);
    check_status_for("GRP-022 GRP-024", PMIX_ERR_TIMEOUT, await_call(), "rank %u", me.rank);
    tell("over");
}

/* Waits three seconds in a get for a key that no process posts, then for the other rank: if that
 * one ended first, this get would end with PMIX_ERR_NOT_FOUND. */
static void let_time_pass(void)
{
    pmix_proc_t job = process(me.nspace, 1 - me.rank);
    pmix_value_t *value = NULL;
    struct infos list = {0};
    int seconds = 3;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    check_status(PMIX_ERR_TIMEOUT, PMIx_Get(&job, "nobody.posts.this", list.at, list.n, &value),
                 "time");
    free_infos(&list);
    tell("time has passed");
    await_n("time has passed", 2);
}

static void handed_over(size_t leaders)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    begin(leaders > 0 ? &me : &job, leaders, me.rank == 0 ? 2 : 1);
    tell("in");
    await_n("in", 2);
    let_time_pass();
    tell("the host may answer");
    check_status(PMIX_SUCCESS, await_call(), "what the host says, and when it does");
}

static void together(void)
{
    handed_over(0);
}

static void by_themselves(void)
{
    handed_over(2);
}

/* ---- nothing ends a second late: what is begun with a limit of two seconds, at the same moment
 * before, ends behind what has one second, whatever kind it is of, and whoever keeps its time */

enum { KINDS = 5, ENDS = 2 * KINDS };

static struct {
    const char *kind;
    int seconds;
} ended[ENDS]; /* in the order in which they have; the progress thread's */
static int n_ended;

struct call {
    const char *kind;
    int seconds;
};

static void note_end(const struct call *call)
{
    if (n_ended < ENDS) {
        ended[n_ended].kind = call->kind;
        ended[n_ended++].seconds = call->seconds;
    }
    tell("one ends");
}

static void status_came(pmix_status_t status, void *cbdata)
{
    const struct call *call = cbdata;

    check(status == PMIX_ERR_TIMEOUT, "the %s of %d s: %s", call->kind, call->seconds,
          PMIx_Error_string(status));
    note_end(call);
}

static void infos_came(pmix_status_t status, pmix_info_t *info, size_t ninfo, void *cbdata,
                       pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) info;
    (void) ninfo;
    check(status < 0, "nobody else has called");
    if (release != NULL) {
        release(release_cbdata);
    }
    note_end(cbdata);
}

static void value_came(pmix_status_t status, pmix_value_t *value, void *cbdata)
{
    (void) value;
    status_came(status, cbdata);
}

static const char *numbered(const char *what, int seconds)
{
    static char text[16];

    snprintf(text, sizeof(text), "%s%d", what, seconds);
    return text;
}

static void begin_one(const struct call *call)
{
    pmix_proc_t both[2] = {process(me.nspace, 0), process(me.nspace, 1)};
    void *arg = (void *) call;
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_TIMEOUT, &call->seconds, PMIX_INT);
    switch (call->kind[0]) {
    case 'g':
        rc = PMIx_Get_nb(&both[1], "nobody.posts.this", list.at, list.n, value_came, arg);
        break;
    case 'f':
        rc = PMIx_Fence_nb(both, 2, list.at, list.n, status_came, arg);
        break;
    case 'c':
        rc = PMIx_Group_construct_nb(numbered("c", call->seconds), both, 2, list.at, list.n,
                                     infos_came, arg);
        break;
    case 'd':
        rc =
            PMIx_Group_destruct_nb(numbered("d", call->seconds), list.at, list.n, status_came, arg);
        break;
    default:
        rc = PMIx_Group_invite_nb(numbered("i", call->seconds), both, 2, list.at, list.n,
                                  infos_came, arg);
    }
    check_status(PMIX_SUCCESS, rc, "%s", call->kind);
    free_infos(&list);
}

static void in_order(void)
{
    static const char *const kinds[KINDS] = {"get", "fence", "construct", "destruct", "invite"};
    static struct call calls[ENDS];
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    for (int seconds = 1; seconds <= 2; seconds++) {
        begin_group(numbered("d", seconds), &job, 1, NULL);
        check_status(PMIX_SUCCESS, await_call(), "construct");
    }
    if (me.rank == 1) {
        await_n("one ends", ENDS);
        return;
    }
    for (int i = 0; i < ENDS; i++) {
        calls[i] = (struct call){kinds[i % KINDS], i < KINDS ? 2 : 1};
        begin_one(&calls[i]);
    }
    await_n("one ends", ENDS);
    for (int i = 0; i < ENDS; i++) {
        check_for(strcmp(ended[i].kind, "invite") == 0 ? "GRP-082" : "GRP-022",
                  ended[i].seconds == (i < KINDS ? 1 : 2), "number %d that ends is the %s of %d s",
                  i, ended[i].kind, ended[i].seconds);
    }
}

/* The one upcall of a node has the shortest limit of its members: two seconds of the first rank by
 * itself, one of all others. */
static void told_shortest(void)
{
    for (int node = 0; node < n_nodes(); node++) {
        const struct record *r = upcall(ON_GROUP, node, 0);
        const struct note *limit = r != NULL ? record_info(r, PMIX_TIMEOUT) : NULL;
        int want = node == 0 && n_nodes() > 1 ? 2 : 1;

        check_for("GRP-024", r == NULL || (limit != NULL && limit->number == want),
                  "the limit that the host is told");
    }
    check_for("GRP-024", upcalls(ON_GROUP, -1) > 0, "the host is asked");
}

/* The host answers each when both have come and time has passed; the group is both. */
static void answer_now(struct upcall *ask)
{
    pmix_proc_t members[2] = {process("A", 0), process("A", 1)};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = members};
    struct infos list = {0};

    add(&list, PMIX_GROUP_MEMBERSHIP, &array, PMIX_DATA_ARRAY);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
}

static pmix_status_t answer_late(struct upcall *ask)
{
    return later(ask, "the host may answer", answer_now);
}

/* The host is asked also about a group of this node. */
static void wants_id(void)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);
    struct infos list = {0};
    int seconds = me.rank == 0 ? 2 : 1;

    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
    tell("up");
    await_n("up", 2);
    begin_group("g", &job, 1, &list);
    tell("in");
    await_n("in", 2);
    let_time_pass();
    tell("the host may answer");
    check_status_for("GRP-023", PMIX_SUCCESS, await_call(), "what the host says, and when it does");
}

const struct conform_case cases[] = {
    {.ids = "GRP-022 GRP-024",
     .what = "the shortest limit of the members counts",
     .ranks = 4,
     .client = shortest,
     .seconds = 30},
    {.ids = "GRP-022 GRP-024",
     .what = "the shortest limit of the members of a node counts, on two nodes",
     .nodes = 2,
     .ranks = 4,
     .client = shortest,
     .seconds = 30},
    {.ids = "GRP-022 GRP-024",
     .what = "the shortest limit of the members of a node counts, on three nodes",
     .nodes = 3,
     .ranks = 4,
     .client = shortest,
     .seconds = 30},
    {.ids = "GRP-023 GRP-024",
     .what = "the host's answer comes after the limit",
     .ranks = 2,
     .spread = true,
     .host = {[ON_GROUP] = {OWN, .own = answer_late}},
     .client = wants_id,
     .after = told_shortest,
     .seconds = 30},
    {.ids = "GRP-023",
     .what = "the host's answer comes after the limit, on two nodes",
     .nodes = 2,
     .host = {[ON_GROUP] = {OWN, .own = answer_late}},
     .client = together,
     .seconds = 30},
    {.ids = "GRP-022 GRP-082",
     .otherwise = "GRP-022",
     .what = "nothing ends a second late",
     .ranks = 2,
     .spread = true,
     .client = in_order,
     .seconds = 30},
    {.ids = "GRP-056",
     .what = "the host's answer to leaders by themselves comes after the limit",
     .ranks = 2,
     .spread = true,
     .host = {[ON_GROUP] = {OWN, .own = answer_late}},
     .client = by_themselves,
     .seconds = 30},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
