/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What passes between the clients of a launcher and the server that the launcher is connected to:
 * events both ways, and spawns. Every other request of theirs is for the launcher's module alone.
 */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/children.h"
#include "lib/conform.h"
#include "lib/invites.h"
#include "lib/launches.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Codes of an environment, by what they are for. */
enum {
    FROM_CHILD = PMIX_EXTERNAL_ERR_BASE - 1, /* a launcher's client raises it when it has heard */
    TO_OTHERS = PMIX_EXTERNAL_ERR_BASE - 2,  /* names the other client, or nobody here */
    TO_CHILD = PMIX_EXTERNAL_ERR_BASE - 3,
    HERE_ALONE = PMIX_EXTERNAL_ERR_BASE - 4,  /* of a client, for its own job */
    DEFAULT_ONE = PMIX_EXTERNAL_ERR_BASE - 5, /* nobody registers for it */
    LAST = PMIX_EXTERNAL_ERR_BASE - 6,
    MOVED = PMIX_EVENT_JOB_END /* none that only the environment raises */
};

/* ---- in a process of the launcher's job */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static int n_heard[8]; /* by number_of */
static pmix_proc_t source_of[8];

/* 0: it is of no interest. */
static int number_of(pmix_status_t code)
{
    int i = PMIX_EXTERNAL_ERR_BASE - code;

    return code == MOVED ? 7 : i > 0 && i < 7 ? i : 0;
}

