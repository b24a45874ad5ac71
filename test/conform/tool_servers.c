/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool and its servers: one after the other, several at a time, none. Two servers are on the
 * tool's node; each is asked for by its process. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 9, CYCLES = 100 };

/* ---- the tool's calls */

static void start(bool connect)
{
    struct infos list = {0};
    pmix_rank_t rank = 0;
    pid_t pid = server_pid(0);

    add_text(&list, PMIX_TOOL_NSPACE, "tool");
    add(&list, PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    if (connect) {
        add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    } else {
        add_true(&list, PMIX_TOOL_DO_NOT_CONNECT);
    }
    check_status(PMIX_SUCCESS, PMIx_tool_init(&me, list.at, list.n), "tool_init");
    free_infos(&list);
}

static pmix_proc_t attach(int node)
{
    struct infos list = {0};
    pid_t pid = server_pid(node);
    pmix_proc_t server = {0};

    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(NULL, &server, list.at, list.n),
                 "attach to %d", node);
    free_infos(&list);
    return server;
}

/* The first of the list; its length. */
static pmix_proc_t first_server(size_t want)
{
    pmix_proc_t *servers = NULL;
    pmix_proc_t first = {0};
    size_t n = 0;

    check_status(PMIX_SUCCESS, PMIx_tool_get_servers(&servers, &n), "get_servers");
    check(n == want, "%zu servers, not %zu", n, want);
    if (n > 0) {
        first = servers[0];
    }
    PMIX_PROC_FREE(servers, n);
    return first;
}

/* Which server answers a question that is the host's: -1: none, for `why`. */
static int answered_by(pmix_status_t why)
{
    int before[2] = {upcalls(ON_QUERY, 0), upcalls(ON_QUERY, 1)};
    struct infos quals = {0};
    struct asked asked;

    add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    asked = ask_one("conform.question", &quals);
    check_status(why, asked.rc, "query");
    free_asked(&asked);
    for (int i = 0; i < 2; i++) {
        if (upcalls(ON_QUERY, i) > before[i]) {
            return i;
        }
    }
    return -1;
}

static pmix_status_t answer(struct upcall *ask)
{
    struct infos list = {0};

    add_u32(&list, "conform.question", 42);
    reply_infos(ask, PMIX_SUCCESS, list.at, list.n);
    free_infos(&list);
    return PMIX_SUCCESS;
}

/* ---- the connection goes */

static int descriptors(pid_t pid)
{
    char path[64];
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
    dir = opendir(path);
    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

/* What a server has open while it serves this tool, and has seen everything before. */
static int descriptors_of_server(const pmix_proc_t *server)
{
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(server, NULL, 0), "set_server");
    check(answered_by(PMIX_SUCCESS) == 1, "it answers");
    check(answered_by(PMIX_SUCCESS) == 1, "it answers");
    return descriptors(server_pid(1));
}

static void come_and_go(void)
{
    pmix_proc_t first;
    pmix_proc_t server;
    int alone;
    int own;
    int its;

    start(true);
    first = first_server(1);
    server = attach(1);
    its = descriptors_of_server(&server);
    own = descriptors(getpid());
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&first, NULL, 0), "set_server");
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&server), "disconnect");
    alone = descriptors(getpid());
    check_for("TOOL-057", alone < own, "descriptors: %d with it, %d without", own, alone);
    server = attach(1);
    for (int i = 0; i < CYCLES; i++) {
        check_status(PMIX_SUCCESS, PMIx_tool_set_server(&first, NULL, 0), "set_server");
        check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&server), "disconnect");
        check_status(PMIX_ERR_NOT_FOUND, PMIx_tool_disconnect(&server), "disconnect again");
        server = attach(1);
    }
    check(descriptors_of_server(&server) == its, "descriptors of the server: %d, then %d", its,
          descriptors(server_pid(1)));
    check_for("TOOL-050 TOOL-057", descriptors(getpid()) == own, "descriptors: %d, then %d", own,
              descriptors(getpid()));
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

/* ---- without a primary server */

