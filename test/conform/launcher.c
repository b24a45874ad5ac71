/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Launchers: tools with PMIX_LAUNCHER. What they register is served, by the module that they give,
 * and other tools find them. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/children.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- in a process of its jobs */

/* What the module of the launcher is asked for. */
static void be_asking(void)
{
    char *args[] = {(char *) (uintptr_t) "true", NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = 1};
    struct infos list = {0};
    pmix_nspace_t nspace = "";

    add_text(&list, "conform.published", "text");
    child_must(PMIx_Publish(list.at, list.n) == PMIX_SUCCESS, "publish");
    free_infos(&list);
    child_must(PMIx_Spawn(NULL, 0, &app, 1, nspace) == PMIX_SUCCESS, "spawn");
    child_must(strcmp(nspace, "of.the.module") == 0, "its name");
}

const struct child_kind child_kinds[] = {{"peer", child_peer}, {"asking", be_asking}, {NULL, NULL}};

/* ---- the module of a launcher */

static pmix_status_t module_publish(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                    pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) info, (void) ninfo, (void) cbfunc, (void) cbdata;
    tell(path_named("module: publish of %u", proc->rank));
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t module_spawn(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                  const pmix_app_t apps[], size_t napps, pmix_spawn_cbfunc_t cbfunc,
                                  void *cbdata)
{
    char nspace[] = "of.the.module";

    (void) info, (void) ninfo, (void) apps, (void) napps;
    tell(path_named("module: spawn of %u", proc->rank));
    cbfunc(PMIX_SUCCESS, nspace, cbdata);
    return PMIX_SUCCESS;
}

static pmix_status_t module_connected(const pmix_proc_t *proc, void *object,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) cbfunc, (void) cbdata;
    check(object == &child, "the object of its registration");
    tell(path_named("module: %u is connected", proc->rank));
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t module_finalized(const pmix_proc_t *proc, void *object,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) object, (void) cbfunc, (void) cbdata;
    tell(path_named("module: %u has finalized", proc->rank));
    return PMIX_OPERATION_SUCCEEDED;
}

static void module_tool(pmix_info_t *info, size_t ninfo, pmix_tool_connection_cbfunc_t cbfunc,
                        void *cbdata)
{
    pmix_proc_t name = process("debugger", 0);

    (void) info, (void) ninfo;
    tell("module: a tool");
    cbfunc(PMIX_SUCCESS, &name, cbdata);
}

