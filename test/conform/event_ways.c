/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The ways of an event between processes, servers and hosts: whom a range reaches, what is kept for
 * those who register later, what hosts are asked and told. */

#include "lib/calls.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 41 }; /* and below */

/* ---- handlers */

static char given_text[16]; /* the last value of "my.key" */

/* Says who has got which event, of whom. */
static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    char step[48];

    (void) id;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "my.key")) {
            snprintf(given_text, sizeof(given_text), "%s", info[i].value.data.string);
        }
    }
    snprintf(step, sizeof(step), "%d at %.8s:%u of %.8s:%d", status, me.nspace, me.rank,
             source->nspace, (int) source->rank);
    tell(step);
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static const char *step_of(pmix_status_t code, const char *source)
{
    static char step[48];

    snprintf(step, sizeof(step), "%d at %.8s:%u of %s", code, me.nspace, me.rank, source);
    return step;
}

/* A handler of one code, or of all (0); its number. */
static size_t hear(pmix_status_t code)
{
    pmix_status_t id =
        PMIx_Register_event_handler(&code, code == 0 ? 0 : 1, NULL, 0, event_came, NULL, NULL);

    check(id >= 0, "handler of %d: %d", code, id);
    return (size_t) id;
}

/* The list is released. */
static void notify(pmix_status_t code, pmix_data_range_t range, struct infos *list)
{
    struct infos none = {0};
    pmix_status_t rc;

    list = list != NULL ? list : &none;
    rc = PMIx_Notify_event(code, &me, range, list->at, list->n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(list);
}

/* ---- ranges */

static const struct {
    pmix_data_range_t range;
    const char *reaches; /* processes of A and B, of which A:2 and B:1 are on the second node */
} ranges[] = {
    {PMIX_RANGE_LOCAL, "A:0 A:1 B:0"},
    {PMIX_RANGE_NAMESPACE, "A:0 A:1 A:2"},
    {PMIX_RANGE_SESSION, "A:0 A:1 A:2 B:0 B:1"},
    {PMIX_RANGE_GLOBAL, "A:0 A:1 A:2 B:0 B:1"},
    {PMIX_RANGE_CUSTOM, "A:1 B:0 B:1"},
    {PMIX_RANGE_PROC_LOCAL, "A:0"},
    {PMIX_RANGE_RM, ""},
};

enum { N_RANGES = sizeof(ranges) / sizeof(ranges[0]) };

static void fence_both(void)
{
    pmix_proc_t jobs[2] = {process("A", PMIX_RANK_WILDCARD), process("B", PMIX_RANK_WILDCARD)};

    check_status(PMIX_SUCCESS, fence(jobs, 2, NULL), "fence");
}

static void raise_in_each(void)
{
    pmix_proc_t custom[2] = {process("A", 1), process("B", PMIX_RANK_WILDCARD)};

    for (int i = 0; i < N_RANGES; i++) {
        struct infos list = {0};

        if (ranges[i].range == PMIX_RANGE_CUSTOM) {
            add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, custom, 2);
        }
        notify(CODE - i, ranges[i].range, &list);
    }
}

static void in_range(void)
{
    char who[24];

    for (int i = 0; i < N_RANGES; i++) {
        (void) hear(CODE - i);
    }
    fence_both();
    if (strcmp(me.nspace, "A") == 0 && me.rank == 0) {
        raise_in_each();
    }
    fence_both(); /* behind the events */
    snprintf(who, sizeof(who), "%.8s:%u", me.nspace, me.rank);
    for (int i = 0; i < N_RANGES; i++) {
        about(ranges[i].range == PMIX_RANGE_CUSTOM ? "EVT-010" : "EVT-009");
        await_n(step_of(CODE - i, "A:0"), strstr(ranges[i].reaches, who) != NULL);
    }
    about(NULL);
    (void) hear(CODE - N_RANGES); /* returns after all handlers that were due */
    for (int i = 0; i < N_RANGES; i++) {
        const char *ids = ranges[i].range == PMIX_RANGE_CUSTOM ? "EVT-010" : "EVT-009";
        bool reached = strstr(ranges[i].reaches, who) != NULL;
        const char *step = step_of(CODE - i, "A:0");

        check_for(ids, told(step) == (int) reached, "range %d: %d times %s", ranges[i].range,
                  told(step), step);
    }
    fence_both();
}

