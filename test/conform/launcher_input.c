/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Input for processes that a launcher without a server starts itself: what is pushed by it, by
 * another tool, by a process of its jobs, and its own standard input. */

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/children.h"
#include "lib/conform.h"
#include "lib/launches.h"
#include "lib/tools.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 1 << 20 };

static pmix_byte_object_t bytes_of(const char *text)
{
    return (pmix_byte_object_t){.bytes = (char *) (uintptr_t) text, .size = strlen(text)};
}

/* ---- in a process of its jobs */

/* A job of its own with input, which it pushes. */
static void feed_own(void)
{
    char *args[] = {(char *) (uintptr_t) "cat", NULL};
    pmix_app_t app = {.cmd = args[0], .argv = args, .maxprocs = 1};
    pmix_byte_object_t bytes = bytes_of("of a client\n");
    struct infos list = {0};
    pmix_proc_t target = {.rank = 0};

    add_true(&list, PMIX_FWD_STDIN);
    add_true(&list, PMIX_FWD_STDOUT);
    child_must(PMIx_Spawn(list.at, list.n, &app, 1, target.nspace) == PMIX_SUCCESS, "spawn");
    free_infos(&list);
    add_true(&list, PMIX_IOF_COMPLETE);
    child_must(PMIx_IOF_push(&target, 1, &bytes, list.at, list.n, NULL, NULL) == PMIX_SUCCESS,
               "push");
    free_infos(&list);
}

const struct child_kind child_kinds[] = {{"feeds", feed_own}, {NULL, NULL}};

/* ---- in the launcher */

/* The checks that follow are about input: the case names IOF-010 or IOF-011 as its last id. All
 * other checks of the case are about TOOL-067: jobs are started, and end. */
static void about_input(void)
{
    about(strstr(the_case()->ids, "IOF-"));
}

/* Directives of a job: who has input. One list at a time. */
static struct infos *fed(const char *key, const void *value, pmix_data_type_t type)
{
    struct infos *list = one_true(PMIX_NOTIFY_COMPLETION);

    add(list, key, value, type);
    return list;
}

static struct infos *fed_all(void)
{
    pmix_rank_t all = PMIX_RANK_WILDCARD;

    return fed(PMIX_FWD_STDIN, &all, PMIX_PROC_RANK);
}

/* Pushes a text, with one directive or (NULL) none. */
static pmix_status_t push(const char *job, pmix_rank_t rank, const char *text, const char *key)
{
    pmix_proc_t target = process(job, rank);
    pmix_byte_object_t bytes = bytes_of(text);
    struct infos list = {0};
    pmix_status_t rc;

    if (key != NULL) {
        add_true(&list, key);
    }
    rc = PMIx_IOF_push(&target, 1, &bytes, list.at, list.n, NULL, NULL);
    free_infos(&list);
    return rc;
}

/* Each process says what it has read. */
static const char *const tellers = "while read x; do echo $PMIX_RANK has $x; done";

/* Of three processes this one has input. */
static void feed_one(struct infos *list, pmix_rank_t rank)
{
    static int nth;
    const char *job = launch_job(list, 3, "sh", "-c", tellers);
    int n = ++nth;

    about_input();
    check_status(PMIX_SUCCESS, push(job, rank, path_named("%d.1\n", n), NULL), "push");
    await(path_named("out: %u has %d.1", rank, n));
    check_status(PMIX_SUCCESS, push(job, PMIX_RANK_WILDCARD, path_named("%d.2\n", n), NULL),
                 "to all");
    await(path_named("out: %u has %d.2", rank, n));
    check_status(PMIX_ERR_NOT_FOUND, push(job, rank == 0 ? 1 : 0, "three\n", NULL), "another");
    check_status(PMIX_SUCCESS, push(job, rank, "", NULL), "the end");
    about(NULL);
    await_end(job, "0");
    about_input();
    check(told(path_named("out: %u has %d.2", rank, n)) == 1, "once");
    check_status(PMIX_ERR_IOF_COMPLETE, push(job, rank, "four\n", NULL), "it is over");
    about(NULL);
}

