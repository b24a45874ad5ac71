/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Tools and their hosts: names, begin and end, what a host learns of a tool and decides. Server
 * NAMING gives a tool its name, REFUSING takes none, SLOW answers when it is told to. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN = 1, NAMING, REFUSING, SLOW, CODE = PMIX_EXTERNAL_ERR_BASE - 11 };

static void name_and_answer(struct upcall *ask)
{
    pmix_proc_t name = process("tool-7", 0);

    ask->reply.tool(PMIX_SUCCESS, &name, ask->cbdata);
}

static pmix_status_t choose(struct upcall *ask)
{
    if (node() == NAMING && record_info(ask->record, PMIX_TOOL_NSPACE) == NULL) {
        name_and_answer(ask);
        return PMIX_SUCCESS;
    }
    if (node() == REFUSING) {
        reply_status(ask, PMIX_ERR_EXISTS);
        return PMIX_SUCCESS;
    }
    return node() == SLOW ? later(ask, "go", name_and_answer) : sound_answer(ask);
}

static struct infos *named(struct infos *list, const char *nspace, pmix_rank_t rank)
{
    add_text(list, PMIX_TOOL_NSPACE, nspace);
    if (rank != PMIX_RANK_UNDEF) {
        add(list, PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    }
    return list;
}

static const char *own_name(void)
{
    return path_named("%s:%u", me.nspace, me.rank);
}

static const char *note_text(const struct record *record, const char *key)
{
    const struct note *note = record_info(record, key);

    return note == NULL                ? "(none)"
           : note->type == PMIX_STRING ? note->text
                                       : path_named("%ld", (long) note->number);
}

/* ---- names */

static void see_names(void)
{
    const struct record *record;

    begin_server(PLAIN);
    begin_server(NAMING);
    begin_server(REFUSING);
    check_status(PMIX_SUCCESS, tool_begin(named(to_server(PLAIN), "mine", PMIX_RANK_UNDEF)),
                 "tool_init");
    same_for("TOOL-033", "mine:0", own_name(), "its own name, and rank 0");
    tool_end();
    check_status(PMIX_SUCCESS, tool_begin(named(to_server(PLAIN), "mine", 5)), "tool_init");
    same_for("TOOL-033", "mine:5", own_name(), "its own name and rank");
    tool_end();
    record = upcall(ON_TOOL, PLAIN, 1);
    same_for("TOOL-045", "mine", note_text(record, PMIX_TOOL_NSPACE), "the host has its name");
    same_for("TOOL-045", "5", note_text(record, PMIX_TOOL_RANK), "and its rank");
    check_status(PMIX_SUCCESS, tool_begin(to_server(NAMING)), "tool_init");
    same_for("TOOL-034", "tool-7:0", own_name(), "the host's name for it");
    record = upcall(ON_TOOL, NAMING, 0);
    same_for("TOOL-045", "(none)", note_text(record, PMIX_TOOL_NSPACE), "it brings no name");
    same_for("TOOL-045", "(none)", note_text(record, PMIX_TOOL_RANK), "and no rank");
    check_status_for("TOOL-038", PMIX_SUCCESS, attach_by(to_server(PLAIN), NULL),
                     "a second server");
    same_for("TOOL-038", "tool-7", note_text(upcall(ON_TOOL, PLAIN, 2), PMIX_TOOL_NSPACE),
             "has the same name");
    tool_end();
    check_for("TOOL-037", tool_begin(named(to_server(REFUSING), "mine", 0)) == PMIX_ERR_EXISTS,
              "a name that the host refuses");
    check_for("TOOL-037", upcalls(ON_TOOL, REFUSING) == 1, "the host was asked");
    server_end(REFUSING);
    server_end(NAMING);
    server_end(PLAIN);
    remove_folder("dir");
}

static void use_locally(void)
{
    pmix_data_buffer_t buffer;
    pmix_topology_t topo;
    uint32_t word = 42;
    uint32_t back = 0;
    int32_t n = 1;

    PMIX_DATA_BUFFER_CONSTRUCT(&buffer);
    check(PMIx_Data_pack(NULL, &buffer, &word, 1, PMIX_UINT32) == PMIX_SUCCESS &&
              PMIx_Data_unpack(NULL, &buffer, &back, &n, PMIX_UINT32) == PMIX_SUCCESS && back == 42,
          "packing");
    PMIX_DATA_BUFFER_DESTRUCT(&buffer);
    PMIX_TOPOLOGY_CONSTRUCT(&topo);
    check_status(PMIX_SUCCESS, PMIx_Load_topology(&topo), "topology");
    PMIX_TOPOLOGY_DESTRUCT(&topo);
}

/* Both tools go the same way, beside each other. */
static void be_unconnected(void)
{
    pmix_proc_t self;
    const char *first;
    struct infos *list;

    if (tool_number() == 0) {
        begin_server(PLAIN);
        tell("there");
    }
    about("TOOL-035");
    check_status(PMIX_SUCCESS,
                 tool_begin(and_true(named(to_server(PLAIN), "mine", 3), PMIX_TOOL_DO_NOT_CONNECT)),
                 "init");
    same("mine:3", own_name(), "the name that was given");
    tool_end();
    check_status(PMIX_SUCCESS, tool_begin(one_true(PMIX_TOOL_DO_NOT_CONNECT)), "init");
    check(me.nspace[0] == '\0' && me.rank == PMIX_RANK_UNDEF, "no name: %s", own_name());
    check(!PMIx_tool_is_connected(), "not connected");
    use_locally();
    about("TOOL-036");
    await("there");
    list = to_server(PLAIN);
    check_status(PMIX_SUCCESS, PMIx_tool_attach_to_server(&self, NULL, list->at, list->n),
                 "attach");
    check(self.nspace[0] != '\0' && self.rank != PMIX_RANK_UNDEF, "a name: %s:%u", self.nspace,
          self.rank);
    tell(path_named("name %.30s", self.nspace));
    await_upcalls(ON_TOOL, 2);
    first = note_text(upcall(ON_TOOL, PLAIN, 0), PMIX_TOOL_NSPACE);
    check(strcmp(first, note_text(upcall(ON_TOOL, PLAIN, 1), PMIX_TOOL_NSPACE)) != 0,
          "the names differ, not %s", first);
    same(self.nspace,
         note_text(upcall(ON_TOOL, PLAIN, strcmp(first, self.nspace) != 0), PMIX_TOOL_NSPACE),
         "the host has that name");
    tool_end();
    tell("over");
    if (tool_number() == 0) {
        await_n("over", 2);
        server_end(PLAIN);
        remove_folder("dir");
    }
}

/* ---- begin and end */

static void count_inits(void)
{
    about("TOOL-039");
    begin_server(PLAIN);
    check_status(PMIX_SUCCESS, tool_begin(one_true(PMIX_TOOL_DO_NOT_CONNECT)), "init");
    check_status(PMIX_SUCCESS, tool_begin(and_true(to_server(PLAIN), PMIX_TOOL_DO_NOT_CONNECT)),
                 "again");
    check(!PMIx_tool_is_connected(), "not connected when told not to");
    check_status(PMIX_SUCCESS, tool_begin(to_server(PLAIN)), "a third time");
    same("server1", servers(), "connected when not told");
    check_status(PMIX_SUCCESS, tool_begin(to_server(PLAIN)), "a fourth time");
    check(upcalls(ON_TOOL, PLAIN) == 1, "one connection");
    tool_end();
    tool_end();
    tool_end();
    same("server1", servers(), "connected until the last finalize");
    tool_end();
    check_status(PMIX_ERR_INIT, PMIx_tool_finalize(), "one finalize too many");
    server_end(PLAIN);
    remove_folder("dir");
}

static int sockets_of(pid_t pid)
{
    char path[64];
    char target[64];
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
    dir = opendir(path);
    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        ssize_t len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

        n += len > 0 && strncmp(target, "socket:", 7) == 0;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return n;
}

/* Which server answers a question that is the host's. */
static void check_answered(int number)
{
    int before = upcalls(ON_QUERY, number);
    struct infos quals = {0};
    struct asked asked;

    add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    asked = ask_one("conform.question", &quals);
    check_status(PMIX_SUCCESS, asked.rc, "query");
    free_asked(&asked);
    check(upcalls(ON_QUERY, number) == before + 1, "server %d answers", number);
}

static void come_and_go(void)
{
    enum { TIMES = 20 };
    pmix_status_t code = CODE;
    int n = 0;

    about("TOOL-040");
    begin_server(PLAIN);
    begin_server(NAMING);
    for (int i = 0; i < TIMES; i++) {
        check_status(PMIX_SUCCESS, tool_begin(named(to_server(PLAIN), "mine", 0)),
                     "the same name again");
        check_status(PMIX_SUCCESS, attach_by(to_server(NAMING), NULL), "a second server");
        check(PMIx_Register_event_handler(&code, 1, NULL, 0, ignore_event, NULL, NULL) >= 0,
              "a handler");
        check_answered(PLAIN);
        check_answered(PLAIN);
        if (i == 0) {
            n = sockets_of(server_pid(PLAIN));
        }
        check(sockets_of(server_pid(PLAIN)) <= n, "the server has %d sockets, not %d",
              sockets_of(server_pid(PLAIN)), n);
        tool_end();
        check_status(PMIX_ERR_INIT, PMIx_tool_disconnect(&me), "it is no tool any more");
    }
    await_upcalls(ON_DEREGISTER, TIMES);
    check(upcalls(ON_REGISTER, PLAIN) == upcalls(ON_DEREGISTER, PLAIN),
          "the host is told that nobody wants the event");
    server_end(NAMING);
    server_end(PLAIN);
    remove_folder("dir");
}

/* ---- other roles */

static void be_one_kind(void)
{
    about("TOOL-042");
    check_status(PMIX_ERR_INVALID_OPERATION, PMIx_tool_init(NULL, NULL, 0), "a client is no tool");
    check(PMIx_server_init(NULL, NULL, 0) != PMIX_SUCCESS, "nor a server");
    fence_all(NULL);
}

static void be_tool_only(void)
{
    about("TOOL-042");
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "init");
    check(PMIx_server_init(NULL, NULL, 0) != PMIX_SUCCESS, "a tool is no server");
    same("conform-host", servers(), "it is a tool");
    tool_end();
}