static void notice(size_t id, pmix_status_t code, const pmix_proc_t *source, pmix_info_t info[],
                   size_t ninfo, pmix_info_t *results, size_t nresults,
                   pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    int i = number_of(code);

    (void) id, (void) info, (void) ninfo, (void) results, (void) nresults;
    if (i > 0) {
        pthread_mutex_lock(&mutex);
        n_heard[i]++;
        source_of[i] = *source;
        pthread_cond_signal(&heard);
        pthread_mutex_unlock(&mutex);
    }
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static int times(pmix_status_t code)
{
    int n;

    pthread_mutex_lock(&mutex);
    n = n_heard[number_of(code)];
    pthread_mutex_unlock(&mutex);
    return n;
}

/* False: it does not come. */
static bool wait_for(pmix_status_t code)
{
    struct timespec end;
    int i = number_of(code);
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    pthread_mutex_lock(&mutex);
    while (n_heard[i] == 0 && rc == 0) {
        rc = pthread_cond_timedwait(&heard, &mutex, &end);
    }
    pthread_mutex_unlock(&mutex);
    return rc == 0;
}

static bool listen_for(const pmix_status_t *codes, size_t n)
{
    return PMIx_Register_event_handler((pmix_status_t *) codes, n, NULL, 0, notice, NULL, NULL) >=
           0;
}

static pmix_status_t raise_to(pmix_status_t code, pmix_data_range_t range, const pmix_proc_t *to)
{
    struct infos list = {0};
    pmix_status_t rc;

    if (to != NULL) {
        add(&list, PMIX_EVENT_CUSTOM_RANGE, to, PMIX_PROC);
    }
    rc = PMIx_Notify_event(code, NULL, range, list.at, list.n, NULL, NULL);
    free_infos(&list);
    return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
}

/* Registers by codes, hears what names it, and answers. What was raised before it came is there,
 * too. */
static void be_hearing(void)
{
    static const pmix_status_t codes[] = {TO_CHILD, TO_OTHERS};
    static const pmix_status_t last = LAST;

    child_must(listen_for(codes, 2), "a handler");
    child_must(raise_to(HERE_ALONE, PMIX_RANGE_NAMESPACE, NULL) == PMIX_SUCCESS, "in its job");
    child_must(raise_to(FROM_CHILD, PMIX_RANGE_GLOBAL, NULL) == PMIX_SUCCESS, "for everybody");
    child_must(wait_for(TO_CHILD), "an event of the server");
    child_must(times(TO_CHILD) == 1, "once");
    child_must(times(TO_OTHERS) == 0, "and none that is for others");
    child_must(strcmp(source_of[number_of(TO_CHILD)].nspace, "A") != 0, "from the server itself");
    child_must(listen_for(&last, 1), "a handler that comes late");
    child_must(wait_for(LAST), "what was raised before");
}

/* Hears the server that the launcher has at first, and then that which it has later. */
static void be_staying(void)
{
    static const pmix_status_t codes[] = {TO_CHILD, MOVED};

    child_must(listen_for(codes, 2), "a handler");
    child_must(raise_to(FROM_CHILD, PMIX_RANGE_GLOBAL, NULL) == PMIX_SUCCESS, "is here");
    child_must(wait_for(TO_CHILD), "an event of the first server");
    child_must(raise_to(FROM_CHILD, PMIX_RANGE_GLOBAL, NULL) == PMIX_SUCCESS, "has heard it");
    child_must(wait_for(MOVED), "an event of the second server");
}

static void be_raising(void)
{
    child_must(raise_to(FROM_CHILD, PMIX_RANGE_GLOBAL, NULL) == PMIX_SUCCESS, "for everybody");
}

/* Has a default handler only. */
static void be_open(void)
{
    child_must(listen_for(NULL, 0), "a default handler");
    child_must(raise_to(FROM_CHILD, PMIX_RANGE_GLOBAL, NULL) == PMIX_SUCCESS, "for everybody");
    child_must(wait_for(DEFAULT_ONE), "an event of the server");
}

static void be_spawning(void)
{
    char *args[] = {(char *) (uintptr_t) "true", NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = 1};
    struct infos list = {0};
    pmix_nspace_t nspace = "";

    child_must(PMIx_Spawn(NULL, 0, &app, 1, nspace) == PMIX_SUCCESS, "spawn");
    add_text(&list, "conform.published", "text");
    child_must(PMIx_Publish(list.at, list.n) == PMIX_ERR_NOT_SUPPORTED, "publish");
    free_infos(&list);
}

const struct child_kind child_kinds[] = {{"hearing", be_hearing},   {"open", be_open},
                                         {"staying", be_staying},   {"raising", be_raising},
                                         {"spawning", be_spawning}, {NULL, NULL}};

/* ---- in the launcher */

static void register_job(const char *nspace)
{
    pmix_proc_t proc = process(nspace, 0);
    struct infos list = {0};
    pmix_nspace_t name;

    PMIX_LOAD_NSPACE(name, nspace);
    add_u32(&list, PMIX_JOB_SIZE, 1);
    add_text(&list, PMIX_NODE_MAP, node_name(0));
    add_text(&list, PMIX_PROC_MAP, "0");
    check_status(PMIX_SUCCESS, PMIx_server_register_nspace(name, 1, list.at, list.n, NULL, NULL),
                 "register_nspace");
    free_infos(&list);
    check_status(PMIX_SUCCESS,
                 PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                 "register_client");
}

/* Starts the only process of a job, which becomes this program. */
static pid_t start(const char *nspace, const char *what)
{
    pmix_proc_t proc = process(nspace, 0);
    char **env = NULL;
    pmix_status_t rc;
    pid_t pid;

    register_job(nspace);
    PMIX_ARGV_COPY(env, environ);
    check_status(PMIX_SUCCESS, PMIx_server_setup_fork(&proc, &env), "setup_fork");
    PMIX_SETENV(rc, CHILD, what, &env);
    check_status(PMIX_SUCCESS, rc, "setenv");
    pid = fork();
    if (pid == 0) {
        char *args[] = {(char *) (uintptr_t) "child", NULL};

        (void) execve(CHILD_SELF, args, env);
        _exit(127);
    }
    PMIX_ARGV_FREE(env);
    return pid;
}

static void expect_end(pid_t pid, const char *what)
{
    int status = -1;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s ends well: %d", what, status);
}

static void run(const char *nspace, const char *what)
{
    expect_end(start(nspace, what), what);
}

static void begin(void)
{
    struct infos *list = one_pid(server_pid(0));

    add_true(list, PMIX_LAUNCHER);
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
}

static void pass_events(void)
{
    static const pmix_status_t codes[] = {TO_CHILD, HERE_ALONE, FROM_CHILD};
    long id;

    begin();
    id =
        (long) PMIx_Register_event_handler((pmix_status_t *) codes, 3, NULL, 0, notice, NULL, NULL);
    check(id >= 0, "a handler of the launcher");
    tell("up");
    run("mine", "hearing");
    check(times(TO_CHILD) == 0, "the launcher hears nothing that names its client alone");
    check(times(HERE_ALONE) == 0, "nor what is for its client's job alone");
    check(times(FROM_CHILD) == 1, "what its client says it hears once");
    check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "the end");
    run("open", "open");
    tool_end();
}

static void pass_spawn(void)
{
    begin();
    run("mine", "spawning");
    check(upcalls(ON_SPAWN, 0) == 1, "the server's host is asked");
    check(upcalls(ON_PUBLISH, 0) == 0, "for a spawn only");
    tool_end();
}