static void choose(void)
{
    pmix_byte_object_t five = bytes_of("five\n");
    pmix_proc_t last = process("", 2);
    pmix_proc_t all_and_one[2];
    pmix_rank_t rank = 1;
    uint32_t number = 1;
    bool yes = true;
    struct infos *both;
    const char *job;

    begin_alone();
    feed_one(fed(PMIX_FWD_STDIN, &yes, PMIX_BOOL), 0);
    feed_one(fed(PMIX_FWD_STDIN, &rank, PMIX_PROC_RANK), 1);
    feed_one(fed(PMIX_STDIN_TGT, &last, PMIX_PROC), 2);
    both = fed(PMIX_STDIN_TGT, &number, PMIX_UINT32);
    add_true(both, PMIX_FWD_STDIN);
    feed_one(both, 1);
    job = launch_job(fed_all(), 3, "sh", "-c", tellers);
    all_and_one[0] = process(job, PMIX_RANK_WILDCARD);
    all_and_one[1] = process(job, 1);
    about_input();
    check_status(PMIX_SUCCESS, PMIx_IOF_push(all_and_one, 2, &five, NULL, 0, NULL, NULL), "push");
    check_status(PMIX_SUCCESS, push(job, PMIX_RANK_WILDCARD, "", PMIX_IOF_COMPLETE), "the end");
    about(NULL);
    await_end(job, "0");
    about_input();
    check(told("out: 0 has five") == 1 && told("out: 1 has five") == 1 &&
              told("out: 2 has five") == 1,
          "all of them, once");
    about(NULL);
    tool_end();
}

/* The directives of an app are for its processes. */
static void choose_by_app(void)
{
    char *args[] = {(char *) (uintptr_t) "sh", (char *) (uintptr_t) "-c",
                    (char *) (uintptr_t) tellers, NULL};
    pmix_app_t apps[2] = {{.cmd = args[0], .argv = args, .maxprocs = 2},
                          {.cmd = args[0], .argv = args, .maxprocs = 2}};
    struct infos of_app = {0};
    struct infos of_job = {0};
    pmix_nspace_t nspace;
    pmix_rank_t rank = 1;

    begin_alone();
    add_true(&of_app, PMIX_FWD_STDIN);
    add_true(&of_job, PMIX_FWD_STDOUT);
    apps[1].info = of_app.at;
    apps[1].ninfo = of_app.n;
    check_status(PMIX_SUCCESS, PMIx_Spawn(of_job.at, of_job.n, apps, 2, nspace), "spawn");
    about_input();
    check_status(PMIX_SUCCESS, push(nspace, PMIX_RANK_WILDCARD, "six\n", PMIX_IOF_COMPLETE),
                 "push");
    about(NULL);
    await_end(nspace, "0");
    check_for("IOF-010", told("out: 2 has six") == 1 && told("out: 0 has six") == 0,
              "its first process");
    free_infos(&of_app);
    add(&of_app, PMIX_FWD_STDIN, &rank, PMIX_PROC_RANK);
    apps[1].info = of_app.at;
    check_status(PMIX_ERR_BAD_PARAM, PMIx_Spawn(of_job.at, of_job.n, apps, 2, nspace),
                 "a process of another app");
    free_infos(&of_app);
    free_infos(&of_job);
    tool_end();
}

static void refuse(void)
{
    pmix_proc_t nobody = process("", 0);
    pmix_rank_t rank = 3;
    bool no = false;
    char text[] = "all";
    const char *job;

    begin_alone();
    same(path_named("%d", PMIX_ERR_BAD_PARAM),
         launch_job(fed(PMIX_FWD_STDIN, &rank, PMIX_PROC_RANK), 3, "cat", NULL, NULL),
         "no process");
    same(path_named("%d", PMIX_ERR_BAD_PARAM),
         launch_job(fed(PMIX_STDIN_TGT, text, PMIX_STRING), 3, "cat", NULL, NULL), "no name");
    job = launch_job(fed(PMIX_FWD_STDIN, &no, PMIX_BOOL), 1, "cat", NULL, NULL);
    await_end(job, "0");
    about_input();
    check_status(PMIX_ERR_NOT_SUPPORTED, push("elsewhere", 0, "x", NULL), "not of this launcher");
    check_status(PMIX_ERR_NOT_SUPPORTED, push(path_named("%s9", job), 0, "x", NULL), "nor this");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_IOF_push(&nobody, 0, NULL, NULL, 0, NULL, NULL),
                 "to nobody");
    about(NULL);
    tool_end();
}

/* ---- readers that are slow, or close */

static void taken(pmix_status_t status, void *cbdata)
{
    check_status_for("IOF-010", PMIX_SUCCESS, status, "the push");
    tell(cbdata);
}