static void change_servers(void)
{
    pmix_proc_t first;
    pmix_proc_t second;
    pmix_proc_t listed;

    start(true);
    first = first_server(1);
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&first), "disconnect");
    check(!PMIx_tool_is_connected(), "connected to nobody");
    check(answered_by(PMIX_ERR_UNREACH) == -1, "nobody answers");
    second = attach(1); /* the only one */
    check(PMIx_tool_is_connected(), "connected again");
    check_for("TOOL-057 TOOL-058", answered_by(PMIX_SUCCESS) == 1, "the only server answers");
    first = attach(0);
    check_for("TOOL-053", answered_by(PMIX_SUCCESS) == 1, "the primary one stays");
    listed = first_server(2);
    check_for("TOOL-056", PMIX_CHECK_PROCID(&listed, &second), "the primary one is listed first");
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&second), "disconnect");
    check(answered_by(PMIX_ERR_UNREACH) == -1, "no primary server until one is set");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&first, NULL, 0), "set_server");
    check_for("TOOL-054", answered_by(PMIX_SUCCESS) == 0, "the one that was set answers");
    second = attach(1);
    listed = first_server(2);
    check(PMIX_CHECK_PROCID(&listed, &first), "the primary one is listed first");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

/* ---- events and output */

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell(status == CODE ? "event" : "default event");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void raise_code(pmix_status_t code)
{
    pmix_status_t rc = PMIx_Notify_event(code, NULL, PMIX_RANGE_LOCAL, NULL, 0, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
}

static void raise_in_turn(void)
{
    await(node() == 0 ? "first is primary" : "second is primary");
    raise_code(CODE);
    if (node() == 1) {
        await("a default handler");
        raise_code(CODE - 1);
    }
}

static void follow_events(void)
{
    pmix_status_t code = CODE;
    pmix_proc_t server;

    start(false);
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    (void) attach(0);
    check(answered_by(PMIX_SUCCESS) == 0, "the first server has the registration");
    tell("first is primary");
    await_n("event", 1);
    server = attach(1);
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&server, NULL, 0), "set_server");
    check_for("TOOL-054", answered_by(PMIX_SUCCESS) == 1, "the second server has it");
    tell("second is primary");
    await_n("event", 2);
    check(PMIx_Register_event_handler(NULL, 0, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    tell("a default handler");
    await("default event");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void default_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                         pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                         pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    tell(status == CODE ? "event for all" : "another for all");
    done(PMIX_SUCCESS, NULL, 0, NULL, NULL, cbdata);
}

static void raise_before(void)
{
    if (node() == 1) {
        raise_code(CODE);
        tell("raised");
    }
}

/* What the second server has kept comes to each handler once, whichever was registered last. */
static void hear_what_was_kept(void)
{
    pmix_status_t codes[] = {CODE, CODE - 1};
    pmix_proc_t server;

    start(true);
    for (int i = 0; i < 2; i++) {
        check(PMIx_Register_event_handler(&codes[i], 1, NULL, 0, event_came, NULL, NULL) >= 0,
              "handler");
    }
    check(PMIx_Register_event_handler(NULL, 0, NULL, 0, default_came, NULL, NULL) >= 0, "handler");
    await("raised");
    server = attach(1);
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&server, NULL, 0), "set_server");
    await("event");
    await("event for all");
    check(answered_by(PMIX_SUCCESS) == 1, "the second server answers");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    check_for("TOOL-054", told("event") == 1 && told("event for all") == 1,
              "it came %d and %d times", told("event"), told("event for all"));
}

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    char step[32];

    (void) channel;
    (void) source;
    (void) bytes;
    (void) info;
    (void) ninfo;
    snprintf(step, sizeof(step), "output for %zu", id);
    tell(step);
}

static size_t pull(void)
{
    pmix_proc_t source = process("J", 0);
    pmix_status_t rc =
        PMIx_IOF_pull(&source, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, show, NULL, NULL);

    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    return (size_t) rc;
}

static void print_once(void)
{
    pmix_proc_t source = process("J", 0);
    char text[] = "text";
    pmix_byte_object_t bytes = {.bytes = text, .size = sizeof(text) - 1};
    pmix_status_t rc;

    await("asked for");
    rc = PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver");
    tell("printed");
}

/* Each is its server's: ended there, whoever is primary, and over when the server was left. */
static void follow_output(void)
{
    pmix_proc_t first;
    pmix_proc_t second;
    char step[32];
    size_t ids[4];

    start(true);
    first = first_server(1);
    ids[0] = pull();
    second = attach(1);
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&second, NULL, 0), "set_server");
    ids[1] = pull();
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(ids[0], NULL, 0, NULL, NULL), "deregister");
    ids[2] = pull();
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(ids[2], NULL, 0, NULL, NULL), "deregister");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server(&first, NULL, 0), "set_server");
    ids[3] = pull();
    check_for("TOOL-054", ids[1] > ids[0] && ids[2] > ids[1] && ids[3] > ids[2],
              "no number is given twice");
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&first), "disconnect");
    tell("asked for");
    await_n("printed", 2);
    snprintf(step, sizeof(step), "output for %zu", ids[1]);
    await(step);
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(ids[3], NULL, 0, NULL, NULL),
                 "deregister what has ended with its server");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    for (int i = 0; i < 4; i++) {
        snprintf(step, sizeof(step), "output for %zu", ids[i]);
        check(told(step) == (i == 1), "%s: %d times", step, told(step));
    }
}

