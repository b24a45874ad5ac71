/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The handlers of one process: which of them get an event, in which order, and what they are told.
 * Rank 0 has the handlers, rank 1 raises the events. */

#include "lib/calls.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE = PMIX_EXTERNAL_ERR_BASE - 31,
    OTHER = PMIX_EXTERNAL_ERR_BASE - 32,
    BEHIND = PMIX_EXTERNAL_ERR_BASE - 33
};

/* ---- handlers */

enum { MAX_HANDLERS = 64 };

static char names[MAX_HANDLERS];     /* of handlers, by their numbers */
static char trace[64];               /* who was called */
static pmix_status_t answer_of[128]; /* of a handler, by its name; default PMIX_SUCCESS */

static void append(char name)
{
    size_t n = strlen(trace);

    if (n + 1 < sizeof(trace)) {
        trace[n] = name;
    }
    tell("called");
}

static void called(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char name = id < MAX_HANDLERS ? names[id] : '?';

    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    if (status != BEHIND) {
        append(name);
    }
    done(answer_of[(unsigned char) name & 127], NULL, 0, NULL, NULL, cbdata);
}

static void behind_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                        pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                        pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell("behind");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* A handler of no code (0), or of one, or of that and OTHER (both); its number, or the status. */
static pmix_status_t put_handler(char name, pmix_status_t code, bool both, struct infos *list)
{
    char text[2] = {name, '\0'};
    pmix_status_t codes[2] = {code, OTHER};
    pmix_status_t id;

    add_text(list, PMIX_EVENT_HDLR_NAME, text);
    id = PMIx_Register_event_handler(code != 0 ? codes : NULL,
                                     code == 0 ? 0
                                     : both    ? 2
                                               : 1,
                                     list->at, list->n, called, NULL, NULL);
    if (id >= 0 && id < MAX_HANDLERS) {
        names[id] = name;
    }
    free_infos(list);
    return id;
}

/* With one directive (NULL: none), which has this text (NULL: which is true). */
static pmix_status_t place(char name, const char *directive, const char *text)
{
    struct infos list = {0};

    if (directive != NULL && text != NULL) {
        add_text(&list, directive, text);
    } else if (directive != NULL) {
        add_true(&list, directive);
    }
    return put_handler(name, CODE, false, &list);
}

static pmix_status_t plain(char name, pmix_status_t code, bool both)
{
    struct infos list = {0};

    return put_handler(name, code, both, &list);
}

/* ---- events */

static void notify(pmix_status_t code, struct infos *list)
{
    struct infos none = {0};
    pmix_status_t rc;

    list = list != NULL ? list : &none;
    rc = PMIx_Notify_event(code, &me, PMIX_RANGE_SESSION, list->at, list->n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(list);
}

/* Both ranks: rank 1 raises the event, and another one behind it that has one handler of its own,
 * first of all; rank 0 waits until so many handlers have been called, and that event has come. */
static const char *after_event(pmix_status_t code, struct infos *list, int n_calls)
{
    static int calls;
    static int rounds;
    pmix_status_t behind = BEHIND;

    if (rounds++ == 0 && me.rank == 0) {
        check(PMIx_Register_event_handler(&behind, 1, NULL, 0, behind_came, NULL, NULL) >= 0,
              "handler");
    }
    fence_all(NULL);
    if (me.rank == 1) {
        notify(code, list);
        notify(BEHIND, NULL);
        fence_all(NULL);
        return "";
    }
    free_infos(list);
    await_n("behind", rounds);
    await_n("called", calls += n_calls);
    fence_all(NULL);
    return trace;
}

/* The event of CODE without infos, or with one that is true; the handlers that it calls. */
static void expect(const char *want, const char *flag)
{
    struct infos list = {0};
    const char *is;

    if (flag != NULL) {
        add_true(&list, flag);
    }
    memset(trace, 0, sizeof(trace));
    is = after_event(CODE, &list, (int) strlen(want));
    check(me.rank == 1 || strcmp(want, is) == 0, "'%s' were called, not '%s'", is, want);
}

/* ---- order */

static void categories(void)
{
    if (me.rank == 0) {
        place('F', PMIX_EVENT_HDLR_FIRST, NULL);
        plain('s', CODE, false);
        plain('m', CODE, true);
        plain('d', 0, false);
        place('L', PMIX_EVENT_HDLR_LAST, NULL);
    }
    expect("FsmdL", NULL);
}

static void first_and_last(void)
{
    pmix_status_t id = 0;

    if (me.rank == 0) {
        plain('s', CODE, false);
        id = place('F', PMIX_EVENT_HDLR_FIRST, NULL);
        place('L', PMIX_EVENT_HDLR_LAST, NULL);
        check(id >= 0, "a first one: %d", id);
        check(place('G', PMIX_EVENT_HDLR_FIRST, NULL) < 0, "a second first one");
        check(place('M', PMIX_EVENT_HDLR_LAST, NULL) < 0, "a second last one");
    }
    expect("FsL", NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "gone");
        check(place('G', PMIX_EVENT_HDLR_FIRST, NULL) >= 0, "the place is free");
    }
    expect("GsL", NULL);
}

