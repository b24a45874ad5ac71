/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Members that end before, while and after a group is made. The last rank of the job is the one
 * that does; the others all learn the same of it, and none waits for ever. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <pthread.h>
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

/* ---- a construct under way */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
    pmix_status_t status;
    char members[256];
} op = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void constructed(pmix_status_t status, pmix_info_t *info, size_t n, void *cbdata,
                        pmix_release_cbfunc_t release, void *release_cbdata)
{
    (void) cbdata;
    pthread_mutex_lock(&op.lock);
    op.members[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            snprintf(op.members, sizeof(op.members), "%s", text_of(&info[i].value));
        }
    }
    op.over = true;
    op.status = status;
    pthread_cond_signal(&op.ended);
    pthread_mutex_unlock(&op.lock);
    if (release != NULL) {
        release(release_cbdata);
    }
}

static void destructed(pmix_status_t status, void *cbdata)
{
    constructed(status, NULL, 0, cbdata, NULL, NULL);
}

static pmix_status_t wait_over(void)
{
    pmix_status_t status;

    pthread_mutex_lock(&op.lock);
    while (!op.over) {
        pthread_cond_wait(&op.ended, &op.lock);
    }
    op.over = false;
    status = op.status;
    pthread_mutex_unlock(&op.lock);
    return status;
}

/* Calls construct; the request is at the server when this returns. */
static void begin(const pmix_proc_t *procs, size_t n, const char *flag)
{
    struct infos list = {0};

    if (flag != NULL) {
        add_true(&list, flag);
    }
    check_status(PMIX_SUCCESS,
                 PMIx_Group_construct_nb(name, procs, n, list.at, list.n, constructed, NULL),
                 "construct");
    free_infos(&list);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
}

static void begin_all(const char *flag)
{
    pmix_proc_t job = process(me.nspace, PMIX_RANK_WILDCARD);

    begin(&job, 1, flag);
}