/* One that is not answered holds back nobody else. */
static void wait_for_reader(void)
{
    const char *fifo = path_named("%s/fifo", scratch());
    pmix_byte_object_t bytes = {.bytes = calloc(1, SIZE), .size = SIZE};
    pmix_proc_t target;
    const char *job;
    bool yes = true;

    begin_alone();
    check(mkfifo(fifo, 0600) == 0, "a pipe");
    job = launch_job(fed_all(), 1, "sh", "-c", path_named("read x < %s; wc -c", fifo));
    target = process(job, 0);
    check_status(PMIX_SUCCESS,
                 PMIx_IOF_push(&target, 1, &bytes, NULL, 0, taken, (void *) "it is taken"), "push");
    feed_one(fed(PMIX_FWD_STDIN, &yes, PMIX_BOOL), 0);
    about_input();
    check(told("it is taken") == 0, "not before it is read");
    check(close(open(fifo, O_WRONLY | O_CLOEXEC)) == 0 && remove(fifo) == 0, "it reads now");
    await("it is taken");
    check_status(PMIX_SUCCESS, push(job, 0, "", PMIX_IOF_COMPLETE), "the end");
    about(NULL);
    await_end(job, "0");
    check_for("IOF-010", told(path_named("out: %d", SIZE)) == 1, "all of it");
    free(bytes.bytes);
    tool_end();
}

/* One of them closes its input, and runs on: the other still gets all. */
static void lose_one(void)
{
    const char *fifo = path_named("%s/fifo", scratch());
    char *text = malloc(SIZE + 1);
    const char *job;

    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    begin_alone();
    check(mkfifo(fifo, 0600) == 0, "a pipe");
    job = launch_job(fed_all(), 2, "sh", "-c",
                     path_named("[ $PMIX_RANK = 1 ] && exec wc -c; exec < /dev/null; echo enough; "
                                "cat %s",
                                fifo));
    await("out: enough");
    about_input();
    check_status(PMIX_SUCCESS, push(job, PMIX_RANK_WILDCARD, text, NULL), "to both");
    check_status(PMIX_ERR_IOF_COMPLETE, push(job, 0, text, NULL), "this one reads no more");
    check_status(PMIX_SUCCESS, push(job, PMIX_RANK_WILDCARD, text, PMIX_IOF_COMPLETE), "the rest");
    await(path_named("out: %d", 2 * SIZE));
    about(NULL);
    check(close(open(fifo, O_WRONLY | O_CLOEXEC)) == 0 && remove(fifo) == 0, "it ends now");
    await_end(job, "0");
    free(text);
    tool_end();
}

/* ---- its own standard input */

static int input_pipe[2];

/* The byte at this place of the input. */
static char byte_at(size_t at)
{
    return (char) (at * 131 + (at >> 16) * 7 + (at >> 8));
}

static void *write_input(void *arg)
{
    static char piece[SIZE];

    (void) arg;
    for (size_t i = 0; i < SIZE; i++) {
        piece[i] = byte_at(i);
    }
    for (size_t at = 0; at < SIZE;) {
        ssize_t n = write(input_pipe[1], piece + at, SIZE - at);

        if (n <= 0) {
            break;
        }
        at += (size_t) n;
    }
    close(input_pipe[1]);
    return NULL;
}

static size_t n_came[2];
static size_t n_wrong;

static void compare(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                    pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id, (void) channel, (void) info, (void) ninfo;
    for (size_t i = 0; bytes != NULL && i < bytes->size; i++) {
        n_wrong += bytes->bytes[i] != byte_at(n_came[source->rank % 2]++);
    }
}

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id, (void) source, (void) info, (void) ninfo, (void) results, (void) nresults;
    tell(status == PMIX_ERR_IOF_COMPLETE ? "complete" : "failure");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void begin_to_read(void)
{
    pmix_status_t codes[] = {PMIX_ERR_IOF_FAILURE, PMIX_ERR_IOF_COMPLETE};

    check_status(PMIX_SUCCESS, tool_begin(launcher_alone()), "tool_init");
    hear_ends();
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    check(pipe2(input_pipe, O_CLOEXEC) == 0 && dup2(input_pipe[0], STDIN_FILENO) == STDIN_FILENO,
          "pipe");
    close(input_pipe[0]);
}

static void end_reading(void)
{
    int null = open("/dev/null", O_RDONLY);

    tool_end();
    check(dup2(null, STDIN_FILENO) == STDIN_FILENO, "/dev/null");
    close(null);
}

/* As prun and mpirun do. */
static void pass_own(void)
{
    pmix_proc_t any = process("", PMIX_RANK_WILDCARD);
    pthread_t writer;
    const char *job;

    begin_to_read();
    check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, compare, NULL, NULL) > 0,
          "pull");
    check(pthread_create(&writer, NULL, write_input, NULL) == 0, "thread");
    job = launch_job(fed_all(), 2, "cat", NULL, NULL);
    about_input();
    check_status(PMIX_SUCCESS, push(job, PMIX_RANK_WILDCARD, "", PMIX_IOF_PUSH_STDIN), "push");
    about(NULL);
    await_end(job, "0");
    about_input();
    check(n_came[0] == SIZE && n_came[1] == SIZE && n_wrong == 0, "%zu and %zu bytes, %zu wrong",
          n_came[0], n_came[1], n_wrong);
    await("complete");
    check(told("failure") == 0, "no failure");
    about(NULL);
    pthread_join(writer, NULL);
    end_reading();
}

