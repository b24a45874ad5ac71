/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A tool with several servers, which it starts and kills; and the connections that it has not asked
 * for: to the tool that started it, and the pipe of that. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/queries.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CODE = PMIX_EXTERNAL_ERR_BASE - 30 };

#define DRIVEN                                                                                     \
    .jobs = {{"A", {1}, .quiet = true}}, .tools = 1, .server = without_tools,                      \
    .further = serve_tools, .host = {[ON_QUERY] = {OWN, .own = answer_question}}

static const char *uri_of(int number)
{
    return server_uri(make_folder("dir"), number);
}

static pmix_proc_t server(int number)
{
    return process(server_name(number), 0);
}

static pmix_status_t set(int number)
{
    pmix_proc_t proc = server(number);

    return PMIx_tool_set_server(&proc, NULL, 0);
}

/* Which server answers a question for the host, as text; or the status. */
static const char *answered_by(void)
{
    int before[MAX_NODES];
    struct infos quals = {0};
    struct asked asked;
    const char *by = "nobody";

    for (int i = 1; i < MAX_NODES; i++) {
        before[i] = upcalls(ON_QUERY, i);
    }
    add_true(&quals, PMIX_QUERY_REFRESH_CACHE);
    asked = ask_one("conform.question", &quals);
    if (asked.rc != PMIX_SUCCESS) {
        by = path_named("%d", asked.rc);
    }
    free_asked(&asked);
    for (int i = 1; i < MAX_NODES; i++) {
        by = upcalls(ON_QUERY, i) > before[i] ? server_name(i) : by;
    }
    return by;
}

/* Tells the others of a lost server, or which event came from where. */
static void tell_event(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell(status == PMIX_ERR_LOST_CONNECTION || status == PMIX_ERR_IOF_FAILURE
             ? path_named("%d of %s", status, source->nspace)
             : path_named("event %d of %s", CODE - status, source->nspace));
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* ---- several servers */

static void attach_three(void)
{
    struct infos *list = to_server(3);
    pmix_proc_t self = {0};
    pmix_proc_t got = {0};

    check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "the first server");
    same_for("TOOL-056", "server1", servers(), "one server");
    check_status_for("TOOL-050", PMIX_SUCCESS, attach_by(to_server(2), &got), "a second one");
    check_for("TOOL-050", strcmp(got.nspace, "server2") == 0, "its name: %s", got.nspace);
    add_true(list, PMIX_PRIMARY_SERVER);
    same_for("TOOL-053", "server1", answered_by(), "the first stays the primary one");
    check_status_for("TOOL-050", PMIX_SUCCESS,
                     PMIx_tool_attach_to_server(&self, &got, list->at, list->n), "a third one");
    check_for("TOOL-050", strcmp(got.nspace, "server3") == 0 && got.rank == 0, "its name: %s:%u",
              got.nspace, got.rank);
    check_for("TOOL-050", PMIX_CHECK_PROCID(&self, &me), "the tool's name");
    same_for("TOOL-053", "server3", answered_by(), "it was to be the primary one");
    same_for("TOOL-056", "server3,server1,server2", servers(), "the primary one, then the others");
}

static void set_and_leave(void)
{
    pmix_proc_t second = server(2);
    pmix_proc_t nobody = process("nobody", 0);

    check_status_for("TOOL-054", PMIX_SUCCESS, set(2), "another primary server");
    same_for("TOOL-054", "server2", answered_by(), "it answers");
    same_for("TOOL-056", "server2,server1,server3", servers(), "and is listed first");
    check_status_for("TOOL-054", PMIX_ERR_UNREACH, PMIx_tool_set_server(&nobody, NULL, 0),
                     "one that is not connected");
    same_for("TOOL-054", "server2", answered_by(), "changes nothing");
    check_status_for("TOOL-057", PMIX_SUCCESS, PMIx_tool_disconnect(&second), "disconnect");
    same_for("TOOL-057", "-25", answered_by(), "no primary server");
    check_status_for("TOOL-057", PMIX_SUCCESS, set(1), "another");
    same_for("TOOL-057", "server1", answered_by(), "answers");
}