/* ---- the server that answers is the one that was asked for */

static void ask_for_another(void)
{
    struct infos list = {0};
    struct asked asked;
    const pmix_value_t *v;
    char uri[512] = "";
    char other[600];
    pmix_proc_t server;

    start(true);
    asked = ask_one(PMIX_SERVER_URI, NULL);
    v = answer_to(&asked, 0, PMIX_SERVER_URI);
    if (check(v != NULL && v->type == PMIX_STRING, "its address")) {
        snprintf(uri, sizeof(uri), "%s", v->data.string);
    }
    free_asked(&asked);
    server = first_server(1);
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&server), "disconnect");
    snprintf(other, sizeof(other), "another.0%s", strchr(uri, ';') != NULL ? strchr(uri, ';') : "");
    add_text(&list, PMIX_SERVER_URI, other);
    check_status(PMIX_ERR_UNREACH, PMIx_tool_attach_to_server(NULL, NULL, list.at, list.n),
                 "a server under another's name");
    check(!PMIx_tool_is_connected(), "connected to nobody");
    free_infos(&list);
    add_text(&list, PMIX_SERVER_URI, uri);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(NULL, NULL, list.at, list.n),
                 "the server under its name");
    free_infos(&list);
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

/* ---- a process that a server started, and that is a tool */

static void be_tool(void)
{
    pmix_proc_t self;
    pmix_proc_t all;

    check_status(PMIX_SUCCESS, PMIx_tool_init(&self, NULL, 0), "tool_init");
    check(PMIX_CHECK_PROCID(&self, &me), "it is %s:%u", self.nspace, self.rank);
    all = process(me.nspace, PMIX_RANK_WILDCARD);
    check_status(PMIX_SUCCESS, PMIx_Fence(&all, 1, NULL, 0), "fence of the job");
    check(answered_by(PMIX_SUCCESS) == 0, "its server answers");
    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
}

static void were_clients(void)
{
    check(upcalls(ON_CONNECTED, 0) == 2 && upcalls(ON_FINALIZED, 0) == 2,
          "they came and went as clients: %d, %d", upcalls(ON_CONNECTED, 0),
          upcalls(ON_FINALIZED, 0));
    check(upcalls(ON_TOOL, 0) == 0, "not as tools");
}

static void takes_tools(struct infos *list)
{
    add_true(list, PMIX_SERVER_TOOL_SUPPORT);
}

#define TWO_SERVERS                                                                                \
    .jobs = {{"A", {1, 1}, .quiet = true}}, .nodes = 2, .tools = 1, .server = as_node0

const struct conform_case cases[] = {
    {.ids = "TOOL-050 TOOL-057",
     .otherwise = "TOOL-057",
     .what = "a connection that a tool leaves is closed at both ends",
     TWO_SERVERS,
     .tool = come_and_go,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-053 TOOL-054 TOOL-056 TOOL-057 TOOL-058",
     .otherwise = "TOOL-058",
     .what = "another server when the primary one was left",
     TWO_SERVERS,
     .tool = change_servers,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-054 TOOL-059",
     .otherwise = "TOOL-059",
     .what = "events are asked of the primary server",
     TWO_SERVERS,
     .tool = follow_events,
     .script = raise_in_turn,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-054 TOOL-059",
     .otherwise = "TOOL-059",
     .what = "events that a server has kept for a tool that comes",
     TWO_SERVERS,
     .tool = hear_what_was_kept,
     .script = raise_before,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-054 TOOL-059",
     .otherwise = "TOOL-059",
     .what = "output is asked of a server, and ended there",
     TWO_SERVERS,
     .tool = follow_output,
     .script = print_once,
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}, [ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-027",
     .what = "a server of another name is none",
     TWO_SERVERS,
     .tool = ask_for_another,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-043",
     .what = "tools among the processes of a job, at a server that takes none",
     .ranks = 2,
     .raw = true,
     .client = be_tool,
     .after = were_clients,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
    {.ids = "TOOL-043",
     .what = "tools among the processes of a job, at a server that takes tools",
     .ranks = 2,
     .raw = true,
     .server = takes_tools,
     .client = be_tool,
     .after = were_clients,
     .host = {[ON_QUERY] = {OWN, .own = answer}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
