/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Processes that a launcher without a server starts itself. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/children.h"
#include "lib/conform.h"
#include "lib/launches.h"
#include "lib/queries.h"
#include "lib/tools.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- in a process of its jobs */

/* A job of its own, which needs no module. */
static void be_parent(void)
{
    char *args[] = {(char *) (uintptr_t) "true", NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = 1};
    pmix_nspace_t nspace = "";

    child_must(PMIx_Spawn(NULL, 0, &app, 1, nspace) == PMIX_SUCCESS, "spawn");
    child_must(nspace[0] != '\0' && !PMIX_CHECK_NSPACE(nspace, child.nspace), "another job");
    printf("is a parent\n");
}

static void see_environment(void)
{
    char dir[1024];

    child_must(getcwd(dir, sizeof(dir)) != NULL, "getcwd");
    printf("variables:%s%s%s\n", getenv("PMIX_LAUNCHER_RNDZ_URI") != NULL ? " uri" : "",
           getenv("PMIX_LAUNCHER_RNDZ_FILE") != NULL ? " file" : "",
           getenv("PMIX_KEEPALIVE_PIPE") != NULL ? " pipe" : "");
    printf("set to %s in %s\n", getenv("CONFORM_SET"), strrchr(dir, '/') + 1);
}

/* Says who it is, and stays until it is killed. */
static void stay(void)
{
    printf("%d is up\n", (int) getpid());
    fflush(stdout);
    for (;;) {
        (void) pause();
    }
}

static void end_all(void)
{
    (void) PMIx_Abort(4, "enough", NULL, 0);
    stay();
}

const struct child_kind child_kinds[] = {{"peer", child_peer},
                                         {"parent", be_parent},
                                         {"stay", stay},
                                         {"abort", end_all},
                                         {"environment", see_environment},
                                         {NULL, NULL}};

/* ---- in the launcher */

static void start_peers(void)
{
    const char *job;

    about("TOOL-067");
    begin_alone();
    job = launch(2, NULL, NULL, "peer");
    await_end(job, "0");
    check(told("out: peer 0 is done") == 1 && told("out: peer 1 is done") == 1,
          "what they wrote came before the end");
    job = launch(1, NULL, NULL, "parent");
    await_end(job, "0");
    check(told("out: is a parent") == 1, "a process of it starts a job");
    await_end(path_named("%.*s.3", (int) (strrchr(job, '.') - job), job), "0");
    check_status(PMIX_ERR_UNREACH, PMIx_tool_attach_to_server(NULL, NULL, NULL, 0),
                 "it does not find itself");
    tool_end();
}

/* Tells the end of each output. */
static void hear_over(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                      pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id, (void) source, (void) info, (void) ninfo;
    if (bytes == NULL || bytes->size == 0) {
        tell(channel == PMIX_FWD_STDOUT_CHANNEL ? "out is over" : "err is over");
    }
}

/* A process that stays behind keeps the pipes of its parent. */
static void leave_behind(void)
{
    const char *fifo = path_named("%s/fifo", scratch());
    pmix_proc_t any = process("", PMIX_RANK_WILDCARD);
    const char *job;

    check(mkfifo(fifo, 0600) == 0, "a pipe");
    check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL,
                        hear_over, NULL, NULL) > 0,
          "output");
    job = launch(1, "sh", "-c", path_named("cat %s & echo left behind", fifo));
    await_end(job, "0");
    check(told("out: left behind") == 1, "what it left behind does not keep the job");
    check(told("out is over") == 1 && told("err is over") == 1, "its output ends, all the same");
    check(close(open(fifo, O_WRONLY | O_CLOEXEC)) == 0 && remove(fifo) == 0, "it ends now");
}

static void end_variously(void)
{
    const char *job;

    about("TOOL-067");
    begin_alone();
    job = launch(3, "sh", "-c", "echo to $PMIX_RANK; echo of >&2; exit $((PMIX_RANK % 2 * 3))");
    await_end(job, path_named("%d, 1 with 3", PMIX_ERR_JOB_NON_ZERO_TERM));
    check(told("out: to 0") == 1 && told("out: to 1") == 1 && told("out: to 2") == 1, "output");
    check(told("err: of") == 3, "errors");
    job = launch(1, "sh", "-c", "kill -9 $$");
    await_end(job, path_named("%d, 0 with 137", PMIX_ERR_JOB_ABORTED_BY_SIG));
    job = launch(1, NULL, NULL, "abort");
    await_end(job, path_named("%d, 0 with 137", PMIX_ERR_JOB_ABORTED_BY_SIG));
    leave_behind();
    tool_end();
}