static void resource_manager_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                                  pmix_info_t info[], size_t ninfo, pmix_info_t *results,
                                  size_t nresults, pmix_event_notification_cbfunc_fn_t done,
                                  void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell(status == CODE - (N_RANGES - 1) ? "at the host" : "another one at the host");
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* (host) */
static void listen_as_host(void)
{
    pmix_status_t code = CODE - (N_RANGES - 1);

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, resource_manager_came, NULL, NULL) >= 0,
          "the host's handler");
    tell("listens");
}

/* The event for the resource manager is the host's, and nobody else's. */
static void for_the_host(void)
{
    (void) hear(CODE - (N_RANGES - 1));
    await_n("listens", n_nodes());
    fence_all(NULL);
    if (me.rank == 0) {
        notify(CODE - (N_RANGES - 1), PMIX_RANGE_RM, NULL);
    }
    await("at the host");
    fence_all(NULL);
    check(told(step_of(CODE - (N_RANGES - 1), "A:0")) == 0, "and at rank %u", me.rank);
}

/* ---- what is kept */

/* Those of rank 1 in the order of their arrival. */
static char order[16];

static void note_order(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    size_t n = strlen(order);

    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    if (n + 1 < sizeof(order)) {
        order[n] = (char) ('a' + (CODE - status));
    }
    tell("noted");
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

/* Rank 1 raises five events, of which one is not to be kept; rank 0 registers for all of them, and
 * gets those that want says. */
static void register_late(const char *want)
{
    struct infos list = {0};

    if (me.rank == 1) {
        for (int i = 0; i < 5; i++) {
            if (i == 2) {
                add_true(&list, PMIX_EVENT_DO_NOT_CACHE);
            }
            notify(CODE - i, PMIX_RANGE_SESSION, &list);
        }
        fence_all(NULL);
        fence_all(NULL);
        return;
    }
    fence_all(NULL);
    check(PMIx_Register_event_handler(NULL, 0, NULL, 0, note_order, NULL, NULL) >= 0, "handler");
    await_n("noted", (int) strlen(want));
    fence_all(NULL);
    check(strcmp(order, want) == 0, "'%s' came, not '%s'", order, want);
}

static void kept(void)
{
    register_late("abde");
}

/* The library of rank 0 has listened for ends of processes since it answered an invitation; a
 * handler gets what was kept all the same. */
static void kept_of_an_end(void)
{
    const pmix_status_t code = PMIX_ERR_PROC_ABORTED_BY_SIG;
    pmix_proc_t leader = process(me.nspace, 1);
    pmix_proc_t other = process("other", 7);
    struct infos list = {0};

    if (me.rank == 0) {
        check_status(PMIX_SUCCESS,
                     PMIx_Group_join("g", &leader, PMIX_GROUP_DECLINE, NULL, 0, NULL, NULL),
                     "an answer");
    }
    fence_all(NULL);
    if (me.rank == 1) {
        add(&list, PMIX_EVENT_AFFECTED_PROC, &other, PMIX_PROC);
        notify(code, PMIX_RANGE_SESSION, &list);
    }
    fence_all(NULL);
    if (me.rank == 0) {
        hear(code);
        await(step_of(code, "A:1"));
    }
    fence_all(NULL);
}

static void few_are_kept(void)
{
    register_late("de");
}

/* Rank 1 raises an event that is not for default handlers, and one that is; rank 0 has only a
 * default handler then. A handler of both codes gets what that one has not had. */
static void wait_for_code(void)
{
    pmix_status_t codes[] = {CODE, CODE - 1};
    struct infos list = {0};

    if (me.rank == 1) {
        fence_all(NULL);
        add_true(&list, PMIX_EVENT_NON_DEFAULT);
        notify(CODE, PMIX_RANGE_SESSION, &list);
        notify(CODE - 1, PMIX_RANGE_SESSION, NULL);
        fence_all(NULL);
        fence_all(NULL);
        return;
    }
    check(PMIx_Register_event_handler(NULL, 0, NULL, 0, note_order, NULL, NULL) >= 0, "default");
    fence_all(NULL);
    fence_all(NULL);
    await_n("noted", 1);
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, note_order, NULL, NULL) >= 0, "handler");
    await_n("noted", 2);
    fence_all(NULL); /* behind all that the server has sent */
    check(strcmp(order, "ba") == 0, "'%s' came, not 'ba'", order);
}

static void keep_two(struct infos *list)
{
    (void) list;
    setenv("PMIX_MCA_pmix_max_events", "2", 1);
}

/* ---- what hosts are asked and told */