/* Whoever writes our input goes on when the job has ended. */
static void outlast_it(void)
{
    pmix_proc_t any = process("", PMIX_RANK_WILDCARD);
    const char *job;

    begin_to_read();
    check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, hear_output, NULL, NULL) > 0,
          "pull");
    job = launch_job(fed_all(), 1, "sh", "-c", "read x; echo $x");
    about_input();
    check_status(PMIX_SUCCESS, push(job, 0, "", PMIX_IOF_PUSH_STDIN), "push");
    check(write(input_pipe[1], "a line\n", 7) == 7, "a line");
    await("out: a line");
    about(NULL);
    await_end(job, "0");
    check_for("IOF-011", write(input_pipe[1], "late\n", 5) == 5, "another");
    job = launch_job(fed_all(), 1, "sh", "-c", "read x; echo $x");
    close(input_pipe[1]);
    check_status(PMIX_SUCCESS, push(job, 0, "by hand\n", NULL), "the library still works");
    await("out: by hand");
    await_end(job, "0");
    check_for("IOF-011", told("failure") == 0, "a job that ends is no failure");
    end_reading();
}

/* ---- of others */

static void feed_from_client(void)
{
    const char *job;

    begin_alone();
    job = launch(1, NULL, NULL, "feeds");
    await_end(job, "0");
    about_input();
    await("out: of a client");
    check(told("out: of a client") == 1, "what it has pushed is read once");
    about(NULL);
    await_end(path_named("%.*s.2", (int) (strrchr(job, '.') - job), job), "0");
    tool_end();
}

/* Another tool, which has read the name of the job. */
static void feed_from_tool(void)
{
    const char *uri = path_named("%s/uri", scratch());
    const char *name = path_named("%s/job", scratch());
    const char *job;

    if (tool_number() == 0) {
        struct infos *list = launcher_alone();
        pmix_proc_t any = process("", PMIX_RANK_WILDCARD);

        add_text(list, PMIX_TCP_REPORT_URI, uri);
        check_status(PMIX_SUCCESS, tool_begin(list), "tool_init");
        hear_ends();
        check(PMIx_IOF_pull(&any, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, hear_output, NULL, NULL) > 0,
              "pull");
        job = launch_job(fed_all(), 2, "sh", "-c", tellers);
        write_text(name, job);
        tell("ready");
        await_end(job, "0");
        check_for("IOF-010", told("out: 0 has seven") == 1 && told("out: 1 has eight") == 1,
                  "what they read");
        tell("over");
        await("the tool has ended");
        tool_end();
        remove(name);
        return;
    }
    await("ready");
    job = path_named("%s", read_text(name));
    check_status(PMIX_SUCCESS, tool_begin(one_text(PMIX_TCP_URI, path_named("file:%s", uri))),
                 "a tool");
    about_input();
    check_status(PMIX_SUCCESS, push(job, 0, "seven\n", PMIX_IOF_COMPLETE), "push");
    check_status(PMIX_SUCCESS, push(job, 1, "eight\n", PMIX_IOF_COMPLETE), "push");
    await("over");
    check_status(PMIX_ERR_IOF_COMPLETE, push(job, 1, "nine\n", NULL), "it is over");
    about(NULL);
    tool_end();
    tell("the tool has ended");
}

#define ALONE .jobs = {{"A", {1}, .quiet = true}}, .server = without_tools

const struct conform_case cases[] = {
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "which processes have input",
     ALONE,
     .tools = 1,
     .tool = choose},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "which processes of an app have input",
     ALONE,
     .tools = 1,
     .tool = choose_by_app},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "who has no input",
     ALONE,
     .tools = 1,
     .tool = refuse},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "a push is answered when it is read",
     ALONE,
     .tools = 1,
     .tool = wait_for_reader},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "one of two reads no more",
     ALONE,
     .tools = 1,
     .tool = lose_one},
    {.ids = "TOOL-067 IOF-011",
     .otherwise = "TOOL-067",
     .what = "a launcher's own input comes to its processes",
     ALONE,
     .tools = 1,
     .tool = pass_own},
    {.ids = "TOOL-067 IOF-011",
     .otherwise = "TOOL-067",
     .what = "a launcher's own input lasts longer than its job",
     ALONE,
     .tools = 1,
     .tool = outlast_it},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "a client of a launcher pushes",
     ALONE,
     .tools = 1,
     .tool = feed_from_client},
    {.ids = "TOOL-067 IOF-010",
     .otherwise = "TOOL-067",
     .what = "another tool pushes to a launcher's processes",
     ALONE,
     .tools = 2,
     .tool = feed_from_tool},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