static void control(void)
{
    struct infos list = {0};
    pmix_proc_t all;
    const char *job;
    bool yes = true;

    about("TOOL-067");
    begin_alone();
    /* dash does not see a signal that comes just before it waits: it looks again and again */
    job = launch(2, "sh", "-c",
                 "trap 'echo got it; exit 0' TERM; echo up; while :; do wait; "
                 "sleep 0.01; done");
    await_n("out: up", 2);
    all = process(job, PMIX_RANK_WILDCARD);
    add_required(&list, PMIX_JOB_CTRL_TERMINATE, &yes, PMIX_BOOL);
    check_status(PMIX_SUCCESS, PMIx_Job_control(&all, 1, list.at, list.n, NULL, NULL), "terminate");
    free_infos(&list);
    await_end(job, "0");
    check(told("out: got it") == 2, "both got the signal");
    add_required(&list, PMIX_JOB_CTRL_KILL, &yes, PMIX_BOOL);
    check_status(PMIX_ERR_NOT_FOUND, PMIx_Job_control(&all, 1, list.at, list.n, NULL, NULL),
                 "a job that is over");
    free_infos(&list);
    add_text(&list, PMIX_JOB_CTRL_CHECKPOINT, "");
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_Job_control(&all, 1, list.at, list.n, NULL, NULL),
                 "no such control");
    free_infos(&list);
    job = launch(1, NULL, NULL, "stay");
    check(job[0] != '-', "it starts");
    tool_end(); /* which ends it: the case would find it */
}

static void see_its_environment(void)
{
    pmix_envar_t set = {.envar = (char *) (uintptr_t) "CONFORM_SET",
                        .value = (char *) (uintptr_t) "one"};
    struct infos list = {0};
    const char *job;

    about("TOOL-069");
    begin_alone();
    setenv("PMIX_LAUNCHER_RNDZ_URI", "nobody", 1);
    setenv("PMIX_LAUNCHER_RNDZ_FILE", "nowhere", 1);
    setenv("PMIX_KEEPALIVE_PIPE", "99", 1);
    add(&list, PMIX_SET_ENVAR, &set, PMIX_ENVAR);
    set.value = (char *) (uintptr_t) "two";
    set.separator = ',';
    add(&list, PMIX_APPEND_ENVAR, &set, PMIX_ENVAR);
    add_text(&list, PMIX_WDIR, make_folder("work"));
    job = launch_job(&list, 1, NULL, NULL, "environment");
    await_end(job, "0");
    check(told("out: variables:") == 1, "none of the three");
    check_for("TOOL-067", told("out: set to one,two in work") == 1, "what was asked for");
    remove_folder("work");
    unsetenv("PMIX_LAUNCHER_RNDZ_URI");
    unsetenv("PMIX_LAUNCHER_RNDZ_FILE");
    unsetenv("PMIX_KEEPALIVE_PIPE");
    tool_end();
}

/* A spawn with one directive gives this status. */
static void refuse(pmix_status_t want, const char *key, const char *text, bool required)
{
    struct infos list = {0};

    if (required) {
        add_required(&list, key, text, PMIX_STRING);
    } else {
        add_text(&list, key, text);
    }
    same(path_named("%d", want), launch_job(&list, 1, "true", NULL, ""), "%s", key);
}

static void refuse_all(void)
{
    struct infos list = {0};

    about("TOOL-067");
    begin_alone();
    same(path_named("%d", PMIX_ERR_JOB_EXE_NOT_FOUND), launch(2, "./no-such-program", NULL, ""),
         "no program");
    same(path_named("%d", PMIX_ERR_JOB_APP_NOT_EXECUTABLE), launch(2, scratch(), NULL, ""),
         "a folder");
    refuse(PMIX_ERR_JOB_WDIR_NOT_FOUND, PMIX_WDIR, "/no/such/folder", false);
    refuse(PMIX_ERR_NOT_SUPPORTED, PMIX_HOST, "elsewhere", false);
    refuse(PMIX_ERR_NOT_SUPPORTED, PMIX_MAPBY, "core", true);
    add_true(&list, PMIX_DEBUG_STOP_ON_EXEC);
    same(path_named("%d", PMIX_ERR_JOB_EXE_NOT_FOUND), launch_job(&list, 1, "./none", NULL, ""),
         "no program to stop");
    add_text(&list, PMIX_DEBUG_STOP_ON_EXEC, "all");
    same(path_named("%d", PMIX_ERR_BAD_PARAM), launch_job(&list, 1, "true", NULL, ""),
         "a stop of whom?");
    tool_end();
}

/* ---- at their first instruction */