static void places(void)
{
    if (me.rank == 0) {
        place('a', NULL, NULL);
        place('b', PMIX_EVENT_HDLR_APPEND, NULL);
        place('c', PMIX_EVENT_HDLR_PREPEND, NULL);
    }
    expect("cab", NULL);
    if (me.rank == 0) {
        place('d', PMIX_EVENT_HDLR_BEFORE, "a");
        place('e', PMIX_EVENT_HDLR_AFTER, "a");
        place('f', PMIX_EVENT_HDLR_FIRST_IN_CATEGORY, NULL);
        place('l', PMIX_EVENT_HDLR_LAST_IN_CATEGORY, NULL);
        place('p', PMIX_EVENT_HDLR_PREPEND, NULL);
        place('q', PMIX_EVENT_HDLR_APPEND, NULL);
    }
    expect("fpcdaebql", NULL);
}

static void complete(void)
{
    answer_of['b'] = PMIX_EVENT_ACTION_COMPLETE;
    if (me.rank == 0) {
        place('L', PMIX_EVENT_HDLR_LAST, NULL);
        place('a', NULL, NULL);
        place('b', PMIX_EVENT_HDLR_APPEND, NULL);
        place('c', PMIX_EVENT_HDLR_APPEND, NULL);
        plain('d', 0, false);
    }
    expect("ab", NULL);
}

static void no_defaults(void)
{
    if (me.rank == 0) {
        plain('s', CODE, false);
        plain('m', CODE, true);
        plain('d', 0, false);
    }
    expect("smd", NULL);
    expect("sm", PMIX_EVENT_NON_DEFAULT);
}

/* ---- what handlers are told */

static int n_seen;          /* results that the second handler has been given */
static pmix_status_t gave;  /* what the first one has returned, as the second one is told */
static char given_text[16]; /* what the first one has added */
static void *objects[2];

static void results_done(pmix_status_t status, void *cbdata)
{
    pmix_info_t *mine = cbdata;

    (void) status;
    PMIX_INFO_FREE(mine, 1);
}

static void gives(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    pmix_info_t *mine = NULL;

    (void) id;
    (void) status;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        objects[0] = PMIX_CHECK_KEY(&info[i], PMIX_EVENT_RETURN_OBJECT) ? info[i].value.data.ptr
                                                                        : objects[0];
    }
    PMIX_INFO_CREATE(mine, 1);
    PMIX_INFO_LOAD(&mine[0], "my.result", "text", PMIX_STRING);
    tell("called");
    done(PMIX_EVENT_PARTIAL_ACTION_TAKEN, mine, 1, results_done, mine, cbdata);
}