static void see_three(void)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    int connections;

    begin_server(1);
    begin_server(2);
    begin_server(3);
    attach_three();
    set_and_leave();
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, tell_event, NULL, NULL) >= 0, "a handler");
    server_kill(1);
    about("TOOL-060");
    await("-61 of server1");
    same("server3", servers(), "the server that has died is in no list");
    check(answered_by()[0] == '-', "nor does it answer");
    about(NULL);
    check_status_for("TOOL-051", PMIX_SUCCESS,
                     attach_by(one_text(PMIX_SERVER_URI, uri_of(2)), NULL), "by URI");
    connections = upcalls(ON_TOOL, 2);
    check_status_for("TOOL-051", PMIX_SUCCESS,
                     attach_by(one_text(PMIX_SERVER_URI, uri_of(2)), NULL), "by URI again");
    check_status_for("TOOL-051", PMIX_SUCCESS, attach_by(to_server(2), NULL), "by name");
    check_for("TOOL-051", upcalls(ON_TOOL, 2) == connections, "no further connection");
    check_status_for("TOOL-052", PMIX_ERR_UNREACH,
                     attach_by(one_text(PMIX_SERVER_TMPDIR, make_folder("dir")), NULL),
                     "there is no other");
    same_for("TOOL-052", "server3,server2", servers(), "two servers, none of them primary");
    check_status(PMIX_SUCCESS, set(3), "set");
    same_for("TOOL-054", "server3", answered_by(), "the third answers");
    tool_end();
    server_end(3);
    begin_server(1); /* removes what was left */
    server_end(1);
    server_end(2);
    remove_folder("dir");
}

/* ---- in place of a server that has died */

/* The other tool: an event from each server that takes the place of one that has died. */
static void raise_there(void)
{
    for (int i = 2; i <= 3; i++) {
        pmix_status_t rc;

        await(path_named("server%d is the primary one", i));
        check_status(PMIX_SUCCESS, tool_begin(and_text(to_server(i), PMIX_TOOL_NSPACE, "other")),
                     "tool_init");
        rc = PMIx_Notify_event(CODE - i, NULL, PMIX_RANGE_LOCAL, NULL, 0, NULL, NULL);
        check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "notify: %d", rc);
        await(path_named("event %d of other", i));
        tool_end();
    }
}

static void lose_two(void)
{
    pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
    pmix_status_t codes[] = {CODE - 2, CODE - 3};

    about("TOOL-060");
    if (tool_number() == 1) {
        raise_there();
        return;
    }
    for (int i = 1; i <= 3; i++) {
        begin_server(i);
    }
    check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "tool_init");
    check(PMIx_Register_event_handler(&lost, 1, NULL, 0, tell_event, NULL, NULL) >= 0, "a handler");
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, tell_event, NULL, NULL) >= 0, "another");
    server_kill(1);
    await("-61 of server1");
    check(answered_by()[0] == '-', "nobody answers");
    check_status(PMIX_SUCCESS, attach_by(to_server(2), NULL), "attach");
    same("server2", answered_by(), "the only server is the primary one");
    tell("server2 is the primary one");
    await("event 2 of other");
    check_status(PMIX_SUCCESS, attach_by(to_server(3), NULL), "attach");
    server_kill(2);
    await("-61 of server2");
    same("server3", servers(), "one is left");
    check_status(PMIX_SUCCESS, set(3), "set");
    same("server3", answered_by(), "it is the primary one");
    tell("server3 is the primary one");
    await("event 3 of other");
    tool_end();
    server_end(3);
    for (int i = 1; i <= 2; i++) { /* removes what was left */
        begin_server(i);
        server_end(i);
    }
    remove_folder("dir");
}

static void tell_op(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "%s", (const char *) cbdata);
    tell(cbdata);
}

/* ---- output in place of a server that has died */

/* (host) */
static void say_who(struct upcall *copy)
{
    pmix_proc_t source = process("J", 0);
    const char *text = server_name(node());
    pmix_byte_object_t bytes = {.bytes = (char *) text, .size = strlen(text)};
    pmix_status_t rc =
        PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver: %d", rc);
    reply_status(copy, PMIX_SUCCESS);
}

/* (host) Servers name themselves to who asks for output; the fourth has none, and the fifth answers
 * when it is told to. */
static pmix_status_t give_output(struct upcall *ask)
{
    if (node() == 4) {
        return PMIX_ERR_NOT_SUPPORTED; /* this host has no output */
    }
    return later(ask, node() == 5 ? "the fifth may answer" : NULL, say_who);
}

static void hear(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) info;
    (void) ninfo;
    check(channel == PMIX_FWD_STDOUT_CHANNEL && strcmp(source->nspace, "J") == 0, "whose output");
    tell(path_named("%.*s for %zu", (int) bytes->size, bytes->bytes, id));
}

static size_t pull(void)
{
    pmix_proc_t source = process("J", PMIX_RANK_WILDCARD);
    struct infos list = {0};
    pmix_status_t rc;

    add_u32(&list, "conform.word", 7);
    rc = PMIx_IOF_pull(&source, 1, list.at, list.n, PMIX_FWD_STDOUT_CHANNEL, hear, NULL, NULL);
    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    free_infos(&list);
    return (size_t) rc;
}

