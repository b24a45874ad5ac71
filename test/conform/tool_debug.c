/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Debuggers and launchers: processes that are held in their init, what a spawn and a job say of
 * debuggers, and what a host tells tools of the life of a job. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- held in init */

enum { MANY = 128 };

/* How many processes the host has heard of. */
static int n_ready(void)
{
    int n = 0;

    for (int i = 0; i < upcalls(ON_NOTIFY, -1); i++) {
        n += upcall(ON_NOTIFY, -1, i)->number == PMIX_READY_FOR_DEBUG;
    }
    return n;
}

/* All of A, or rank 1 of B alone. */
static void stop_in_init(const struct job *job, struct infos *list)
{
    pmix_rank_t rank = 1;

    if (strcmp(job->name, "A") == 0) {
        add_true(list, PMIX_DEBUG_STOP_IN_INIT);
    } else {
        add(list, PMIX_DEBUG_STOP_IN_INIT, &rank, PMIX_PROC_RANK);
    }
}

static void see_ready(int n)
{
    int heard = 0;

    while (n_ready() < n) {
        await_upcalls(ON_NOTIFY, ++heard);
    }
    for (int i = 0; i < upcalls(ON_NOTIFY, -1); i++) {
        const struct record *record = upcall(ON_NOTIFY, -1, i);
        const struct note *point = record_info(record, PMIX_BREAKPOINT);

        if (record->number == PMIX_READY_FOR_DEBUG) {
            check(point != NULL && point->type == PMIX_STRING && point->text[0] != '\0',
                  "%s:%u says where it is", record->proc.nspace, record->proc.rank);
        }
    }
}

static void release(const char *nspace, pmix_rank_t rank)
{
    struct infos list = {0};
    pmix_proc_t held = process(nspace, rank);
    pmix_status_t rc;

    add_procs(&list, PMIX_EVENT_CUSTOM_RANGE, &held, 1);
    tell(path_named("%s released", nspace));
    rc = PMIx_Notify_event(PMIX_DEBUGGER_RELEASE, NULL, PMIX_RANGE_CUSTOM, list.at, list.n, NULL,
                           NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "the release: %d", rc);
    free_infos(&list);
}

/* Rank 0 of B is not held. */
static void debug(void)
{
    about("TOOL-070");
    see_ready(3);
    await("B:0 is out");
    check(told("A:0 is out") + told("A:1 is out") + told("B:1 is out") == 0, "three are held");
    release("A", PMIX_RANK_WILDCARD);
    release("B", PMIX_RANK_WILDCARD);
}