/* The launcher ends its own interest in a code, and has another server then. */
static void move(void)
{
    static const pmix_status_t code = TO_CHILD;
    long id;
    pid_t pid;

    if (tool_number() == 1) {
        await("moved");
        check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "a tool of the second server");
        check_status(PMIX_SUCCESS, raise_to(MOVED, PMIX_RANGE_SESSION, NULL), "to everybody");
        tool_end();
        return;
    }
    (void) make_folder("dir");
    begin();
    begin_server(1);
    id =
        (long) PMIx_Register_event_handler((pmix_status_t *) &code, 1, NULL, 0, notice, NULL, NULL);
    check(id >= 0, "a handler of the launcher");
    pid = start("mine", "staying");
    await_upcalls(ON_NOTIFY, 1);
    check_status(PMIX_SUCCESS, PMIx_Deregister_event_handler((size_t) id, NULL, NULL), "the end");
    tell("alone");
    await_upcalls(ON_NOTIFY, 2);
    check_status(PMIX_SUCCESS, attach_by(and_true(to_server(1), PMIX_PRIMARY_SERVER), NULL),
                 "the second server");
    tell("moved");
    expect_end(pid, "staying");
    tool_end();
    server_end(1);
    remove_folder("dir");
}

static void raise_one(void)
{
    await("alone");
    check_status(PMIX_SUCCESS, raise_to(TO_CHILD, PMIX_RANGE_SESSION, NULL), "to everybody");
}

/* ---- two launchers, each the server of the other */

static struct infos *with_uri(struct infos *list, int number)
{
    add_true(list, PMIX_LAUNCHER);
    add_text(list, PMIX_TCP_REPORT_URI, path_named("%s/uri%d", scratch(), number));
    return list;
}

static struct infos *uri_of(int number)
{
    return one_text(PMIX_TCP_URI, path_named("file:%s/uri%d", scratch(), number));
}

static void circle(void)
{
    static const pmix_status_t codes[] = {TO_CHILD, TO_OTHERS, FROM_CHILD, LAST};
    int mine = tool_number();

    if (mine == 0) {
        check_status(PMIX_SUCCESS, tool_begin(with_uri(one_true(PMIX_TOOL_DO_NOT_CONNECT), 0)),
                     "the first");
        check(listen_for(codes, 4), "a handler");
        tell("first");
        await("second");
        check_status(PMIX_SUCCESS, attach_by(uri_of(1), NULL), "a circle");
        check_status(PMIX_SUCCESS, raise_to(TO_CHILD, PMIX_RANGE_GLOBAL, NULL), "of the first");
        run("mine", "raising");
        tell("circle");
    } else {
        await("first");
        check_status(PMIX_SUCCESS, tool_begin(with_uri(uri_of(0), 1)), "the second");
        check(listen_for(codes, 4), "a handler");
        tell("second");
        await("circle");
        check_status(PMIX_SUCCESS, raise_to(TO_OTHERS, PMIX_RANGE_GLOBAL, NULL), "of the second");
        check_status(PMIX_SUCCESS, raise_to(LAST, PMIX_RANGE_GLOBAL, NULL), "the last");
    }
    check(wait_for(TO_CHILD) && wait_for(TO_OTHERS) && wait_for(FROM_CHILD) && wait_for(LAST),
          "all come to launcher %d", mine);
    tell("heard");
    await_n("heard", 2);
    check(times(TO_CHILD) == 1 && times(TO_OTHERS) == 1 && times(FROM_CHILD) == 1,
          "to launcher %d once: %d, %d, %d", mine, times(TO_CHILD), times(TO_OTHERS),
          times(FROM_CHILD));
    tell("looked");
    await_n("looked", 2);
    tool_end();
}

/* ---- the host */

static void see_raised(int nth, const char *nspace)
{
    const struct record *record;

    await_upcalls(ON_NOTIFY, nth);
    record = upcall(ON_NOTIFY, 0, nth - 1);
    check(record->number == FROM_CHILD, "the event of a launcher's client: %ld",
          (long) record->number);
    same(nspace, record->proc.nspace, "who has raised it");
}

static void raise_all(void)
{
    pmix_proc_t to = process("mine", 1);

    await("up");
    check_status(PMIX_SUCCESS, raise_to(LAST, PMIX_RANGE_GLOBAL, NULL), "early");
    see_raised(1, "mine");
    check_status(PMIX_SUCCESS, raise_to(TO_OTHERS, PMIX_RANGE_CUSTOM, &to), "to its neighbour");
    to = process("A", PMIX_RANK_WILDCARD);
    check_status(PMIX_SUCCESS, raise_to(TO_OTHERS, PMIX_RANGE_CUSTOM, &to), "to a job here");
    to = process("mine", 0);
    check_status(PMIX_SUCCESS, raise_to(TO_CHILD, PMIX_RANGE_CUSTOM, &to), "to it");
    see_raised(2, "open");
    check_status(PMIX_SUCCESS, raise_to(DEFAULT_ONE, PMIX_RANGE_SESSION, NULL), "to everybody");
}

/* ---- a group that a launcher leads */