/* ---- events */

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char step[48];

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            check_aside("GRP-088", info[i].value.data.proc->rank == last_rank(),
                        "who has failed: %u", info[i].value.data.proc->rank);
        } else if (PMIX_CHECK_KEY(&info[i], PMIX_GROUP_MEMBERSHIP)) {
            check_aside("GRP-104", strcmp(survivors(), text_of(&info[i].value)) == 0,
                        "who is left: %s", text_of(&info[i].value));
        }
    }
    snprintf(step, sizeof(step), "%s at %u",
             status == PMIX_GROUP_MEMBER_FAILED ? "failed"
             : status == PMIX_GROUP_LEFT        ? "left"
                                                : "update",
             me.rank);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void watch(void)
{
    pmix_status_t codes[] = {PMIX_GROUP_MEMBER_FAILED, PMIX_GROUP_MEMBERSHIP_UPDATE,
                             PMIX_GROUP_LEFT};

    check(PMIx_Register_event_handler(codes, 3, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
}

static void await_event(const char *what)
{
    char step[48];

    snprintf(step, sizeof(step), "%s at %u", what, me.rank);
    await(step);
}

static int events(const char *what)
{
    char step[48];

    snprintf(step, sizeof(step), "%s at %u", what, me.rank);
    return told(step);
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

    for (pmix_rank_t r = 0; r < last_rank(); r++) {
        left[r] = process(me.nspace, r);
    }
    begin(left, last_rank(), NULL);
    if (check_status(PMIX_SUCCESS, wait_over(), "a group of the survivors")) {
        same(survivors(), op.members, "its members");
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
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, wait_over(), "construct");
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
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, wait_over(), "construct");
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

    watch();
    if (is_victim(false, flag)) {
        return;
    }
    begin_all(the_case()->nodes > 1 ? PMIX_GROUP_FT_COLLECTIVE : flag);
    tell("waits");
    check_status_for("GRP-094", PMIX_SUCCESS, wait_over(), "construct");
    same_for("GRP-094", survivors(), op.members, "the members");
    about("GRP-088");
    await_event("failed");
    about(NULL);
    use_and_destruct();
    check_for("GRP-088", events("failed") == 1, "one event for one member: %d", events("failed"));
}

static void is_optional(void)
{
    watch();
    if (is_victim(false, PMIX_GROUP_OPTIONAL)) {
        return;
    }
    begin_all(PMIX_GROUP_OPTIONAL);
    tell("waits");
    check_status_for("GRP-093 GRP-108", PMIX_ERR_PARTIAL_SUCCESS, wait_over(), "construct");
    same_for("GRP-093", survivors(), op.members, "the members");
    use_and_destruct();
    check_for("GRP-093", events("failed") == 0, "no event: %d", events("failed"));
}

/* Rank 0 leads and adds the others, of which the last one ends before it has called. */
static void added_is_lost(const char *flag)
{
    pmix_proc_t added = process(me.nspace, PMIX_RANK_WILDCARD);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &added};
    struct infos list = {0};

    if (is_victim(false, NULL)) {
        return;
    }
    if (me.rank == 0) {
        add(&list, PMIX_GROUP_ADD_MEMBERS, &array, PMIX_DATA_ARRAY);
        if (flag != NULL) {
            add_true(&list, flag);
        }
    }
    check_status(
        PMIX_SUCCESS,
        PMIx_Group_construct_nb(name, &me, me.rank == 0, list.at, list.n, constructed, NULL),
        "construct");
    free_infos(&list);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    tell("waits");
    check_status(flag != NULL ? PMIX_SUCCESS : PMIX_GROUP_CONSTRUCT_ABORT, wait_over(), "rank %u",
                 me.rank);
    if (flag != NULL) {
        same(survivors(), op.members, "the members");
        use_and_destruct();
    } else {
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
    check_status(PMIX_SUCCESS, wait_over(), "construct");
}

static void lost_in_destruct(void)
{
    make(NULL);
    if (is_victim(false, NULL)) {
        return;
    }
    check_status(PMIX_SUCCESS, PMIx_Group_destruct_nb(name, NULL, 0, destructed, NULL), "destruct");
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    tell("waits");
    check_status(PMIX_ERR_LOST_CONNECTION, wait_over(), "destruct");
    make_again();
}

static void announced_in_destruct(void)
{
    watch();
    make(PMIX_GROUP_NOTIFY_TERMINATION);
    if (is_victim(false, NULL)) {
        return;
    }
    check_status(PMIX_SUCCESS, PMIx_Group_destruct_nb(name, NULL, 0, destructed, NULL), "destruct");
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind it");
    tell("waits");
    check_status_for("GRP-100", PMIX_SUCCESS, wait_over(), "destruct");
    about("GRP-105");
    await_event("failed");
    check(events("left") == 0, "who ends does not leave");
    about(NULL);
    make_again();
}

static void announced(void)
{
    watch();
    make(PMIX_GROUP_NOTIFY_TERMINATION);
    if (is_victim(false, NULL)) {
        return;
    }
    tell("waits");
    about("GRP-087 GRP-105");
    await_event("failed");
    about("GRP-104");
    await_event("update");
    about(NULL);
    check_for("GRP-087", events("failed") == 1, "%d events", events("failed"));
    check_for("GRP-104", events("update") == 1, "%d updates", events("update"));
    check_for("GRP-105", events("left") == 0, "who ends does not leave");
    about("GRP-100");
    use_and_destruct();
    about(NULL);
}

static void not_announced(void)
{
    watch();
    make(NULL);
    if (is_victim(false, NULL)) {
        return;
    }
    tell("waits");
    check_status_for("GRP-100", PMIX_ERR_LOST_CONNECTION, PMIx_Group_destruct(name, NULL, 0),
                     "destruct");
    check_for("GRP-087", events("failed") + events("update") == 0, "nobody has asked to be told");
    make_again();
}

#define PLAYED(ranks_, nodes_, client_)                                                            \
    .ranks = ranks_, .nodes = nodes_, .client = client_, .script = kill_last, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "GRP-086", .what = "a member that ends aborts a construct", PLAYED(3, 1, aborts)},
    {.ids = "GRP-086",
     .what = "a member that ends aborts a construct on two nodes",
     PLAYED(2, 2, aborts)},
    {.ids = "GRP-086",
     .what = "a member that ends aborts a construct on three nodes",
     PLAYED(2, 3, aborts)},
    {.ids = "GRP-086",
     .what = "a member that ends after its call",
     PLAYED(3, 1, aborts_after_its_call)},
    {.ids = "GRP-086 GRP-096",
     .otherwise = "GRP-086",
     .what = "a member on two nodes that ends after its call",
     PLAYED(2, 2, aborts_after_its_call),
     .after = failure_was_said},
    {.ids = "GRP-088 GRP-094", .what = "a construct that survives", PLAYED(3, 1, survives)},
    {.ids = "GRP-088 GRP-094",
     .what = "a construct that survives, on two nodes",
     PLAYED(2, 2, survives)},
    {.ids = "GRP-088 GRP-094",
     .what = "a construct that survives, on three nodes",
     PLAYED(2, 3, survives)},
    {.ids = "GRP-093 GRP-108", .what = "members that are optional", PLAYED(3, 1, is_optional)},
    {.ids = "GRP-093 GRP-108",
     .what = "members that are optional, on two nodes",
     PLAYED(2, 2, is_optional)},
    {.ids = "GRP-086",
     .what = "an added member that ends",
     PLAYED(3, 1, added_aborts),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-094",
     .what = "an added member that ends where the others survive",
     PLAYED(3, 1, added_survives),
     .host = {[ON_GROUP] = {MISSING}}},
    {.ids = "GRP-100",
     .what = "a member that ends before a destruct",
     PLAYED(3, 1, lost_in_destruct)},
    {.ids = "GRP-100",
     .what = "a member that ends before a destruct on two nodes",
     PLAYED(2, 2, lost_in_destruct)},
    {.ids = "GRP-100 GRP-105",
     .what = "its end is announced in place of an error",
     PLAYED(3, 1, announced_in_destruct)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced",
     PLAYED(3, 1, announced)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced on two nodes",
     PLAYED(2, 2, announced)},
    {.ids = "GRP-087 GRP-100 GRP-104 GRP-105",
     .what = "a member that ends is announced on three nodes",
     PLAYED(2, 3, announced)},
    {.ids = "GRP-087 GRP-100",
     .what = "a member's end that nobody wants to hear of",
     PLAYED(3, 1, not_announced)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