static void check_asked(int number, int n)
{
    const struct record *r = upcall(ON_PULL, number, 0);

    check(upcalls(ON_PULL, number) == n, "server %d was asked %d times", number,
          upcalls(ON_PULL, number));
    check(n == 0 ||
              (r != NULL && r->range == PMIX_FWD_STDOUT_CHANNEL && r->n_procs == 1 &&
               record_names(r, "J", PMIX_RANK_WILDCARD) && record_info(r, "conform.word") != NULL),
          "for the same");
}

static void lose_server(int number)
{
    server_kill(number);
    await(path_named("-61 of %s", server_name(number)));
}

/* What was asked of a server that is gone is asked of the next primary one, once; what is still
 * served, or was ended, is not. */
static void lose_output(void)
{
    pmix_status_t codes[] = {PMIX_ERR_LOST_CONNECTION, PMIX_ERR_IOF_FAILURE};
    pmix_proc_t left = server(2);
    size_t id;

    for (int i = 1; i <= 5; i++) {
        begin_server(i);
    }
    check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "tool_init");
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, tell_event, NULL, NULL) >= 0, "a handler");
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(pull(), NULL, 0, NULL, NULL), "deregister");
    id = pull();
    await(path_named("server1 for %zu", id));
    lose_server(1);
    check_status(PMIX_SUCCESS, attach_by(to_server(2), NULL), "attach");
    await(path_named("server2 for %zu", id));
    check_asked(2, 1);
    check_status(PMIX_SUCCESS, attach_by(and_true(to_server(3), PMIX_PRIMARY_SERVER), NULL),
                 "another primary server");
    same("server3", answered_by(), "it answers");
    check_asked(3, 0);
    check_status(PMIX_SUCCESS, PMIx_tool_disconnect(&left), "leave the server that has it");
    check_status(PMIX_SUCCESS, attach_by(to_server(5), NULL), "one more connection meanwhile");
    check_status(PMIX_SUCCESS, set(3), "set");
    await(path_named("server3 for %zu", id));
    check_asked(3, 1);
    lose_server(3);
    check_status(PMIX_SUCCESS, attach_by(and_true(to_server(4), PMIX_PRIMARY_SERVER), NULL),
                 "a server without output");
    await("-172 of server4");
    check_status(PMIX_SUCCESS, attach_by(and_true(to_server(5), PMIX_PRIMARY_SERVER), NULL),
                 "the last one");
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, tell_op, (void *) "ended"),
                 "deregister what has not been answered yet");
    tell("the fifth may answer");
    await("ended");
    check(told(path_named("server5 for %zu", id)) == 1, "its output came before");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_IOF_deregister(id, NULL, 0, NULL, NULL), "once more");
    check(upcalls(ON_PULL, 5) == 2, "the host is told that nobody wants it: %d",
          upcalls(ON_PULL, 5));
    tool_end();
    begin_server(1); /* removes what was left */
    begin_server(3);
    for (int i = 1; i <= 5; i++) {
        server_end(i);
    }
    remove_folder("dir");
}

/* ---- a server that comes later */

static void *attach_beside(void *arg)
{
    (void) arg;
    await("set");
    check_status_for("TOOL-055", PMIX_SUCCESS, attach_by(to_server(2), NULL), "attach");
    return NULL;
}

static pmix_status_t set_patiently(int number, int seconds)
{
    struct infos list = {0};
    pmix_proc_t proc = server(number);
    pmix_status_t rc;

    add_true(&list, PMIX_WAIT_FOR_CONNECTION);
    add(&list, PMIX_TIMEOUT, &seconds, PMIX_INT);
    rc = PMIx_tool_set_server(&proc, list.at, list.n);
    free_infos(&list);
    return rc;
}

/* Finalize beside it, which may be first. */
static void *wait_for_nobody(void *arg)
{
    pmix_status_t rc;

    (void) arg;
    tell("waiting");
    rc = set_patiently(3, 0);
    check_for("TOOL-055", rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_INIT,
              "the library is finalized: %d", rc);
    return NULL;
}