static void takes(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                  size_t ninfo, pmix_info_t *results, size_t nresults,
                  pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    n_seen = (int) nresults;
    for (size_t i = 0; i < nresults; i++) {
        if (results[i].value.type == PMIX_STATUS) {
            gave = results[i].value.data.status;
        } else if (PMIX_CHECK_KEY(&results[i], "my.result")) {
            snprintf(given_text, sizeof(given_text), "%s", results[i].value.data.string);
        }
    }
    for (size_t i = 0; i < ninfo; i++) {
        objects[1] = PMIX_CHECK_KEY(&info[i], PMIX_EVENT_RETURN_OBJECT) ? info[i].value.data.ptr
                                                                        : objects[1];
    }
    tell("called");
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void tell_each_other(void)
{
    static int object;
    pmix_status_t code = CODE;
    struct infos list = {0};
    struct infos none = {0};

    if (me.rank == 0) {
        add(&list, PMIX_EVENT_RETURN_OBJECT, &object, PMIX_POINTER);
        check(PMIx_Register_event_handler(&code, 1, list.at, list.n, gives, NULL, NULL) >= 0,
              "the first");
        free_infos(&list);
        add_true(&list, PMIX_EVENT_HDLR_APPEND);
        check(PMIx_Register_event_handler(&code, 1, list.at, list.n, takes, NULL, NULL) >= 0,
              "the second");
        free_infos(&list);
    }
    (void) after_event(CODE, &none, 2);
    if (me.rank == 0) {
        check_for("EVT-007", gave == PMIX_EVENT_PARTIAL_ACTION_TAKEN, "the first returned %d",
                  gave);
        check_for("EVT-007", strcmp(given_text, "text") == 0, "of %d results, '%s'", n_seen,
                  given_text);
        check_for("EVT-008", objects[0] == &object && objects[1] == NULL, "the object is at %s",
                  objects[1] != NULL ? "another one" : "nobody");
    }
}

/* ---- which events */

/* Handlers for two processes; the array is one way to say so, the single one the other. */
static void affected(void)
{
    pmix_proc_t first = process("A", 0);
    pmix_proc_t both[2] = {process("A", 0), process("A", 1)};
    pmix_proc_t nobody = process("A", 7);
    struct infos list = {0};

    if (me.rank == 0) {
        add(&list, PMIX_EVENT_AFFECTED_PROC, &first, PMIX_PROC);
        (void) put_handler('f', CODE, false, &list);
        add_procs(&list, PMIX_EVENT_AFFECTED_PROCS, both, 2);
        add_true(&list, PMIX_EVENT_HDLR_APPEND);
        (void) put_handler('b', CODE, false, &list);
        add_true(&list, PMIX_EVENT_HDLR_APPEND);
        (void) put_handler('a', CODE, false, &list);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const want[] = {"fba", "ba", "a"};
        const pmix_proc_t *whom[] = {&both[0], &both[1], &nobody};
        const char *is;

        memset(trace, 0, sizeof(trace));
        add(&list, PMIX_EVENT_AFFECTED_PROC, whom[i], PMIX_PROC);
        is = after_event(CODE, &list, (int) strlen(want[i]));
        check(me.rank == 1 || strcmp(want[i], is) == 0, "'%s' were called, not '%s'", is, want[i]);
    }
}

static void any_code(void)
{
    static const pmix_status_t codes[] = {1, 12345, INT32_MAX, -4711, INT32_MIN + 1};

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct infos none = {0};
        const char *is;

        if (me.rank == 0) {
            check(plain((char) ('a' + i), codes[i], false) >= 0, "a handler of %d", codes[i]);
        }
        memset(trace, 0, sizeof(trace));
        is = after_event(codes[i], &none, 1);
        check(me.rank == 1 || (is[0] == (char) ('a' + i) && is[1] == '\0'), "%d calls '%s'",
              codes[i], is);
    }
}

static void codes_of_handlers(void)
{
    pmix_status_t ids[3] = {0, 0, 0};
    pmix_status_t code = CODE;
    struct infos none = {0};
    const char *is;

    if (me.rank == 0) {
        ids[0] = plain('s', CODE, false);
        ids[1] = plain('m', CODE, true);
        ids[2] = plain('d', 0, false);
        check(ids[0] >= 0 && ids[1] >= 0 && ids[2] >= 0 && ids[0] != ids[1] && ids[1] != ids[2] &&
                  ids[0] != ids[2],
              "%d, %d, %d are three handlers", ids[0], ids[1], ids[2]);
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, NULL, NULL, NULL) < 0,
              "a handler that is none");
    }
    expect("smd", NULL);
    memset(trace, 0, sizeof(trace));
    is = after_event(OTHER, &none, 2);
    check(me.rank == 1 || strcmp(is, "md") == 0, "of another code '%s' are called", is);
    memset(trace, 0, sizeof(trace));
    is = after_event(BEHIND - 1, &none, 1);
    check(me.rank == 1 || strcmp(is, "d") == 0, "of a third code '%s' are called", is);
}

static void removed(void)
{
    pmix_status_t id = 0;

    if (me.rank == 0) {
        id = plain('s', CODE, false);
        plain('d', 0, false);
    }
    expect("sd", NULL);
    if (me.rank == 0) {
        check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "one");
        check_status(PMIX_ERR_BAD_PARAM, PMIx_Deregister_event_handler((size_t) id, NULL, NULL),
                     "twice");
        check_status(PMIX_ERR_BAD_PARAM, PMIx_Deregister_event_handler(4711, NULL, NULL), "nobody");
    }
    expect("d", NULL);
}

/* ---- callbacks of the calls themselves */

static atomic_int registered; /* the callback of the registration has returned */
static atomic_int too_early;  /* events that came before */

static void registration_done(pmix_status_t status, size_t id, void *cbdata)
{
    (void) cbdata;
    check(status == PMIX_SUCCESS && id < MAX_HANDLERS, "%d, handler %zu", status, id);
    names[id % MAX_HANDLERS] = 'n';
    atomic_store(&registered, 1);
}

static void not_before(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    atomic_fetch_add(&too_early, !atomic_load(&registered));
    called(id, status, source, info, ninfo, results, nresults, done, cbdata);
}

/* An event has been kept for the handler, and others come all the time. */
static void not_before_registered(void)
{
    pmix_status_t code = CODE;

    if (me.rank == 1) {
        notify(CODE, NULL);
        tell("raised");
        for (int i = 0; i < 50; i++) {
            notify(CODE, NULL);
        }
        fence_all(NULL);
        return;
    }
    await("raised");
    check_status(
        PMIX_SUCCESS,
        PMIx_Register_event_handler(&code, 1, NULL, 0, not_before, registration_done, NULL),
        "register");
    await_n("called", 51);
    check(atomic_load(&too_early) == 0, "%d events came too early", atomic_load(&too_early));
    check(trace[0] == 'n', "the number of the callback is the handler's");
    fence_all(NULL);
}

