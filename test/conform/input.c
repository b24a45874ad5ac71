/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Input for processes, from those that have it to the host: bytes that are pushed, and the standard
 * input of a tool. The host has no job J; it takes what J's processes would read. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/requests.h"
#include "lib/tools.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024, SMALL = 1 << 20, LARGE = 16 << 20, MOST = 4096 };

static void start(void)
{
    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
}

/* The byte at this place of the input. */
static char byte_at(size_t at)
{
    return (char) (at * 131 + (at >> 16) * 7 + (at >> 8));
}

/* ---- the host: compares what comes, and keeps nothing */

static size_t n_taken;
static size_t n_wrong;

static bool has(const struct upcall *ask, const char *key)
{
    for (size_t i = 0; i < ask->n_infos; i++) {
        if (PMIX_CHECK_KEY(&ask->infos[i], key)) {
            return true;
        }
    }
    return false;
}

/* So much that no buffer on the way holds it; 64 MiB in the long form. */
static int large(void)
{
    const char *is_long = getenv("PX_LONG");

    return is_long != NULL && is_long[0] != '\0' ? 4 * LARGE : LARGE;
}

/* One push is asked at a time, so that the order needs no lock. */
static void take_bytes(struct upcall *ask, pmix_rank_t rank)
{
    for (size_t i = 0; i < ask->n_data; i++) {
        n_wrong += ask->data[i] != byte_at(n_taken + i);
    }
    n_taken += ask->n_data;
    n_wrong += ask->n_data > MOST; /* hosts have buffers of a fixed size */
    if (ask->n_procs != 1 || !PMIX_CHECK_NSPACE(ask->procs[0].nspace, "J") ||
        ask->procs[0].rank != rank) {
        n_wrong++;
    }
    if (has(ask, PMIX_IOF_PUSH_STDIN)) {
        n_wrong++;
    }
    if (has(ask, PMIX_IOF_COMPLETE)) {
        n_wrong += ask->n_data > 0;
        check(n_wrong == 0 && (n_taken == SMALL || n_taken == (size_t) large()),
              "%zu of %zu bytes are wrong", n_wrong, n_taken);
        tell(n_taken == SMALL ? "small input" : "large input");
    }
}

static pmix_status_t take_for_one(struct upcall *ask)
{
    take_bytes(ask, 0);
    reply_status(ask, PMIX_SUCCESS);
    return PMIX_SUCCESS;
}

static pmix_status_t take_for_all(struct upcall *ask)
{
    take_bytes(ask, PMIX_RANK_WILDCARD);
    return PMIX_OPERATION_SUCCEEDED;
}

/* ---- the tool's standard input */

static int input_pipe[2];
static size_t input_size;
static size_t n_written;

/* Writes the input into the pipe; what is left over when nobody reads is not written. */
static void *write_input(void *arg)
{
    char piece[CHUNK];

    (void) arg;
    while (n_written < input_size) {
        size_t n = input_size - n_written < 5000 ? input_size - n_written : 5000;
        ssize_t done;

        for (size_t i = 0; i < n; i++) {
            piece[i] = byte_at(n_written + i);
        }
        done = write(input_pipe[1], piece, n);
        if (done <= 0) {
            break;
        }
        n_written += (size_t) done;
    }
    close(input_pipe[1]);
    return NULL;
}

/* Our standard input is a pipe with so many bytes in it. */
static void pipe_input(size_t n, pthread_t *writer)
{
    input_size = n;
    check(pipe(input_pipe) == 0 && dup2(input_pipe[0], STDIN_FILENO) == STDIN_FILENO, "pipe");
    close(input_pipe[0]);
    check(pthread_create(writer, NULL, write_input, NULL) == 0, "thread");
}