/* ---- what a tool may ask, and what the host is told of who asks */

static bool says_who(const struct note *notes, size_t n, const char *key, uint32_t who)
{
    for (size_t i = 0; i < n; i++) {
        if ((strcmp(notes[i].key, key) == 0 && notes[i].number == (int64_t) who) ||
            says_who(notes[i].sub, notes[i].n_sub, key, who)) {
            return true;
        }
    }
    return false;
}

/* Of the first upcall that the call has made: there were `before` of them. */
static void check_asker(const char *call, enum entry entry, int before)
{
    const struct record *record = upcall(entry, 0, before);

    if (check_for("TOOL-041", record != NULL, "%s comes to the host", call)) {
        check_for("TOOL-048", entry == ON_PULL || strcmp(record->proc.nspace, "mine") == 0,
                  "%s: it is the tool's", call);
        check_for("TOOL-048", says_who(record->infos, record->n_infos, PMIX_USERID, geteuid()),
                  "%s: its user", call);
        check_for("TOOL-048", says_who(record->infos, record->n_infos, PMIX_GRPID, getegid()),
                  "%s: its group", call);
    }
}

/* Credentials for the tool itself are not judged by who asks. */
static bool is_authorised(enum entry entry)
{
    return entry == ON_SPAWN || entry == ON_LOG || entry == ON_ALLOCATE || entry == ON_CONTROL ||
           entry == ON_MONITOR || entry == ON_PULL || entry == ON_PUSH || entry == ON_PUBLISH ||
           entry == ON_CREDENTIAL;
}