/* The environment's codes, one that is the Standard's, and one that is anybody's. */
static void ask_for_codes(void)
{
    static const pmix_status_t codes[] = {-231, PMIX_GROUP_LEFT, CODE};
    size_t ids[3];

    for (int i = 0; i < 3; i++) {
        ids[i] = hear(codes[i]);
    }
    (void) hear(-231); /* once more */
    fence_all(NULL);
    for (int i = 0; i < 3; i++) {
        check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler(ids[i], NULL, NULL), "removed");
    }
    fence_all(NULL);
    if (me.rank == 0) {
        tell("all but one");
    }
}

/* How often a host was asked for the code. */
static int asked_for(enum entry entry, const char *code)
{
    int n = 0;

    for (int i = 0; i < upcalls(entry, 0); i++) {
        n += strstr(upcall(entry, 0, i)->text, code) != NULL;
    }
    return n;
}

static void asked_once(void)
{
    char code[16];
    char left[16];

    snprintf(code, sizeof(code), "%d", CODE);
    snprintf(left, sizeof(left), "%d", PMIX_GROUP_LEFT);
    check(asked_for(ON_REGISTER, "-231") == 1, "-231: %d times", asked_for(ON_REGISTER, "-231"));
    check(asked_for(ON_REGISTER, code) == 1, "%s: %d times", code, asked_for(ON_REGISTER, code));
    check(asked_for(ON_REGISTER, left) == 0, "%s is the library's", left);
    check(asked_for(ON_DEREGISTER, code) == 1, "%s is wanted by nobody: %d", code,
          asked_for(ON_DEREGISTER, code));
    check(asked_for(ON_DEREGISTER, "-231") <= 1, "-231 is wanted by nobody: %d",
          asked_for(ON_DEREGISTER, "-231"));
}

static void raise_once(void)
{
    struct infos list = {0};

    (void) hear(CODE);
    fence_all(NULL);
    if (me.rank == 0) {
        add_text(&list, "my.key", "text");
        notify(CODE, PMIX_RANGE_SESSION, &list);
    }
    await(step_of(CODE, "A:0"));
    check(strcmp(given_text, "text") == 0, "with '%s'", given_text);
    fence_all(NULL);
}

static void told_once(void)
{
    const struct record *r = upcall(ON_NOTIFY, 0, 0);
    const struct note *text = r != NULL ? record_info(r, "my.key") : NULL;

    check(upcalls(ON_NOTIFY, 0) == 1, "the host is told %d times", upcalls(ON_NOTIFY, 0));
    check(upcalls(ON_NOTIFY, -1) == 1, "hosts are told what they have said");
    check(r != NULL && r->number == CODE && r->range == PMIX_RANGE_SESSION &&
              PMIX_CHECK_PROCID(&r->proc, &((pmix_proc_t){"A", 0})),
          "code, range and source");
    check(text != NULL && strcmp(text->text, "text") == 0, "the info");
}

/* ---- the input */
static void notified(pmix_status_t status, void *cbdata)
{
    pmix_info_t *info = cbdata;

    check(status == PMIX_SUCCESS, "notified: %d", status);
    memset(info->value.data.string, 'x', strlen(info->value.data.string));
    memset(info->key, 'x', sizeof(info->key) - 1);
    tell("notified");
}

/* The callback comes when no handler is there, and the input is spoilt in it. */
static void input_is_reused(void)
{
    pmix_info_t info;

    if (me.rank == 1) {
        PMIX_INFO_LOAD(&info, "my.key", "text", PMIX_STRING);
        check_status(PMIX_SUCCESS,
                     PMIx_Notify_event(CODE, &me, PMIX_RANGE_SESSION, &info, 1, notified, &info),
                     "notify");
        await("notified");
        tell("looked");
        fence_all(NULL);
        PMIX_INFO_DESTRUCT(&info);
        return;
    }
    await("looked");
    (void) hear(CODE);
    await(step_of(CODE, "A:1"));
    check(strcmp(given_text, "text") == 0, "the handler reads '%s'", given_text);
    fence_all(NULL);
}

/* ---- macros */

static void system_events(void)
{
    static const struct {
        pmix_status_t code;
        bool is;
    } list[] = {{0, false},   {1, false},     {-1, false},        {-229, false},     {-230, true},
                {-231, true}, {-329, true},   {-330, true},       {-331, false},     {230, false},
                {330, false}, {-1000, false}, {INT32_MAX, false}, {INT32_MIN, false}};

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        check((PMIX_SYSTEM_EVENT(list[i].code)) == list[i].is, "%d", list[i].code);
    }
}