/* ---- calls in a handler */

static void op_done(pmix_status_t status, void *cbdata)
{
    check(status == PMIX_SUCCESS, "%s: %d", (const char *) cbdata, status);
    tell(cbdata);
}

static void inner_registered(pmix_status_t status, size_t id, void *cbdata)
{
    (void) cbdata;
    check(status == PMIX_SUCCESS, "register: %d", status);
    names[id % MAX_HANDLERS] = 'i';
    tell("registered");
}

static void calls_others(size_t id, pmix_status_t status, const pmix_proc_t *source,
                         pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                         pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    pmix_status_t other = OTHER;

    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    check_status(PMIX_SUCCESS,
                 PMIx_Register_event_handler(&other, 1, NULL, 0, called, inner_registered, NULL),
                 "register");
    check_status(
        PMIX_SUCCESS,
        PMIx_Notify_event(BEHIND - 1, &me, PMIX_RANGE_SESSION, NULL, 0, op_done, "notified"),
        "notify");
    check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler(id, op_done, "removed"), "deregister");
    append('o');
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void calls_in_a_handler(void)
{
    pmix_status_t code = CODE;
    struct infos none = {0};

    if (me.rank == 0) {
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, calls_others, NULL, NULL) >= 0,
              "handler");
    }
    expect("o", NULL);
    await("registered");
    await("notified");
    await("removed");
    expect("", NULL);
    memset(trace, 0, sizeof(trace));
    (void) after_event(OTHER, &none, 1);
    check(me.rank == 1 || strcmp(trace, "i") == 0, "the new handler: '%s'", trace);
}

/* On one node, and on two. */
#define HERE(client_)   .ranks = 2, .client = client_, .seconds = 20
#define ACROSS(client_) .nodes = 2, .client = client_, .seconds = 20

const struct conform_case cases[] = {
    {.ids = "EVT-001",
     .what = "handlers of one code, two, and all",
     .spread = true,
     HERE(codes_of_handlers)},
    {.ids = "EVT-001",
     .what = "handlers of one code, two, and all, on two nodes",
     ACROSS(codes_of_handlers)},
    {.ids = "EVT-002",
     .what = "events before a registration",
     .spread = true,
     HERE(not_before_registered)},
    {.ids = "EVT-002",
     .what = "events before a registration, on two nodes",
     ACROSS(not_before_registered)},
    {.ids = "EVT-003", .what = "categories of handlers", .spread = true, HERE(categories)},
    {.ids = "EVT-003", .what = "categories of handlers, on two nodes", ACROSS(categories)},
    {.ids = "EVT-004",
     .what = "one first and one last handler",
     .spread = true,
     HERE(first_and_last)},
    {.ids = "EVT-005", .what = "places in a category", .spread = true, HERE(places)},
    {.ids = "EVT-005", .what = "places in a category, on two nodes", ACROSS(places)},
    {.ids = "EVT-006", .what = "a handler that ends the chain", .spread = true, HERE(complete)},
    {.ids = "EVT-006", .what = "a handler that ends the chain, on two nodes", ACROSS(complete)},
    {.ids = "EVT-007 EVT-008",
     .what = "what handlers tell each other",
     .spread = true,
     HERE(tell_each_other)},
    {.ids = "EVT-007 EVT-008",
     .what = "what handlers tell each other, on two nodes",
     ACROSS(tell_each_other)},
    {.ids = "EVT-011", .what = "events that are not for all", .spread = true, HERE(no_defaults)},
    {.ids = "EVT-011", .what = "events that are not for all, on two nodes", ACROSS(no_defaults)},
    {.ids = "EVT-012", .what = "handlers for affected processes", .spread = true, HERE(affected)},
    {.ids = "EVT-012", .what = "handlers for affected processes, on two nodes", ACROSS(affected)},
    {.ids = "EVT-018", .what = "codes of all kinds", .spread = true, HERE(any_code)},
    {.ids = "EVT-018", .what = "codes of all kinds, on two nodes", ACROSS(any_code)},
    {.ids = "EVT-019", .what = "a handler that is removed", .spread = true, HERE(removed)},
    {.ids = "EVT-019", .what = "a handler that is removed, on two nodes", ACROSS(removed)},
    {.ids = "EVT-023", .what = "calls in a handler", .spread = true, HERE(calls_in_a_handler)},
    {.ids = "EVT-023", .what = "calls in a handler, on two nodes", ACROSS(calls_in_a_handler)},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