static void ask_for_all(void)
{
    struct asked asked;

    check_status(PMIX_SUCCESS, tool_begin(named(one_pid(server_pid(0)), "mine", 0)), "init");
    for (int i = 0; i < n_requests; i++) {
        const struct request *request = &requests[i];
        int before = upcalls(request->entry, 0);
        pmix_status_t rc;

        if ((request->by & BY_TOOL) == 0) {
            continue;
        }
        rc = request->make(NULL, 0);
        check_for("TOOL-041", rc != PMIX_ERR_NOT_SUPPORTED && rc != PMIX_ERR_INIT, "%s: %d",
                  request->call, rc);
        if (is_authorised(request->entry)) {
            check_asker(request->call, request->entry, before);
        }
    }
    asked = ask_one("conform.question", NULL);
    check_status_for("TOOL-041", PMIX_SUCCESS, asked.rc, "a query");
    free_asked(&asked);
    check_asker("a query", ON_QUERY, upcalls(ON_QUERY, 0) - 1);
    put_text(PMIX_GLOBAL, "word", "posted");
    same_for("TOOL-041", "posted", got_of(0, "word", NULL), "its own value");
    same_for("TOOL-041", "1", got("A", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0),
             "a job's value");
    tool_end();
}

static void see_upcall(void)
{
    struct infos *list = named(to_server(PLAIN), "mine", 0);
    const struct record *record;

    begin_server(PLAIN);
    add_true(list, PMIX_FWD_STDOUT);
    add_true(list, PMIX_FWD_STDERR);
    check_status(PMIX_SUCCESS, tool_begin(list), "init");
    record = upcall(ON_TOOL, PLAIN, 0);
    same_for("TOOL-044", path_named("%u", geteuid()), note_text(record, PMIX_USERID), "its user");
    same_for("TOOL-044", path_named("%u", getegid()), note_text(record, PMIX_GRPID), "its group");
    check_for("TOOL-046", strcmp(note_text(record, PMIX_VERSION_INFO), "(none)") != 0,
              "its version");
    same_for("TOOL-046", "1", note_text(record, PMIX_FWD_STDOUT), "it wants output");
    same_for("TOOL-046", "1", note_text(record, PMIX_FWD_STDERR), "and errors");
    same_for("TOOL-046", "(none)", note_text(record, PMIX_FWD_STDIN), "and has no input");
    tool_end();
    server_end(PLAIN);
    remove_folder("dir");
}