/* A job can be debugged: "ready NAME at POINT". */
static void hear_ready(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    const char *point = "none";

    (void) id, (void) status, (void) results, (void) nresults;
    for (size_t i = 0; i < ninfo; i++) {
        point = PMIX_CHECK_KEY(&info[i], PMIX_BREAKPOINT) ? info[i].value.data.string : point;
    }
    tell(path_named("ready %s at %s", source->nspace, point));
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* The letter of a process's state, and whether it is its program. */
static char state_of(pid_t pid, bool *is_program)
{
    char line[512] = "";
    char own[512] = "";
    char program[512] = "";
    FILE *file = fopen(path_named("/proc/%d/stat", (int) pid), "r");
    const char *end;

    if (!check(file != NULL && fgets(line, sizeof(line), file) != NULL, "process %d", (int) pid)) {
        return '?';
    }
    fclose(file);
    end = strrchr(line, ')');
    *is_program =
        readlink("/proc/self/exe", own, sizeof(own) - 1) > 0 &&
        readlink(path_named("/proc/%d/exe", (int) pid), program, sizeof(program) - 1) > 0 &&
        strcmp(own, program) != 0;
    return end != NULL ? end[2] : '?';
}

/* The states of the processes of a job, by the table that a debugger asks for. */
static const char *states_of(const char *job)
{
    static char states[8];
    struct infos list = {0};
    struct asked asked;
    const pmix_value_t *v;
    size_t n = 0;

    add_text(&list, PMIX_NSPACE, job);
    asked = ask_one(PMIX_QUERY_PROC_TABLE, &list);
    v = answer_to(&asked, 0, PMIX_QUERY_PROC_TABLE);
    if (check(v != NULL && v->type == PMIX_DATA_ARRAY && v->data.darray->size < sizeof(states),
              "a table")) {
        const pmix_proc_info_t *table = v->data.darray->array;

        for (n = 0; n < v->data.darray->size; n++) {
            bool is_program = false;

            states[n] = state_of(table[n].pid, &is_program);
            check(is_program, "it is the program");
        }
    }
    states[n] = '\0';
    free_asked(&asked);
    return states;
}

static void go_on(const char *job)
{
    pmix_proc_t all = process(job, PMIX_RANK_WILDCARD);
    struct infos list = {0};

    add_true(&list, PMIX_JOB_CTRL_RESUME);
    check_status(PMIX_SUCCESS, PMIx_Job_control(&all, 1, list.at, list.n, NULL, NULL), "resume");
    free_infos(&list);
}

static void stop_at_exec(void)
{
    pmix_status_t code = PMIX_READY_FOR_DEBUG;
    pmix_rank_t rank = 1;
    struct infos list = {0};
    const char *states;
    const char *job;

    about("TOOL-067");
    begin_alone();
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, hear_ready, NULL, NULL) >= 0, "handler");
    add_true(&list, PMIX_DEBUG_STOP_ON_EXEC);
    job = launch_job(&list, 2, "sh", "-c", "echo ran $PMIX_RANK");
    await(path_named("ready %s at exec", job));
    same("TT", states_of(job), "both are stopped");
    check(told("out: ran 0") + told("out: ran 1") == 0, "and have done nothing");
    go_on(job);
    await_end(job, "0");
    check(told("out: ran 0") == 1 && told("out: ran 1") == 1, "now they have");
    add(&list, PMIX_DEBUG_STOP_ON_EXEC, &rank, PMIX_PROC_RANK);
    job = launch_job(&list, 2, "sleep", "500", "500");
    await(path_named("ready %s at exec", job));
    states = states_of(job);
    check(states[0] != 'T' && states[1] == 'T', "one alone is stopped: %s", states);
    tool_end(); /* which ends both: the case would find them */
}

/* ---- output that nobody asks for */

/* A job that writes a line and stays until the pipe is opened. */
static const char *launch_writer(const char *fifo)
{
    check(mkfifo(fifo, 0600) == 0, "a pipe");
    return launch(1, "sh", "-c", path_named("echo shown; cat %s", fifo));
}

static void end_writer(const char *fifo, const char *job)
{
    check(close(open(fifo, O_WRONLY | O_CLOEXEC)) == 0 && remove(fifo) == 0, "it ends now");
    await_end(job, "0");
}

static void show(void)
{
    const char *fifo = path_named("%s/fifo", scratch());
    pmix_proc_t any = process("", PMIX_RANK_WILDCARD);
    struct infos *list = launcher_alone();
    const char *job;
    bool no = false;

    about("TOOL-067");
    divert_output();
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
    hear_ends();
    end_writer(fifo, launch_writer(fifo));
    same("shown\n", restored_output(), "on its own standard output");
    tool_end();
    list = launcher_alone();
    add(list, PMIX_IOF_LOCAL_OUTPUT, &no, PMIX_BOOL);
    divert_output();
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
    hear_ends();
    job = launch_writer(fifo);
    check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, hear_output, NULL, NULL) > 0,
          "pull");
    await("out: shown");
    end_writer(fifo, job);
    same("", restored_output(), "not if it does not want that");
    tool_end();
}

const struct conform_case cases[] = {
    {.ids = "TOOL-067",
     .what = "processes that a launcher starts",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .tool = start_peers},
    {.ids = "TOOL-067",
     .what = "how they end",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = end_variously},
    {.ids = "TOOL-067",
     .what = "they are ended",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = control},
    {.ids = "TOOL-069 TOOL-067",
     .what = "what they find",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = see_its_environment},
    {.ids = "TOOL-067",
     .what = "what cannot be started",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = refuse_all},
    {.ids = "TOOL-067",
     .what = "they stop at their first instruction",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = stop_at_exec},
    {.ids = "TOOL-067",
     .what = "output that nobody asks for",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = show},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