/* It invites, and gives the group up by an event. */
static void lead_and_abort(void)
{
    pmix_proc_t invitee = process("A", 0);
    struct infos list = {0};
    pmix_status_t rc;

    begin();
    await("ready");
    invite_later("g", &invitee, 1, NULL);
    await("asked 0");
    add_text(&list, PMIX_GROUP_ID, "g");
    add(&list, PMIX_EVENT_CUSTOM_RANGE, &invitee, PMIX_PROC);
    rc = PMIx_Notify_event(PMIX_GROUP_CONSTRUCT_ABORT, NULL, PMIX_RANGE_CUSTOM, list.at, list.n,
                           NULL, NULL);
    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "abort: %d", rc);
    free_infos(&list);
    await(step_of("invited all", me.rank));
    check_status(PMIX_GROUP_CONSTRUCT_ABORT, invited.status, "the invitation");
    tell("over");
    tool_end();
}

static void be_invited(void)
{
    answer_none();
    settle_events();
    tell("ready");
    await("over");
}

/* ---- output that no launcher asks for */

static pmix_status_t name_job(struct upcall *ask)
{
    char name[] = "J";

    ask->reply.spawn(PMIX_SUCCESS, name, ask->cbdata);
    return PMIX_SUCCESS;
}

static void write_line(void)
{
    static char text[] = "a line\n";
    pmix_byte_object_t piece = {.bytes = text, .size = sizeof(text) - 1};
    pmix_proc_t source = process("J", 0);
    pmix_status_t rc =
        PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &piece, NULL, 0, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver: %d", rc);
}

/* The host registers the job, and says that it is over. */
static void end_job(void)
{
    pmix_nspace_t name;

    PMIX_LOAD_NSPACE(name, "J");
    check(PMIx_server_register_nspace(name, 0, NULL, 0, NULL, NULL) >= 0, "register");
    PMIx_server_deregister_nspace(name, NULL, NULL);
}

static void write_for_each(void)
{
    for (int i = 1; i <= 4; i++) {
        await(path_named("spawned %d", i));
        if (i == 2) {
            end_job();
        }
        write_line();
        tell(path_named("written %d", i));
    }
}

/* What this tool writes of the output of a job that it spawns: on its standard output. */
static const char *shown_of(struct infos *list, const struct infos *job, int nth)
{
    check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
    divert_output();
    check_status(PMIX_SUCCESS, request_spawn(job->at, job->n), "spawn");
    tell(path_named("spawned %d", nth));
    await(path_named("written %d", nth));
    check_status(PMIX_ERR_NOT_SUPPORTED, request_control(NULL, 0), "output comes before this");
    tool_end();
    return restored_output();
}

static void show_of_others(void)
{
    struct infos none = {0};
    struct infos no_output = {0};
    struct infos *list;
    bool no = false;

    add(&no_output, PMIX_FWD_STDOUT, &no, PMIX_BOOL);
    list = one_pid(server_pid(0));
    add_true(list, PMIX_LAUNCHER);
    same("a line\n", shown_of(list, &none, 1), "a launcher, what its job writes");
    list = one_pid(server_pid(0));
    add_true(list, PMIX_LAUNCHER);
    same("", shown_of(list, &none, 2), "until the host says that it is over");
    list = one_pid(server_pid(0));
    add_true(list, PMIX_LAUNCHER);
    same("", shown_of(list, &no_output, 3), "unless it says that it does not");
    same("", shown_of(one_pid(server_pid(0)), &none, 4), "a tool shows what it has asked for");
    free_infos(&no_output);
}

const struct conform_case cases[] = {
    {.ids = "TOOL-041",
     .what = "events pass between a launcher's clients and its server",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = pass_events,
     .script = raise_all,
     .host = {[ON_NOTIFY] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-041",
     .what = "a launcher's clients hear the server that it has now",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .further = serve_tools,
     .tool = move,
     .script = raise_one,
     .host = {[ON_NOTIFY] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-041",
     .what = "two launchers are each other's server",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .tool = circle},
    {.ids = "TOOL-041",
     .what = "a spawn of a launcher's client is the server's, other requests are not",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = pass_spawn,
     .host = {[ON_SPAWN] = {CALLBACK, PMIX_SUCCESS}}},
    {.ids = "TOOL-041",
     .what = "a launcher gives up a group that it leads",
     .jobs = {{"A", {1}}},
     .tools = 1,
     .client = be_invited,
     .tool = lead_and_abort},
    {.ids = "IOF-006",
     .what = "a launcher shows the output of jobs that its server runs for it",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .tool = show_of_others,
     .script = write_for_each,
     .host = {[ON_SPAWN] = {OWN, .own = name_job}, [ON_CONTROL] = {MISSING}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