/* ---- the host decides when */

static void be_admitted_late(void)
{
    about("TOOL-047");
    if (tool_number() == 1) {
        await_upcalls(ON_TOOL, 1);
        tell("go");
        return;
    }
    begin_server(SLOW);
    begin_server(REFUSING);
    check_status(PMIX_SUCCESS, tool_begin(to_server(SLOW)), "init");
    check(told("go") == 1, "connected when the host has answered");
    same("tool-7:0", own_name(), "as the host says");
    tool_end();
    check_status(PMIX_ERR_EXISTS, tool_begin(named(to_server(REFUSING), "mine", 0)), "refused");
    server_end(REFUSING);
    server_end(SLOW);
    remove_folder("dir");
}

/* A job that this process is registered for as another user. */
static void register_another(void)
{
    pmix_proc_t proc = process("W", 0);

    check(PMIx_server_register_nspace(proc.nspace, 1, NULL, 0, NULL, NULL) >= 0, "a job");
    check(PMIx_server_register_client(&proc, geteuid() + 1, getegid() + 1, NULL, NULL, NULL) >= 0,
          "a process of another user");
    tell("registered");
    await("tried");
    PMIx_server_deregister_nspace(proc.nspace, NULL, NULL);
}

static void be_another(void)
{
    about("TOOL-043");
    await("registered");
    setenv("PMIX_NAMESPACE", "W", 1);
    setenv("PMIX_RANK", "0", 1);
    check_status(PMIX_ERR_INVALID_CRED, tool_begin(one_pid(server_pid(0))),
                 "a process that is registered for another user");
    check(upcalls(ON_TOOL, 0) == 0, "the host is not asked");
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_RANK");
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "a tool of its own");
    check(upcalls(ON_TOOL, 0) == 1, "the host is asked");
    tool_end();
    tell("tried");
}