static pmix_status_t module_query(pmix_proc_t *proc, pmix_query_t *queries, size_t nqueries,
                                  pmix_info_cbfunc_t cbfunc, void *cbdata)
{
    struct infos list = {0};

    (void) queries, (void) nqueries;
    tell(path_named("module: query of %s", proc->nspace));
    add_u32(&list, "conform.question", 7);
    cbfunc(PMIX_SUCCESS, list.at, list.n, cbdata, NULL, NULL);
    free_infos(&list);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {
    .client_connected = module_connected,
    .client_finalized = module_finalized,
    .publish = module_publish,
    .tool_connected = module_tool,
    .query = module_query,
};

/* ---- in the launcher */

static struct infos *launcher(void)
{
    return one_true(PMIX_LAUNCHER);
}

static struct infos *alone(struct infos *list)
{
    add_true(list, PMIX_TOOL_DO_NOT_CONNECT);
    return list;
}

/* Registers a job of n processes, with what a launcher has to say of one. */
static void register_job(const char *nspace, int n)
{
    struct infos list = {0};
    pmix_nspace_t name;

    PMIX_LOAD_NSPACE(name, nspace);
    add_u32(&list, PMIX_JOB_SIZE, (uint32_t) n);
    add_text(&list, PMIX_NODE_MAP, node_name(0));
    add_text(&list, PMIX_PROC_MAP, n > 1 ? path_named("0-%d", n - 1) : "0");
    check_status(PMIX_SUCCESS, PMIx_server_register_nspace(name, n, list.at, list.n, NULL, NULL),
                 "register_nspace");
    free_infos(&list);
    for (int i = 0; i < n; i++) {
        pmix_proc_t proc = process(nspace, (pmix_rank_t) i);

        check_status(PMIX_SUCCESS,
                     PMIx_server_register_client(&proc, geteuid(), getegid(), &child, NULL, NULL),
                     "register_client");
    }
}

/* Forks a process of it, which becomes this program. */
static pid_t fork_child(const char *nspace, int rank, const char *what)
{
    pmix_proc_t proc = process(nspace, (pmix_rank_t) rank);
    char **env = NULL;
    pmix_status_t rc;
    pid_t pid;

    PMIX_ARGV_COPY(env, environ);
    check_status(PMIX_SUCCESS, PMIx_server_setup_fork(&proc, &env), "setup_fork");
    PMIX_SETENV(rc, CHILD, what, &env);
    check_status(PMIX_SUCCESS, rc, "setenv");
    pid = fork();
    if (pid == 0) {
        char *args[] = {(char *) (uintptr_t) "child", NULL};
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        (void) dup2(nowhere, STDOUT_FILENO);
        (void) execve(CHILD_SELF, args, env);
        _exit(127);
    }
    PMIX_ARGV_FREE(env);
    return pid;
}

static void expect_end(pid_t pid)
{
    int status = -1;
    pid_t got;

    do {
        got = waitpid(pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    check(got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d ends well: %d",
          (int) pid, status);
}

static void run_job(const char *nspace)
{
    pid_t pids[2];

    register_job(nspace, 2);
    for (int i = 0; i < 2; i++) {
        pids[i] = fork_child(nspace, i, "peer");
    }
    for (int i = 0; i < 2; i++) {
        expect_end(pids[i]);
    }
    check(told("module: 0 is connected") == 1 && told("module: 1 is connected") == 1,
          "the module hears of its clients");
    await("module: 0 has finalized");
    await("module: 1 has finalized");
}

static void drop_job(const char *nspace)
{
    pmix_nspace_t name;

    PMIX_LOAD_NSPACE(name, nspace);
    PMIx_server_deregister_nspace(name, NULL, NULL);
}

/* ---- with the calls of a server */

/* What both a launcher that is alone and one with a server can do. */
static void be_server(void)
{
    pmix_proc_t job = process("mine", PMIX_RANK_WILDCARD);
    pid_t pid;

    check_status(PMIX_SUCCESS, PMIx_tool_set_server_module(&module), "a module");
    run_job("mine");
    same("2", got("mine", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "what it has registered");
    same("10", got("mine", 0, "conform.number", NULL, 0), "what its client has posted");
    same("mine:0,mine:1", peers(NULL, "mine"), "who is here");
    drop_job("mine");
    check(PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, NULL) != PMIX_SUCCESS, "it is gone");
    module.spawn = module_spawn;
    check_status(PMIX_SUCCESS, PMIx_tool_set_server_module(&module), "another module");
    register_job("asks", 1);
    pid = fork_child("asks", 0, "asking");
    expect_end(pid);
    check(told("module: publish of 0") == 1 && told("module: spawn of 0") == 1,
          "the module serves its clients");
    drop_job("asks");
}

static void serve_alone(void)
{
    pmix_nspace_t nspace = "";
    char *args[] = {(char *) (uintptr_t) "true", NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = 1};
    pmix_info_t *info = NULL;

    about("TOOL-041");
    for (int i = 0; i < 2; i++) {
        check_status(PMIX_SUCCESS, tool_begin(alone(launcher())), "tool_init");
        check(PMIx_tool_is_connected() == false, "no server");
        check_status(PMIX_ERR_BAD_PARAM, PMIx_tool_set_server_module(NULL), "no module");
        check_status(PMIX_ERR_INVALID_OPERATION, PMIx_server_init(NULL, info, 0), "server_init");
        check_status(PMIX_ERR_INIT, PMIx_server_finalize(), "server_finalize");
        if (i == 0) {
            be_server();
            check_status(PMIX_SUCCESS, PMIx_Spawn(NULL, 0, &app, 1, nspace), "spawn");
            same("of.the.module", nspace, "by the module");
        }
        tool_end();
    }
}

static void serve_connected(void)
{
    struct infos *list = one_pid(server_pid(0));

    about("TOOL-041");
    add_true(list, PMIX_LAUNCHER);
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
    same(upcall(ON_TOOL, 0, 0) != NULL ? "one" : "none", "one", "the host has admitted it");
    be_server();
    check_status(PMIX_SUCCESS, request_spawn(NULL, 0), "spawn");
    check(upcalls(ON_SPAWN, 0) == 1 && told("module: spawn of 0") == 1, "is the host's to serve");
    check(upcalls(ON_PUBLISH, 0) == 0, "its clients' requests are its own");
    tool_end();
}

/* What a launcher is told for its server: a tool without one does it not, and says so. */
static void be_told(void)
{
    static const char *const keys[] = {PMIX_LAUNCHER_RENDEZVOUS_FILE, PMIX_TCP_REPORT_URI,
                                       PMIX_SOCKET_MODE, PMIX_TDIR_RMCLEAN, PMIX_IOF_LOCAL_OUTPUT};
    static const pmix_data_type_t types[] = {PMIX_STRING, PMIX_STRING, PMIX_UINT32, PMIX_BOOL,
                                             PMIX_BOOL};
    const char *file = path_named("%s/rendezvous", scratch());
    uint32_t mode = 0600;
    bool yes = true;

    for (int i = 0; i < 5; i++) {
        const void *value = types[i] == PMIX_STRING   ? (const void *) file
                            : types[i] == PMIX_UINT32 ? (const void *) &mode
                                                      : (const void *) &yes;
        struct infos list = {0};

        add_required(&list, keys[i], value, types[i]);
        check_status(PMIX_ERR_NOT_SUPPORTED, tool_begin(alone(&list)), "%s, required", keys[i]);
        list = (struct infos){0};
        add(&list, keys[i], value, types[i]);
        check_status(PMIX_SUCCESS, tool_begin(alone(&list)), "%s", keys[i]);
        check(access(file, F_OK) != 0, "no file");
        tool_end();
    }
}

/* A tool that is no launcher. */
static void be_plain(void)
{
    pmix_nspace_t nspace;
    pmix_proc_t proc = process("mine", 0);
    char **env = NULL;

    about("TOOL-041");
    PMIX_LOAD_NSPACE(nspace, "mine");
    check_status(PMIX_SUCCESS, tool_begin(alone(one_true(PMIX_TOOL_CONNECT_OPTIONAL))),
                 "tool_init");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server_module(&module), "a module, for nobody");
    check_status(PMIX_ERR_INIT, PMIx_server_register_nspace(nspace, 1, NULL, 0, NULL, NULL),
                 "register_nspace");
    check_status(PMIX_ERR_INIT, PMIx_server_setup_fork(&proc, &env), "setup_fork");
    check_status(PMIX_ERR_UNREACH, request_spawn(NULL, 0), "spawn");
    tool_end();
    be_told();
}

/* ---- found by another tool */

static struct infos *with_files(struct infos *list)
{
    add_text(list, PMIX_LAUNCHER_RENDEZVOUS_FILE, path_named("%s/deep/er/file", scratch()));
    add_text(list, PMIX_TCP_REPORT_URI, path_named("%s/uri", scratch()));
    return list;
}

static void be_found(void)
{
    check_status(PMIX_SUCCESS, tool_begin(with_files(alone(launcher()))), "tool_init");
    check_status(PMIX_SUCCESS, PMIx_tool_set_server_module(&module), "a module");
    register_job("mine", 1);
    tell(path_named("launcher %d", (int) getpid()));
    write_text(path_named("%s/pid", scratch()), path_named("%d", (int) getpid()));
    tell("ready");
    await("the debugger has ended");
    tool_end();
    check_for("TOOL-010", access(path_named("%s/deep", scratch()), F_OK) != 0, "no folder is left");
    check_for("TOOL-010", access(path_named("%s/uri", scratch()), F_OK) != 0, "and no file");
    remove(path_named("%s/pid", scratch()));
    setenv("PMIX_LAUNCHER_RNDZ_FILE", path_named("%s/by/variable", scratch()), 1);
    check_status(PMIX_SUCCESS, tool_begin(alone(launcher())), "tool_init");
    check_for("TOOL-010", access(path_named("%s/by/variable", scratch()), R_OK) == 0, "its file");
    check_for("TOOL-069", getenv("PMIX_LAUNCHER_RNDZ_FILE") == NULL, "the variable is used up");
    tool_end();
    check_for("TOOL-010", access(path_named("%s/by", scratch()), F_OK) != 0, "no folder is left");
    setenv("PMIX_LAUNCHER_RNDZ_FILE", "", 1);
    check_status(PMIX_SUCCESS, tool_begin(alone(launcher())), "an empty variable is none");
    tool_end();
}

/* Connects by the directive, and uses what the launcher has. */
static void find_by(struct infos *list, int nth)
{
    check_status(PMIX_SUCCESS, tool_begin(list), "a connection");
    same("debugger", me.nspace, "its module has named this tool");
    check(told("module: a tool") == nth, "and was asked");
    same("7", query_text("conform.question", NULL), "the module's answer");
    same("1", got("mine", PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0), "its job");
    tool_end();
}

static void find(void)
{
    about("TOOL-041");
    if (tool_number() == 0) {
        be_found();
        return;
    }
    await("ready");
    find_by(one_text(PMIX_TOOL_ATTACHMENT_FILE, path_named("%s/deep/er/file", scratch())), 1);
    find_by(one_text(PMIX_TCP_URI, path_named("file:%s/uri", scratch())), 2);
    find_by(one_pid((pid_t) atoi(read_text(path_named("%s/pid", scratch())))), 3);
    tell("the debugger has ended");
}

/* Without a module of the tool's, and with one that admits no tools. */
static void admit(void)
{
    static pmix_server_module_t none;

    about("TOOL-041");
    if (tool_number() == 0) {
        check_status(PMIX_SUCCESS, tool_begin(with_files(alone(launcher()))), "tool_init");
        tell("ready");
        await("tried");
        check_status(PMIX_SUCCESS, PMIx_tool_set_server_module(&none), "a module");
        tell("closed");
        await("tried again");
        tool_end();
        return;
    }
    await("ready");
    check_status(PMIX_SUCCESS,
                 tool_begin(one_text(PMIX_TCP_URI, path_named("file:%s/uri", scratch()))),
                 "a tool of this user");
    check(strncmp(me.nspace, "tool.", 5) == 0, "has the name %s", me.nspace);
    tool_end();
    tell("tried");
    await("closed");
    check(tool_begin(one_text(PMIX_TCP_URI, path_named("file:%s/uri", scratch()))) != PMIX_SUCCESS,
          "not without tool_connected");
    tell("tried again");
}

const struct conform_case cases[] = {
    {.ids = "TOOL-041",
     .what = "a launcher without a server has the calls of one",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = serve_alone},
    {.ids = "TOOL-041",
     .what = "a launcher with a server has the calls of one",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = serve_connected,
     .host = {[ON_SPAWN] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-041",
     .what = "a tool that is no launcher has not",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = be_plain},
    {.ids = "TOOL-041 TOOL-010 TOOL-069",
     .what = "a tool finds a launcher",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .tool = find},
    {.ids = "TOOL-041",
     .what = "whom a launcher admits",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .tool = admit},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