static void be_held(void)
{
    pmix_proc_t all = process(me.nspace, PMIX_RANK_WILDCARD);
    bool held = strcmp(me.nspace, "A") == 0 || me.rank == 1;

    about("TOOL-070");
    check_status(PMIX_SUCCESS, PMIx_Init(NULL, NULL, 0), "init");
    check(told(path_named("%s released", me.nspace)) == 1 || !held, "it returns when released");
    tell(path_named("%s:%u is out", me.nspace, me.rank));
    check_status(PMIX_SUCCESS, PMIx_Fence(&all, 1, NULL, 0), "fence");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* ---- many, released one by one in the order of their ranks */

static void release_each(void)
{
    about("TOOL-070");
    see_ready(MANY);
    check(told("out") == 0, "all are held");
    for (int rank = 0; rank < MANY; rank++) {
        release("A", (pmix_rank_t) rank);
        await_n("out", rank + 1);
    }
}

static void be_one_of_many(void)
{
    about("TOOL-070");
    check_status(PMIX_SUCCESS, PMIx_Init(&me, NULL, 0), "init");
    check(told("A released") == (int) me.rank + 1, "rank %u is out when it is its turn, not %d",
          me.rank, told("A released"));
    tell("out");
    check_status(PMIX_SUCCESS, PMIx_Finalize(NULL, 0), "finalize");
}

/* The host dies while its process is held. */
static void die(void)
{
    await_upcalls(ON_NOTIFY, 1);
    host_dies();
}

static void be_left(void)
{
    about("TOOL-070");
    check_status(PMIX_ERR_LOST_CONNECTION, PMIx_Init(NULL, NULL, 0), "the server is lost");
    check_status(PMIX_ERR_INIT, PMIx_Finalize(NULL, 0), "and the library is not up");
}

/* ---- what a spawn and a job say of debuggers */

static void spawn_daemons(void)
{
    struct infos list = {0};
    pmix_proc_t target = process("A", PMIX_RANK_WILDCARD);
    const struct record *record;
    const struct note *note;
    uint16_t per_node = 1;

    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    add_true(&list, PMIX_DEBUGGER_DAEMONS);
    add(&list, PMIX_DEBUG_TARGET, &target, PMIX_PROC);
    add(&list, PMIX_DEBUG_DAEMONS_PER_NODE, &per_node, PMIX_UINT16);
    add_true(&list, PMIX_COSPAWN_APP);
    check_status(PMIX_SUCCESS, request_spawn(list.at, list.n), "spawn");
    free_infos(&list);
    record = upcall(ON_SPAWN, 0, 0);
    note = record_info(record, PMIX_DEBUG_TARGET);
    check_for("TOOL-071", record_info(record, PMIX_DEBUGGER_DAEMONS) != NULL, "daemons");
    check_for("TOOL-071", note != NULL && strcmp(note->text, "A:*") == 0, "their target");
    note = record_info(record, PMIX_DEBUG_DAEMONS_PER_NODE);
    check_for("TOOL-071", note != NULL && note->number == 1 && note->type == PMIX_UINT16,
              "how many on a node");
    check_for("TOOL-071", record_info(record, PMIX_COSPAWN_APP) != NULL, "beside the application");
    note = record_info(record, PMIX_REQUESTOR_IS_TOOL);
    check_for("TOOL-066", note != NULL && note->number == 1, "a tool has asked");
    check_for("TOOL-066", PMIX_CHECK_PROCID(&record->proc, &me), "this one");
    tool_end();
}

static void register_target(const struct job *job, struct infos *list)
{
    pmix_proc_t target = process("target", PMIX_RANK_WILDCARD);
    struct infos inner = {0};

    (void) job;
    add(list, PMIX_DEBUG_TARGET, &target, PMIX_PROC);
    add_text(&inner, PMIX_HOSTNAME, "node7");
    add_array(list, PMIX_LAUNCH_DIRECTIVES, &inner);
}

static void see_target(void)
{
    pmix_proc_t job = process("A", PMIX_RANK_WILDCARD);
    pmix_value_t *value = NULL;

    about("TOOL-071");
    same("target:4294967294", got("A", PMIX_RANK_WILDCARD, PMIX_DEBUG_TARGET, NULL, 0),
         "the target");
    check_status(PMIX_SUCCESS, PMIx_Get(&job, PMIX_LAUNCH_DIRECTIVES, NULL, 0, &value),
                 "the directives");
    if (check(value != NULL && value->type == PMIX_DATA_ARRAY && value->data.darray->size == 1 &&
                  value->data.darray->type == PMIX_INFO,
              "an array")) {
        const pmix_info_t *info = value->data.darray->array;

        check(PMIX_CHECK_KEY(info, PMIX_HOSTNAME) && strcmp(info->value.data.string, "node7") == 0,
              "as it was registered");
    }
    PMIX_VALUE_RELEASE(value);
}

/* ---- the life of a job */

static void tell_event(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const char *of = "nobody";

    (void) id;
    (void) source;
    (void) results;
    (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC)) {
            of = info[i].value.data.proc->nspace;
        }
    }
    tell(path_named("%d of %s", status, of));
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void raise_for(const char *nspace, pmix_status_t code)
{
    struct infos list = {0};
    pmix_proc_t job = process(nspace, PMIX_RANK_WILDCARD);
    pmix_status_t rc;

    add(&list, PMIX_EVENT_AFFECTED_PROC, &job, PMIX_PROC);
    rc = PMIx_Notify_event(code, NULL, PMIX_RANGE_SESSION, list.at, list.n, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
    free_infos(&list);
}

static void raise_all(void)
{
    static const pmix_status_t codes[] = {PMIX_EVENT_JOB_START, PMIX_LAUNCH_COMPLETE,
                                          PMIX_EVENT_JOB_END};

    await("registered");
    for (int i = 0; i < 3; i++) {
        raise_for("J1", codes[i]);
        raise_for("J2", codes[i]);
    }
}

static void hear_all(void)
{
    pmix_status_t codes[] = {PMIX_EVENT_JOB_START, PMIX_LAUNCH_COMPLETE, PMIX_EVENT_JOB_END};
    pmix_proc_t job = process("J2", PMIX_RANK_WILDCARD);
    struct infos list = {0};

    about("TOOL-072");
    check(PMIX_EVENT_JOB_START == -191 && PMIX_LAUNCH_COMPLETE == -174 &&
              PMIX_EVENT_JOB_END == -145,
          "the codes");
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    add(&list, PMIX_EVENT_AFFECTED_PROC, &job, PMIX_PROC);
    check(PMIx_Register_event_handler(codes, 3, list.at, list.n, tell_event, NULL, NULL) >= 0,
          "a handler for one job");
    free_infos(&list);
    tell("registered");
    await("-191 of J2");
    await("-174 of J2");
    await("-145 of J2");
    tool_end();
    check(told("-191 of J1") + told("-174 of J1") + told("-145 of J1") == 0, "none of the other");
    check(told("-191 of J2") == 1 && told("-174 of J2") == 1 && told("-145 of J2") == 1,
          "each once");
}

/* ---- no server to launch with */

static void launch_alone(void)
{
    struct infos list = {0};
    pmix_status_t rc;

    about("TOOL-067");
    add_true(&list, PMIX_TOOL_DO_NOT_CONNECT);
    add_true(&list, PMIX_LAUNCHER);
    check_status(PMIX_SUCCESS, tool_begin(&list), "tool_init");
    rc = request_spawn(NULL, 0);
    check(rc == PMIX_SUCCESS || rc == PMIX_ERR_NOT_SUPPORTED,
          "it launches, or says that it cannot: %d", rc);
    tool_end();
}

const struct conform_case cases[] = {
    {.ids = "TOOL-070",
     .what = "processes are held in their init",
     .jobs = {{"A", {2}}, {"B", {2}}},
     .raw = true,
     .setup = stop_in_init,
     .client = be_held,
     .script = debug},
    {.ids = "TOOL-070",
     .what = "a process is held in its init, and its server dies",
     .raw = true,
     .dirty = true,
     .setup = stop_in_init,
     .client = be_left,
     .script = die},
    {.ids = "TOOL-070",
     .what = "128 processes are held, and released one by one",
     .ranks = MANY,
     .raw = true,
     .client = be_one_of_many,
     .setup = stop_in_init,
     .script = release_each},
    {.ids = "TOOL-066 TOOL-071",
     .otherwise = "TOOL-071",
     .what = "a spawn of debugger daemons",
     .tools = 1,
     .setup = register_target,
     .client = see_target,
     .tool = spawn_daemons,
     .host = {[ON_SPAWN] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-072",
     .what = "a tool hears of the life of a job",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = hear_all,
     .script = raise_all},
    {.ids = "TOOL-067",
     .what = "a launcher without a server",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .tool = launch_alone},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