/* ---- a tool that dies */

static void kill_tool(void)
{
    await("connected");
    rank_kill("tool", 0, SIGKILL);
    tell("killed");
}

static void be_killed(void)
{
    check_status_for("TOOL-049", PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "init");
    await("inside");
    tell("connected");
    await("never");
}

static void fence_beside(void)
{
    about("TOOL-049");
    if (me.rank == 1) {
        await("killed");
    }
    tell("inside");
    fence_all(NULL);
    fence_all(PMIX_COLLECT_DATA);
    check(upcalls(ON_TOOL, 0) == 1, "one tool was there");
}

const struct conform_case cases[] = {
    {.ids = "TOOL-033 TOOL-034 TOOL-037 TOOL-038 TOOL-045",
     .otherwise = "TOOL-034",
     .what = "the name of a tool",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = see_names,
     .host = {[ON_TOOL] = {OWN, .own = choose}}},
    {.ids = "TOOL-035 TOOL-036",
     .otherwise = "TOOL-035",
     .what = "a tool without a server",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .further = serve_tools,
     .tool = be_unconnected},
    {.ids = "TOOL-039",
     .what = "inits are counted",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = count_inits},
    {.ids = "TOOL-040",
     .what = "a tool that ends leaves nothing at its servers",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = come_and_go,
     .host = {[ON_QUERY] = {OWN, .own = answer_question}}},
    {.ids = "TOOL-042",
     .what = "a process is a client, a tool or a server",
     .tools = 1,
     .client = be_one_kind,
     .tool = be_tool_only},
    {.ids = "TOOL-041 TOOL-048",
     .otherwise = "TOOL-041",
     .what = "a tool may ask for what a client may, as who it is",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = ask_for_all,
     .host = {[ON_QUERY] = {OWN, .own = answer_question},
              [ON_PUBLISH] = {CALLBACK, PMIX_SUCCESS},
              [ON_LOOKUP] = {CALLBACK, PMIX_ERR_NOT_FOUND},
              [ON_UNPUBLISH] = {CALLBACK, PMIX_SUCCESS},
              [ON_SPAWN] = {CALLBACK, PMIX_SUCCESS},
              [ON_LOG] = {CALLBACK, PMIX_SUCCESS},
              [ON_ALLOCATE] = {CALLBACK, PMIX_SUCCESS},
              [ON_CONTROL] = {CALLBACK, PMIX_SUCCESS},
              [ON_MONITOR] = {CALLBACK, PMIX_SUCCESS},
              [ON_CREDENTIAL] = {CALLBACK, PMIX_SUCCESS},
              [ON_VALIDATE] = {CALLBACK, PMIX_SUCCESS},
              [ON_FABRIC] = {CALLBACK, PMIX_SUCCESS},
              [ON_PULL] = {CALLBACK, PMIX_SUCCESS},
              [ON_PUSH] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-044 TOOL-046",
     .otherwise = "TOOL-044",
     .what = "what the host learns of a tool",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = see_upcall},
    {.ids = "TOOL-047",
     .what = "a tool is connected when the host has accepted it",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .further = serve_tools,
     .tool = be_admitted_late,
     .host = {[ON_TOOL] = {OWN, .own = choose}}},
    {.ids = "TOOL-043",
     .what = "a tool that is registered as another user's client is refused",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = be_another,
     .script = register_another},
    {.ids = "TOOL-049",
     .what = "a tool that dies beside a fence",
     .ranks = 2,
     .tools = 1,
     .client = fence_beside,
     .tool = be_killed,
     .script = kill_tool},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
