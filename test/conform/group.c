/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Scenario S15: a collective group with a context id, in an order that one member chooses. */

#include "lib/answers.h"
#include "lib/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PMIX_GROUP_FINAL_MEMBERSHIP_ORDER
#define PMIX_GROUP_FINAL_MEMBERSHIP_ORDER "pmix.grp.finord"
#endif

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 7, SIZE = 3 };

static const pmix_rank_t order[SIZE] = {2, 0, 3};
static const pmix_rank_t other_order[SIZE] = {3, 0, 2};

static bool is_member(void)
{
    return me.rank != 1;
}

static void add_order(struct infos *list, const pmix_rank_t *ranks)
{
    pmix_proc_t procs[SIZE];
    pmix_data_array_t array = {.type = PMIX_PROC, .size = SIZE, .array = procs};

    for (int i = 0; i < SIZE; i++) {
        procs[i] = process(me.nspace, ranks[i]);
    }
    add(list, PMIX_GROUP_FINAL_MEMBERSHIP_ORDER, &array, PMIX_DATA_ARRAY);
}

/* Each member lists the members in its own order. */
static pmix_status_t construct(struct infos *list, pmix_info_t **results, size_t *n)
{
    pmix_proc_t members[SIZE];

    for (pmix_rank_t i = 0; i < SIZE; i++) {
        members[i] = process(me.nspace, order[(i + me.rank) % SIZE]);
    }
    return PMIx_Group_construct("g", members, SIZE, list->at, list->n, results, n);
}

/* The members as they are told, and the context id under which everybody has to find it. */
static void check_results(const pmix_info_t *results, size_t n)
{
    static const char step[] = "context id";
    char text[64] = "";
    const char *members = "";
    size_t ids = 0;

    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_MEMBERSHIP)) {
            members = text_of(&results[i].value);
            same_for("GRP-046", "A:2,A:0,A:3", members, "who belongs to it");
        } else if (PMIX_CHECK_KEY(&results[i], PMIX_GROUP_CONTEXT_ID)) {
            check(results[i].value.type == PMIX_SIZE, "a context id is a size");
            snprintf(text, sizeof(text), "%s %zu", step, results[i].value.data.size);
            ids++;
        }
    }
    check(members[0] != '\0', "members");
    check_aside("GRP-037", ids == 1, "%zu context ids", ids);
    tell(text);
    await_n(text, SIZE); /* the others have got the same */
}

static void make(void)
{
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    if (me.rank == 0) {
        add_true(&list, PMIX_GROUP_ASSIGN_CONTEXT_ID);
        add_order(&list, order);
    }
    if (check_status(PMIX_SUCCESS, construct(&list, &results, &n), "construct")) {
        check_results(results, n);
    }
    PMIX_INFO_FREE(results, n);
    free_infos(&list);
}

static void make_again(void)
{
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;

    check_status_for("GRP-099", PMIX_SUCCESS, construct(&list, &results, &n), "construct again");
    PMIX_INFO_FREE(results, n);
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct again");
}

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char step[32];

    (void) id;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    check(status == CODE && source->rank == 3, "%d from %u", status, source->rank);
    snprintf(step, sizeof(step), "event at %u", me.rank);
    tell(step);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void send_event(void)
{
    pmix_proc_t to = process("g", 1);
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 1, .array = &to};
    struct infos list = {0};
    pmix_status_t rc;

    add(&list, PMIX_EVENT_CUSTOM_RANGE, &array, PMIX_DATA_ARRAY);
    rc = PMIx_Notify_event(CODE, &me, PMIX_RANGE_CUSTOM, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

static void live(void)
{
    pmix_proc_t all = process("g", PMIX_RANK_WILDCARD);
    pmix_status_t code = CODE;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    fence_all(NULL);
    if (is_member()) {
        make();
        check_status_for("GRP-005", PMIX_SUCCESS, PMIx_Fence(&all, 1, NULL, 0),
                         "a fence of the group");
        if (me.rank == 3) {
            send_event();
        }
        about("GRP-006 GRP-007");
        await("event at 0");
        about(NULL);
        check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
        make_again();
    }
    fence_all(NULL); /* behind the event, if there is one for this process */
    check_for("GRP-006 GRP-007",
              told("event at 0") == 1 && told("event at 1") + told("event at 2") == 0 &&
                  told("event at 3") == 0,
              "only rank 1 of the group gets the event: %d %d %d %d", told("event at 0"),
              told("event at 1"), told("event at 2"), told("event at 3"));
}

/* The fence in the middle is the group's; the host is told of processes in its place. */
static void check_upcalls(void)
{
    const struct record *event = upcall(ON_NOTIFY, -1, 0);
    const struct note *range = event != NULL ? record_info(event, PMIX_EVENT_CUSTOM_RANGE) : NULL;
    int n = 0;

    same_for("GRP-005", "A:0", range != NULL ? range->text : "(none)", "whom the event is for");

    for (int i = 0; i < upcalls(ON_FENCE, -1); i++) {
        const struct record *r = upcall(ON_FENCE, -1, i);

        if (r->n_procs != SIZE) {
            continue;
        }
        n++;
        check_for("GRP-005",
                  record_names(r, "A", 0) && record_names(r, "A", 2) && record_names(r, "A", 3),
                  "the host is told of processes");
    }
    check(n == n_nodes(), "%d upcalls of the group's fence", n);
}

static void contradict(void)
{
    char step[32] = "failed";
    struct infos list = {0};
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_status_t rc;

    if (!is_member()) {
        return;
    }
    if (me.rank != 3) {
        add_order(&list, me.rank == 0 ? order : other_order);
    }
    rc = construct(&list, &results, &n);
    check_for("GRP-047", rc != PMIX_SUCCESS && n == 0, "two orders: %d", rc);
    snprintf(step, sizeof(step), "failed with %d", rc);
    tell(step);
    await_n(step, SIZE); /* all with one error */
    free_infos(&list);
    /* nothing is left of it */
    make();
    check_status(PMIX_SUCCESS, PMIx_Group_destruct("g", NULL, 0), "destruct");
}

const struct conform_case cases[] = {
    {.ids = "S15 GRP-005 GRP-006 GRP-007 GRP-037 GRP-046 GRP-099",
     .what = "a group in the order of one member",
     .nodes = 2,
     .ranks = 2,
     .client = live,
     .after = check_upcalls},
    {.ids = "S15 GRP-005 GRP-006 GRP-007 GRP-037 GRP-046 GRP-099",
     .what = "the same on one node",
     .spread = true,
     .ranks = 4,
     .client = live},
    {.ids = "S15 GRP-037 GRP-046 GRP-047",
     .what = "two orders are an error for all",
     .spread = true,
     .ranks = 4,
     .client = contradict},
    {.ids = "S15 GRP-037 GRP-046 GRP-047",
     .what = "two orders from two nodes",
     .nodes = 2,
     .ranks = 2,
     .client = contradict},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