/* Our standard input is a file of so many bytes. */
static void file_input(size_t n)
{
    char path[512];
    char piece[CHUNK];
    int fd;

    snprintf(path, sizeof(path), "%s/input", scratch());
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (size_t at = 0; at < n; at += sizeof(piece)) {
        for (size_t i = 0; i < sizeof(piece); i++) {
            piece[i] = byte_at(at + i);
        }
        if (write(fd, piece, sizeof(piece)) != (ssize_t) sizeof(piece)) {
            check(false, "write %s", path);
            break;
        }
    }
    check(unlink(path) == 0 && lseek(fd, 0, SEEK_SET) == 0 &&
              dup2(fd, STDIN_FILENO) == STDIN_FILENO,
          "%s", path);
    close(fd);
}

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell(status == PMIX_ERR_IOF_COMPLETE ? "complete" : "failure");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void hear_events(void)
{
    pmix_status_t codes[] = {PMIX_ERR_IOF_FAILURE, PMIX_ERR_IOF_COMPLETE};

    check(PMIx_Register_event_handler(codes, 2, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
}

static pmix_status_t push_input(pmix_rank_t rank)
{
    pmix_proc_t target = process("J", rank);
    struct infos list = {0};
    pmix_status_t rc;

    add_true(&list, PMIX_IOF_PUSH_STDIN);
    rc = PMIx_IOF_push(&target, 1, NULL, list.at, list.n, NULL, NULL);
    free_infos(&list);
    return rc;
}

static void stop(void)
{
    int null = open("/dev/null", O_RDONLY);

    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    check(dup2(null, STDIN_FILENO) == STDIN_FILENO, "/dev/null");
    close(null);
}

static void push_pipe(void)
{
    pthread_t writer;

    start();
    hear_events();
    pipe_input(large(), &writer);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    await("large input");
    await("complete");
    check(told("failure") == 0, "no failure");
    pthread_join(writer, NULL);
    stop();
}

static void push_file(void)
{
    start();
    hear_events();
    file_input(large());
    check_status(PMIX_SUCCESS, push_input(PMIX_RANK_WILDCARD), "push");
    await("large input");
    await_n("complete", 1);
    file_input(0);
    check_status(PMIX_SUCCESS, push_input(PMIX_RANK_WILDCARD), "a second input, which is empty");
    await_n("large input", 2);
    await_n("complete", 2);
    stop();
}

/* ---- a reader that is slow, one that closes, one that is not there */

static int n_asked;

static void go_on(struct upcall *copy)
{
    reply_status(copy, PMIX_SUCCESS);
}

/* The answer to the first piece waits until the tool has looked. */
static pmix_status_t take_slowly(struct upcall *ask)
{
    take_bytes(ask, 0);
    n_asked++;
    if (n_asked == 1) {
        tell("first piece");
        return later(ask, "looked", go_on);
    }
    return PMIX_OPERATION_SUCCEEDED;
}

/* Two round trips to the server. After the first, its answer to the last push has arrived here;
 * after the second, the server has received the push that this answer allowed. */
static void settle_input(void)
{
    for (int i = 0; i < 2; i++) {
        check_status(PMIX_ERR_NOT_SUPPORTED, request_control(NULL, 0), "round trip");
    }
}

/* The pipe and one piece are all that is taken from whoever writes. */
static void wait_for_reader(void)
{
    pthread_t writer;

    start();
    hear_events();
    pipe_input(SMALL, &writer);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    await("first piece");
    check_status(PMIX_ERR_EXISTS, push_input(1), "there is one standard input");
    settle_input();
    check(upcalls(ON_PUSH, 0) == 1, "one piece at a time");
    check(n_written < SMALL, "whoever writes is held back: %zu bytes", n_written);
    tell("looked");
    await("small input");
    await("complete");
    pthread_join(writer, NULL);
    stop();
}

static pmix_status_t close_early(struct upcall *ask)
{
    (void) ask;
    n_asked++;
    return n_asked == 2 ? PMIX_ERR_IOF_COMPLETE : PMIX_OPERATION_SUCCEEDED;
}

static void lose_reader(void)
{
    pthread_t writer;

    signal(SIGPIPE, SIG_IGN);
    start();
    hear_events();
    pipe_input(LARGE, &writer);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    await_upcalls(ON_PUSH, 2);
    settle_input();
    stop();
    pthread_join(writer, NULL);
    check(upcalls(ON_PUSH, 0) == 2 && n_written < LARGE, "nothing more is read");
    check(told("failure") == 0 && told("complete") == 0, "a reader that has enough is no failure");
}

static void find_no_reader(void)
{
    pmix_proc_t target = process("J", 0);
    pmix_byte_object_t bytes = {.bytes = (char *) "word", .size = 4};
    struct infos list = {0};
    pthread_t writer;

    start();
    hear_events();
    pipe_input(0, &writer);
    add_true(&list, PMIX_IOF_PUSH_STDIN);
    check_status(PMIX_SUCCESS, PMIx_IOF_push(&target, 1, &bytes, list.at, list.n, NULL, NULL),
                 "reading begins behind what is pushed first");
    free_infos(&list);
    await("failure");
    settle_input();
    check(upcalls(ON_PUSH, 0) == 1, "nothing more is pushed");
    pthread_join(writer, NULL);
    stop();
}

/* The application says that it is over; whoever writes has not closed the pipe. */
static void end_by_hand(void)
{
    pmix_proc_t target = process("J", 0);
    struct infos list = {0};

    start();
    hear_events();
    check(pipe(input_pipe) == 0 && dup2(input_pipe[0], STDIN_FILENO) == STDIN_FILENO, "pipe");
    close(input_pipe[0]);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    add_true(&list, PMIX_IOF_COMPLETE);
    check_status(PMIX_SUCCESS, PMIx_IOF_push(&target, 1, NULL, list.at, list.n, NULL, NULL),
                 "the end");
    free_infos(&list);
    await_upcalls(ON_PUSH, 1);
    check(record_info(upcall(ON_PUSH, 0, 0), PMIX_IOF_COMPLETE) != NULL, "the host is told");
    check(write(input_pipe[1], "late", 4) == 4, "somebody writes");
    check_status(PMIX_SUCCESS, push_input(0), "and it is read again when that is asked for");
    await_upcalls(ON_PUSH, 2);
    close(input_pipe[1]);
    await("complete");
    check(upcall(ON_PUSH, 0, 1)->n_blob == 4 && memcmp(upcall(ON_PUSH, 0, 1)->blob, "late", 4) == 0,
          "what was written");
    stop();
}

/* A forked child that becomes a tool: its input is another, and its end leaves the parent's be. Its
 * exit status. */
static int live_elsewhere(void)
{
    int own[2];
    int wrong = pipe(own) != 0 || dup2(own[0], STDIN_FILENO) != STDIN_FILENO;

    wrong += tool_begin(one_pid(server_pid(0))) != PMIX_SUCCESS;
    wrong += push_input(1) != PMIX_SUCCESS;
    wrong += PMIx_tool_finalize() != PMIX_SUCCESS;
    return wrong;
}

static void fork_a_tool(void)
{
    int status = -1;
    pid_t child;

    start();
    hear_events();
    check(pipe(input_pipe) == 0 && dup2(input_pipe[0], STDIN_FILENO) == STDIN_FILENO, "pipe");
    close(input_pipe[0]);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    child = fork();
    if (child == 0) {
        _exit(live_elsewhere());
    }
    check(waitpid(child, &status, 0) == child && status == 0, "the child: %d", status);
    check(write(input_pipe[1], "line", 4) == 4, "somebody writes");
    await_upcalls(ON_PUSH, 1);
    check(upcall(ON_PUSH, 0, 0)->n_blob == 4, "what was written");
    close(input_pipe[1]);
    await("complete");
    stop();
}

/* ---- a host that is behind */

#ifndef CONFORM_THEIRS
static pmix_status_t take_too_much(struct upcall *ask)
{
    take_bytes(ask, 0);
    n_asked++;
    return n_asked == 1 ? PMIX_ERR_IOF_XOFF : PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t flow(const char *nspace, pmix_rank_t rank, bool pause)
{
    pmix_proc_t source = process(nspace, rank);

    return PMIx_server_IOF_flow_control(nspace[0] != '\0' ? &source : NULL, PMIX_FWD_STDIN_CHANNEL,
                                        pause, NULL, 0, NULL, NULL);
}

static void let_go_on(void)
{
    await("looked");
    check_status(
        PMIX_ERR_NOT_SUPPORTED,
        PMIx_server_IOF_flow_control(NULL, PMIX_FWD_STDOUT_CHANNEL, false, NULL, 0, NULL, NULL),
        "there is only standard input");
    check_status(PMIX_OPERATION_SUCCEEDED, flow("other", 0, false), "another may go on");
    tell("another goes on");
    await("looked again");
    check_status(PMIX_OPERATION_SUCCEEDED, flow("", 0, false), "all may go on");
    await("small input");
    check_status(PMIX_OPERATION_SUCCEEDED, flow("tool", PMIX_RANK_WILDCARD, true), "pause");
    tell("paused");
    await("pushed by hand");
    check(told("answered") == 0, "the answer is held back");
    check_status(PMIX_OPERATION_SUCCEEDED, flow("tool", PMIX_RANK_WILDCARD, false), "go on");
    await("answered");
    check_status(PMIX_OPERATION_SUCCEEDED, flow("other", PMIX_RANK_WILDCARD, true), "pause others");
    tell("others are paused");
}

static void on_answer(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "the push");
    tell(cbdata);
}

static void look(const char *what)
{
    settle_input();
    check_for("IOF-011", upcalls(ON_PUSH, 0) == 1, "%s: %d pieces", what, upcalls(ON_PUSH, 0));
}

static void be_held_back(void)
{
    pmix_proc_t target = process("J", 0);
    pmix_byte_object_t bytes = {.bytes = (char *) "word", .size = 4};
    struct infos list = {0};
    pmix_rank_t rank = 0;
    pid_t pid = server_pid(0);
    pthread_t writer;
    int n;

    add_text(&list, PMIX_TOOL_NSPACE, "tool");
    add(&list, PMIX_TOOL_RANK, &rank, PMIX_PROC_RANK);
    add(&list, PMIX_SERVER_PIDINFO, &pid, PMIX_PID);
    check(PMIx_tool_init(&me, list.at, list.n) == PMIX_SUCCESS, "tool_init");
    free_infos(&list);
    hear_events();
    pipe_input(SMALL, &writer);
    check_status(PMIX_SUCCESS, push_input(0), "push");
    await_upcalls(ON_PUSH, 1);
    look("the host has enough");
    tell("looked");
    await("another goes on");
    look("it lets another one go on");
    tell("looked again");
    await("complete");
    pthread_join(writer, NULL);
    await("paused");
    n = upcalls(ON_PUSH, 0);
    check_status(PMIX_SUCCESS,
                 PMIx_IOF_push(&target, 1, &bytes, NULL, 0, on_answer, (void *) "answered"),
                 "by hand");
    await_upcalls(ON_PUSH, n + 1);
    settle_input();
    tell("pushed by hand");
    await("others are paused");
    check_status(PMIX_SUCCESS,
                 PMIx_IOF_push(&target, 1, &bytes, NULL, 0, on_answer, (void *) "answered too"),
                 "while others are held back");
    await("answered too");
    check(told("failure") == 0, "a pause is no failure");
    stop();
}
#endif

/* ---- bytes that are pushed */

static char pushed[] = "bytes";

static void on_push(pmix_status_t status, void *cbdata)
{
    check_status(PMIX_SUCCESS, status, "the push");
    memset(pushed, 'x', sizeof(pushed));
    tell(cbdata);
}

static void push_bytes(void)
{
    pmix_proc_t targets[] = {process("J", 0), process("J", 2)};
    pmix_byte_object_t bytes = {.bytes = pushed, .size = sizeof(pushed)};
    const struct record *r;

    start();
    check_status(PMIX_SUCCESS,
                 PMIx_IOF_push(targets, 2, &bytes, NULL, 0, on_push, (void *) "pushed"), "push");
    await("pushed");
    await_upcalls(ON_PUSH, 1);
    r = upcall(ON_PUSH, 0, 0);
    check(r->n_blob == sizeof(pushed) && strcmp(r->blob, "bytes") == 0, "the bytes");
    check(r->n_procs == 2 && record_names(r, "J", 0) && record_names(r, "J", 2), "the targets");
    check(record_info(r, PMIX_USERID) != NULL &&
              record_info(r, PMIX_USERID)->number == (int64_t) geteuid(),
          "the user");
    check(record_info(r, PMIX_GRPID) != NULL &&
              record_info(r, PMIX_GRPID)->number == (int64_t) getegid(),
          "the group");
    stop();
}

const struct conform_case cases[] = {
    {.ids = "IOF-010",
     .what = "pushed bytes come to the host, and are the caller's again after that",
     .host = {[ON_PUSH] = {CALLBACK, PMIX_SUCCESS}},
     .tools = 1,
     .tool = push_bytes},
    {.ids = "IOF-011",
     .what = "a tool's standard input, a pipe, comes to one process",
     .host = {[ON_PUSH] = {OWN, .own = take_for_one}},
     .tools = 1,
     .tool = push_pipe},
    {.ids = "IOF-011",
     .what = "a tool's standard input, a file, comes to all processes",
     .host = {[ON_PUSH] = {OWN, .own = take_for_all}},
     .tools = 1,
     .tool = push_file},
    {.ids = "IOF-011",
     .what = "a slow reader holds back whoever writes",
     .host = {[ON_PUSH] = {OWN, .own = take_slowly}},
     .tools = 1,
     .tool = wait_for_reader},
#ifndef CONFORM_THEIRS
    {.ids = "IOF-010 IOF-011",
     .otherwise = "IOF-010",
     .what = "a host holds back those that push",
     .host = {[ON_PUSH] = {OWN, .own = take_too_much}, [ON_CONTROL] = {MISSING}},
     .script = let_go_on,
     .tools = 1,
     .tool = be_held_back},
#endif
    {.ids = "IOF-011",
     .what = "a reader that has enough ends the reading",
     .host = {[ON_PUSH] = {OWN, .own = close_early}},
     .tools = 1,
     .tool = lose_reader},
    {.ids = "IOF-011",
     .what = "a piece that is refused ends the reading",
     .host = {[ON_PUSH] = {AT_ONCE, PMIX_ERR_NOT_FOUND}},
     .tools = 1,
     .tool = find_no_reader},
    {.ids = "IOF-011",
     .what = "the application ends the reading",
     .host = {[ON_PUSH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}},
     .tools = 1,
     .tool = end_by_hand},
    {.ids = "IOF-011",
     .what = "a forked child has an input of its own",
     .host = {[ON_PUSH] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED}},
     .tools = 1,
     .tool = fork_a_tool},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
