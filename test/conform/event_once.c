/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Which events a handler gets: of the sources that it was registered for, each once, whatever else
 * is registered; what a host says of who raised an event; and two registrations at once. */

#include "lib/calls.h"

#include <stdio.h>
#include <string.h>

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 21, OTHER = PMIX_EXTERNAL_ERR_BASE - 22 };

/* Handlers are told apart by the object that they get back. */
static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const char *name = "?";
    char step[48];

    (void) id;
    (void) status;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_RETURN_OBJECT)) {
            name = info[i].value.data.ptr;
        }
    }
    snprintf(step, sizeof(step), "%.16s at %u: %.8s:%d", name, me.rank, source->nspace,
             (int) source->rank);
    tell(step);
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static int came(const char *name, const char *source)
{
    char step[48];

    snprintf(step, sizeof(step), "%.16s at %u: %s", name, me.rank, source);
    return told(step);
}

/* The list is released. Returns the handler's id. */
static size_t listen_as(const char *name, pmix_status_t code, struct infos *list)
{
    pmix_status_t id;

    add(list, PMIX_EVENT_RETURN_OBJECT, (void *) (uintptr_t) name, PMIX_POINTER);
    id = PMIx_Register_event_handler(code != 0 ? &code : NULL, code != 0, list->at, list->n,
                                     event_came, NULL, NULL);
    check(id >= 0, "handler %s: %d", name, id);
    free_infos(list);
    return (size_t) id;
}

/* Waits for n events. The registration behind them returns after all handlers that were due, so an
 * event too many has been counted by then. */
static void expect(const char *name, const char *source, int n)
{
    struct infos none = {0};
    char step[48];

    snprintf(step, sizeof(step), "%.16s at %u: %s", name, me.rank, source);
    await_n(step, n);
    (void) listen_as("behind", OTHER - 1, &none);
    check(told(step) == n, "%s: %d", step, told(step));
}

static void raise_event(pmix_status_t code)
{
    pmix_status_t rc = PMIx_Notify_event(code, &me, PMIX_RANGE_SESSION, NULL, 0, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
}

static void fence_both(void)
{
    pmix_proc_t jobs[2] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    check_status(PMIX_SUCCESS, fence(jobs, 2, NULL), "fence");
}

/* ---- sources */

static void add_range(struct infos *list, pmix_data_range_t range)
{
    add(list, PMIX_RANGE, &range, PMIX_DATA_RANGE);
}

static const struct {
    const char *name;
    const char *source;
} wanted[] = {
    {"any", "A:0"}, {"any", "A:1"}, {"any", "A:2"},    {"any", "B:0"},    {"job", "A:0"},
    {"job", "A:1"}, {"job", "A:2"}, {"custom", "A:1"}, {"custom", "B:0"}, {"own", "A:0"},
};

static void sources(void)
{
    pmix_proc_t two[2] = {process("A", 1), process("B", PMIX_RANK_WILDCARD)};
    pmix_data_array_t array = {.type = PMIX_PROC, .size = 2, .array = two};
    bool listens = strcmp(me.nspace, "A") == 0 && me.rank == 0;
    struct infos list = {0};

    if (listens) {
        (void) listen_as("any", CODE, &list);
        add_range(&list, PMIX_RANGE_NAMESPACE);
        (void) listen_as("job", CODE, &list);
        add_range(&list, PMIX_RANGE_CUSTOM);
        add(&list, PMIX_EVENT_CUSTOM_RANGE, &array, PMIX_DATA_ARRAY);
        (void) listen_as("custom", CODE, &list);
        add_range(&list, PMIX_RANGE_PROC_LOCAL);
        (void) listen_as("own", CODE, &list);
    }
    fence_both();
    raise_event(CODE);
    fence_both(); /* behind the events */
    if (listens) {
        for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
            about(strcmp(wanted[i].name, "custom") == 0 ? "EVT-010" : "EVT-009");
            expect(wanted[i].name, wanted[i].source, 1);
        }
        about(NULL);
        check_for("EVT-009", came("job", "B:0") == 0, "the range of a namespace");
        check_for("EVT-010", came("custom", "A:0") + came("custom", "A:2") == 0, "a custom range");
        check_for("EVT-009", came("own", "A:1") + came("own", "A:2") + came("own", "B:0") == 0,
                  "the range of a process");
    }
    fence_both();
}

static void no_processes(void)
{
    pmix_status_t code = CODE;
    struct infos list = {0};

    add_range(&list, PMIX_RANGE_CUSTOM);
    check_status(PMIX_ERR_BAD_PARAM,
                 PMIx_Register_event_handler(&code, 1, list.at, list.n, event_came, NULL, NULL),
                 "a custom range without processes");
    free_infos(&list);
}

/* ---- once */