static void wait_for_server(void)
{
    pthread_t thread;

    about("TOOL-055");
    begin_server(1);
    begin_server(2);
    check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "tool_init");
    check(pthread_create(&thread, NULL, attach_beside, NULL) == 0, "a thread");
    tell("set");
    check_status(PMIX_SUCCESS, set_patiently(2, 0), "a server that is attached meanwhile");
    same("server2", answered_by(), "is the primary one");
    (void) pthread_join(thread, NULL);
    check_status(PMIX_ERR_TIMEOUT, set_patiently(3, 1), "one that is not");
    check_status(PMIX_SUCCESS, set_patiently(1, 1), "one that is there");
    same("server1", answered_by(), "is the primary one");
    check(pthread_create(&thread, NULL, wait_for_nobody, NULL) == 0, "a thread");
    await("waiting");
    tool_end();
    (void) pthread_join(thread, NULL);
    server_end(2);
    server_end(1);
    remove_folder("dir");
}

/* ---- the tool that has started this one */

static void see_parent(void)
{
    const char *dir = make_folder("dir");

    about("TOOL-069");
    begin_server(1);
    begin_server(2);
    setenv("PMIX_LAUNCHER_RNDZ_URI", uri_of(2), 1);
    check_status(PMIX_SUCCESS, tool_begin(to_server(1)), "tool_init");
    same("server1,server2", servers(), "its own server, and that of its parent");
    same("server1", answered_by(), "its own is the primary one");
    check(getenv("PMIX_LAUNCHER_RNDZ_URI") == NULL, "the variable is not for its children");
    tool_end();
    setenv("PMIX_LAUNCHER_RNDZ_URI", uri_of(2), 1);
    setenv("PMIX_SERVER_TMPDIR", path_named("%s/none", dir), 1);
    check_status(PMIX_SUCCESS, tool_begin(NULL), "tool_init");
    same("server2", servers(), "its parent's alone");
    same("server2", answered_by(), "is the primary one");
    tool_end();
    server_end(2);
    server_end(1);
    remove_folder("dir");
}

static void job_ended(size_t id, pmix_status_t status, const pmix_proc_t *source,
                      pmix_info_t info[], size_t ninfo, pmix_info_t *results, size_t nresults,
                      pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell(status == PMIX_EVENT_JOB_END ? "the job has ended" : "something else");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void watch_pipe(void)
{
    pmix_status_t code = PMIX_EVENT_JOB_END;
    int ends[2] = {-1, -1};
    int left = 0;

    about("TOOL-068");
    check(pipe(ends) == 0, "a pipe");
    setenv("PMIX_KEEPALIVE_PIPE", path_named("%d", ends[0]), 1);
    check_status(PMIX_SUCCESS, tool_begin(one_true(PMIX_TOOL_DO_NOT_CONNECT)), "tool_init");
    check(getenv("PMIX_KEEPALIVE_PIPE") == NULL, "the variable is not for its children");
    check((fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0, "nor is the pipe");
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, job_ended, NULL, NULL) >= 0, "a handler");
    check(write(ends[1], "word", 4) == 4, "a word in the pipe");
    do {
        check(ioctl(ends[0], FIONREAD, &left) == 0, "what is left of it");
    } while (left > 0);
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, job_ended, NULL, NULL) >= 0,
          "another handler, behind the word");
    check(told("the job has ended") == 0, "the pipe is open");
    close(ends[1]);
    await("the job has ended");
    tool_end();
    check(told("the job has ended") == 1 && told("something else") == 0, "one event");
    close(ends[0]);
}

const struct conform_case cases[] = {
    {.ids = "TOOL-050 TOOL-051 TOOL-052 TOOL-053 TOOL-054 TOOL-056 TOOL-057 TOOL-060 S26",
     .otherwise = "TOOL-050",
     .what = "one tool, three servers",
     DRIVEN,
     .tool = see_three},
    {.ids = "TOOL-060",
     .what = "events are asked of the server that takes the place of a dead one",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 2,
     .server = without_tools,
     .further = serve_tools,
     .tool = lose_two,
     .host = {[ON_QUERY] = {OWN, .own = answer_question}}},
    {.ids = "TOOL-059",
     .what = "output is asked of the server that takes the place of a lost one",
     .jobs = {{"A", {1}, .quiet = true}},
     .tools = 1,
     .server = without_tools,
     .further = serve_tools,
     .tool = lose_output,
     .host = {[ON_QUERY] = {OWN, .own = answer_question}, [ON_PULL] = {OWN, .own = give_output}},
     .ours_only = "another library may lose what was asked of a lost server"},
    {.ids = "TOOL-055", .what = "a server that is attached later", DRIVEN, .tool = wait_for_server},
    {.ids = "TOOL-069",
     .what = "the server of the parent beside the own",
     DRIVEN,
     .tool = see_parent},
    {.ids = "TOOL-068", .what = "the parent's pipe", DRIVEN, .tool = watch_pipe},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