/* ---- ends */

static void lost(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t *results, size_t nresults,
                 pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    check(status == PMIX_ERR_LOST_CONNECTION, "event %d", status);
    tell("lost it");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void be_left_alone(void)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;

    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, lost, NULL, NULL) >= 0, "handler");
    tell("ready");
    await("lost it");
    (void) PMIx_Finalize(NULL, 0); /* any status: there is nobody to tell */
}

/* (host) */
static void die_when_ready(void)
{
    await("ready");
    host_dies();
}

/* (host) Its server says by an event that a client is gone, and it says on all nodes what that
 * means. */
static void client_lost(size_t id, pmix_status_t status, const pmix_proc_t *source,
                        pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                        pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    struct infos list = {0};
    pmix_proc_t who = *source;

    (void) id;
    (void) status;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            who = *info[i].value.data.proc;
        }
    }
    add(&list, PMIX_EVENT_AFFECTED_PROC, &who, PMIX_PROC);
    hosts_say(PMIX_ERR_PROC_TERM_WO_SYNC, &who, &list);
    free_infos(&list);
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void kill_last(void)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;

    check(PMIx_Register_event_handler(&code, 1, NULL, 0, client_lost, NULL, NULL) >= 0,
          "the host's handler");
    await_n("ready", 3);
    rank_kill("A", 2, SIGKILL);
}

static void one_dies(void)
{
    if (me.rank == 2) {
        tell("ready");
        await("nobody says this");
        return;
    }
    (void) hear(PMIX_ERR_PROC_TERM_WO_SYNC);
    tell("ready");
    await(step_of(PMIX_ERR_PROC_TERM_WO_SYNC, "A:2"));
}

const struct conform_case cases[] = {
    {.ids = "EVT-009 EVT-010",
     .what = "whom an event reaches",
     .nodes = 2,
     .jobs = {{"A", {2, 1}}, {"B", {1, 1}}},
     .client = in_range,
     .seconds = 20},
    {.ids = "EVT-009",
     .what = "an event for the resource manager",
     .spread = true,
     .ranks = 2,
     .client = for_the_host,
     .script = listen_as_host,
     .seconds = 20},
    {.ids = "EVT-013",
     .what = "events are kept in their order",
     .spread = true,
     .ranks = 2,
     .client = kept,
     .seconds = 20},
    {.ids = "EVT-013",
     .what = "one that the library has listened for is kept, too",
     .spread = true,
     .ranks = 2,
     .client = kept_of_an_end,
     .seconds = 20},
    {.ids = "EVT-013",
     .what = "one that is not for default handlers waits for a handler of its code",
     .spread = true,
     .ranks = 2,
     .client = wait_for_code,
     .ours_only = "when a replay comes is not said",
     .seconds = 20},
    {.ids = "EVT-014",
     .what = "the oldest events are dropped",
     .spread = true,
     .ranks = 2,
     .client = few_are_kept,
     .server = keep_two,
     .ours_only = "the parameter is ours",
     .seconds = 20},
    {.ids = "EVT-015",
     .what = "hosts are asked for their codes",
     .spread = true,
     .ranks = 3,
     .client = ask_for_codes,
     .after = asked_once,
     .seconds = 20},
    {.ids = "EVT-016",
     .what = "hosts are told of events once",
     .nodes = 3,
     .client = raise_once,
     .after = told_once,
     .seconds = 20},
    {.ids = "EVT-016",
     .what = "hosts are told of events once, on two nodes",
     .nodes = 2,
     .client = raise_once,
     .after = told_once,
     .seconds = 20},
    {.ids = "EVT-020",
     .what = "the input of an event is reused",
     .spread = true,
     .ranks = 2,
     .client = input_is_reused,
     .seconds = 20},
    {.ids = "EVT-020",
     .what = "the input of an event is reused, on two nodes",
     .nodes = 2,
     .client = input_is_reused,
     .seconds = 20},
    /* On one node: a process has one server. */
    {.ids = "EVT-021",
     .what = "the server dies",
     .client = be_left_alone,
     .script = die_when_ready,
     .raw = true,
     .dirty = true,
     .seconds = 20},
    {.ids = "EVT-022",
     .what = "a process dies",
     .ranks = 3,
     .spread = true,
     .client = one_dies,
     .script = kill_last,
     .seconds = 20},
    /* On one node: a macro. */
    {.ids = "EVT-024", .what = "codes of the system", .client = system_events},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