/* Rank 1 raises two events that are kept; the handlers of rank 0 come before, between and after. */
static void once(void)
{
    struct infos list = {0};
    size_t id;

    if (me.rank == 0) {
        (void) listen_as("first", CODE, &list);
    }
    fence_all(NULL);
    if (me.rank == 1) {
        raise_event(CODE);
        raise_event(OTHER);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        expect("first", "A:1", 1);
        id = listen_as("all", 0, &list);
        fence_all(NULL);
        expect("all", "A:1", 2);
        check(came("first", "A:1") == 1, "the first one has had it: %d", came("first", "A:1"));
        check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler(id, NULL, NULL), "deregister");
        (void) listen_as("again", 0, &list);
        fence_all(NULL);
        expect("again", "A:1", 2);
        check(came("first", "A:1") == 1 && came("all", "A:1") == 2, "and nobody else: %d %d",
              came("first", "A:1"), came("all", "A:1"));
    } else {
        fence_all(NULL);
        fence_all(NULL);
    }
}

/* ---- the host's events */

static void delivered(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
    tell("given");
}

static void host_raises(void)
{
    pmix_proc_t named = process("launcher", 7);

    await("listens");
    check_status(PMIX_SUCCESS,
                 PMIx_Notify_event(CODE, NULL, PMIX_RANGE_SESSION, NULL, 0, delivered, NULL),
                 "nobody's");
    check_status(PMIX_SUCCESS,
                 PMIx_Notify_event(CODE, &named, PMIX_RANGE_SESSION, NULL, 0, delivered, NULL),
                 "somebody's");
}

static void nobodys(void)
{
    char undefined[24];
    struct infos list = {0};

    (void) listen_as("here", CODE, &list);
    tell("listens");
    await_n("given", 2);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind them");
    snprintf(undefined, sizeof(undefined), ":%d", (int) PMIX_RANK_UNDEF);
    expect("here", undefined, 1);
    expect("here", "launcher:7", 1);
}

/* The event's source is the whole job. The process that listens belongs to the job, but the host
 * has raised the event. */
static void raise_of_the_job(const char *step)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);

    await(step);
    check_status(PMIX_SUCCESS,
                 PMIx_Notify_event(CODE, &job, PMIX_RANGE_SESSION, NULL, 0, delivered, NULL),
                 "the job's");
}

static void host_raises_twice(void)
{
    raise_of_the_job("is there");
    raise_of_the_job("listens");
}

static void of_the_own_job(void)
{
    char job[24];
    struct infos list = {0};

    snprintf(job, sizeof(job), "%.8s:%d", me.nspace, (int) PMIX_RANK_WILDCARD);
    tell("is there");
    await_n("given", 1);
    (void) listen_as("late", CODE, &list);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind the one that was kept");
    about("EVT-013 EVT-017");
    expect("late", job, 1);
    about(NULL);
    tell("listens");
    await_n("given", 2);
    check_status(PMIX_SUCCESS, fence(&me, 1, NULL), "behind the next");
    expect("late", job, 2);
}

/* ---- two registrations at once */

static void registration_over(pmix_status_t status, size_t id, void *cbdata)
{
    (void) id;
    check_status(PMIX_ERR_NO_PERMISSIONS, status, "the host refuses");
    tell(cbdata);
}

/* The second one begins while the host is asked for the first one. */
static void fail_to_register_twice(void)
{
    pmix_status_t code = PMIX_EVENT_NODE_DOWN;

    for (int i = 0; i < 2; i++) {
        check_status(PMIX_SUCCESS,
                     PMIx_Register_event_handler(&code, 1, NULL, 0, event_came, registration_over,
                                                 (void *) "over"),
                     "a registration begins");
        await_upcalls(ON_REGISTER, 1);
    }
    tell("go");
    await_n("over", 2);
    await_upcalls(ON_DEREGISTER, 2);
    check(upcalls(ON_REGISTER, -1) == 2, "each asks for itself");
}

const struct conform_case cases[] = {
    {.ids = "EVT-009 EVT-010",
     .what = "a handler is for the sources of its range",
     .jobs = {{"A", {3}}, {"B", {1}}},
     .client = sources,
     .seconds = 20},
    {.ids = "EVT-009 EVT-010",
     .what = "a handler is for the sources of its range, on two nodes",
     .jobs = {{"A", {2, 1}}, {"B", {0, 1}}},
     .nodes = 2,
     .client = sources,
     .seconds = 20},
    /* On one node: of one process. */
    {.ids = "EVT-010", .what = "a custom range of nobody", .client = no_processes, .seconds = 20},
    {.ids = "EVT-013",
     .what = "an event reaches a handler once",
     .spread = true,
     .ranks = 2,
     .client = once,
     .seconds = 20},
    /* On one node: what a server does with what its own host says. */
    {.ids = "EVT-017",
     .what = "who has raised an event of the host",
     .client = nobodys,
     .script = host_raises,
     .seconds = 20},
    {.ids = "EVT-013 EVT-017",
     .otherwise = "EVT-017",
     .what = "events of the whole job, before a handler and after",
     .client = of_the_own_job,
     .script = host_raises_twice,
     .seconds = 20},
    {.ids = "UPC-002",
     .what = "one of two registrations at once is refused",
     .client = fail_to_register_twice,
     .host = {[ON_REGISTER] = {CALLBACK, PMIX_ERR_NO_PERMISSIONS, .when = "go"}},
     .ours_only = "the distribution's library accepts the second one at once"},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
