/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What the library writes of the output that a tool asked for without a function: the format of its
 * lines, and its files. */

#define _XOPEN_SOURCE 700

#include "lib/answers.h"
#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 65536, PIECE = 1000, MANY = 400 };

static void start(void)
{
    char path[512];

    check_status(PMIX_SUCCESS, tool_begin(one_pid(server_pid(0))), "tool_init");
    snprintf(path, sizeof(path), "%s/w", scratch());
    check(mkdir(path, 0700) == 0, "%s", path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void) st;
    (void) type;
    (void) at;
    return remove(path);
}

static void finish(void)
{
    char path[512];

    check_status(PMIX_SUCCESS, PMIx_tool_finalize(), "tool_finalize");
    snprintf(path, sizeof(path), "%s/w", scratch());
    check(nftw(path, remove_one, 4, FTW_DEPTH | FTW_PHYS) == 0, "remove %s", path);
}

/* ---- what the processes of J write, once for each request of the tool */

static void write_as(const char *nspace, pmix_rank_t rank, pmix_iof_channel_t channel,
                     const char *text)
{
    pmix_proc_t source = process(nspace, rank);
    pmix_byte_object_t bytes = {.bytes = (char *) text, .size = strlen(text)};
    pmix_status_t rc = PMIx_server_IOF_deliver(&source, channel, &bytes, NULL, 0, NULL, NULL);

    check(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver");
}

static void write_all(void)
{
    for (int i = 1; told("no more") == 0; i++) {
        await_n("hearing", i);
        write_as("J", 0, PMIX_FWD_STDOUT_CHANNEL, "one\ntw");
        write_as("J", 1, PMIX_FWD_STDOUT_CHANNEL, "a<b&c\n");
        write_as("J", 0, PMIX_FWD_STDERR_CHANNEL, "oops\n");
        write_as("J", 0, PMIX_FWD_STDOUT_CHANNEL, "o\nlast");
        write_as("../K", 7, PMIX_FWD_STDOUT_CHANNEL, "foreign\n");
        tell("written");
        await_n("checked", i);
    }
}

/* ---- the tool: one request with the directives, during which its descriptors are files */

static int n_rounds;

static int divert(int fd, const char *name)
{
    char path[512];
    int kept = dup(fd);
    int to;

    snprintf(path, sizeof(path), "%s/w/%s", scratch(), name);
    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    check(to >= 0 && dup2(to, fd) == fd, "%s", path);
    close(to);
    return kept;
}

static void restore(int fd, int kept)
{
    check(dup2(kept, fd) == fd, "dup2");
    close(kept);
}

static void pull_all(struct infos *list, pmix_iof_cbfunc_t fn)
{
    pmix_proc_t all = process("", PMIX_RANK_WILDCARD);
    int out = divert(STDOUT_FILENO, "out");
    int err = divert(STDERR_FILENO, "err");
    pmix_status_t rc =
        PMIx_IOF_pull(&all, 1, list->at, list->n, PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL,
                      fn, NULL, NULL);
    pmix_status_t ended = PMIX_SUCCESS;

    n_rounds++;
    tell("hearing");
    await_n("written", n_rounds);
    if (rc >= 0) {
        ended = PMIx_IOF_deregister((size_t) rc, NULL, 0, NULL, NULL);
    }
    restore(STDOUT_FILENO, out);
    restore(STDERR_FILENO, err);
    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    check_status(PMIX_SUCCESS, ended, "deregister");
    free_infos(list);
}

/* What a file in the scratch directory holds; "-": there is none. */
static const char *content(const char *name)
{
    static char text[ROOM];
    char path[512];
    FILE *file;
    size_t n = 0;

    snprintf(path, sizeof(path), "%s/w/%s", scratch(), name);
    file = fopen(path, "r");
    if (file == NULL) {
        return "-";
    }
    n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

static void checked(void)
{
    tell("checked");
}

/* ---- formats */

static void formats(void)
{
    struct infos list = {0};

    start();
    pull_all(&list, NULL);
    same("one\ntwa<b&c\no\nlastforeign\n", content("out"), "as it is");
    same("oops\n", content("err"), "errors as they are");
    checked();

    add_true(&list, PMIX_IOF_TAG_OUTPUT);
    pull_all(&list, NULL);
    same("[J,0]<stdout>: one\n[J,1]<stdout>: a<b&c\n[J,0]<stdout>: two\n"
         "[../K,7]<stdout>: foreign\n[J,0]<stdout>: last\n",
         content("out"), "tags before whole lines");
    same("[J,0]<stderr>: oops\n", content("err"), "tagged errors");
    checked();

    add_true(&list, PMIX_IOF_RANK_OUTPUT);
    pull_all(&list, NULL);
    same("[0]<stdout>: one\n[1]<stdout>: a<b&c\n[0]<stdout>: two\n[7]<stdout>: foreign\n"
         "[0]<stdout>: last\n",
         content("out"), "ranks");
    checked();

    add_true(&list, PMIX_IOF_XML_OUTPUT);
    pull_all(&list, NULL);
    tell("no more");
    same("<stdout nspace=\"J\" rank=\"0\">one</stdout>\n"
         "<stdout nspace=\"J\" rank=\"1\">a&#060;b&#038;c</stdout>\n"
         "<stdout nspace=\"J\" rank=\"0\">two</stdout>\n"
         "<stdout nspace=\"../K\" rank=\"7\">foreign</stdout>\n"
         "<stdout nspace=\"J\" rank=\"0\">last</stdout>\n",
         content("out"), "XML");
    same("<stderr nspace=\"J\" rank=\"0\">oops</stderr>\n", content("err"), "XML of errors");
    checked();
    finish();
}

/* --- what a tag has beside the name, and lines without an end */

static void add_pid(const struct job *job, struct infos *list)
{
    pmix_proc_t proc = process(job->name, 0);
    struct infos one = {0};
    pid_t pid = 4711;

    add(&one, PMIX_PROCID, &proc, PMIX_PROC);
    add(&one, PMIX_PROC_PID, &pid, PMIX_PID);
    add_array(list, PMIX_PROC_INFO_ARRAY, &one);
}

/* Twice: one process of a job that is registered, one that nobody knows. */
static void write_two(void)
{
    for (int i = 1; i < 4; i++) {
        await_n("hearing", i);
        write_as("A", 0, PMIX_FWD_STDOUT_CHANNEL, "one\ntw");
        write_as("J", 1, PMIX_FWD_STDOUT_CHANNEL, "other\n");
        write_as("A", 0, PMIX_FWD_STDOUT_CHANNEL, "o\nlast");
        tell("written");
        await_n("checked", i);
    }
}

static void details(void)
{
    struct infos list = {0};

    start();
    same("node0", got("A", 0, PMIX_HOSTNAME, NULL, 0), "the node is known");
    same("4711", got("A", 0, PMIX_PROC_PID, NULL, 0), "the process id is known");
    add_true(&list, PMIX_IOF_TAG_DETAILED_OUTPUT);
    pull_all(&list, NULL);
    same("[A,0][node0:4711]<stdout>: one\n[J,1][unknown:unknown]<stdout>: other\n"
         "[A,0][node0:4711]<stdout>: two\n[A,0][node0:4711]<stdout>: last\n",
         content("out"), "node and process id");
    checked();
    add_true(&list, PMIX_IOF_TAG_DETAILED_OUTPUT);
    add_true(&list, PMIX_IOF_XML_OUTPUT);
    pull_all(&list, NULL);
    same("<stdout nspace=\"A\" rank=\"0\" host=\"node0\" pid=\"4711\">one</stdout>\n"
         "<stdout nspace=\"J\" rank=\"1\" host=\"unknown\" pid=\"unknown\">other</stdout>\n"
         "<stdout nspace=\"A\" rank=\"0\" host=\"node0\" pid=\"4711\">two</stdout>\n"
         "<stdout nspace=\"A\" rank=\"0\" host=\"node0\" pid=\"4711\">last</stdout>\n",
         content("out"), "in XML");
    checked();
    add_true(&list, PMIX_IOF_TAG_FULLNAME_OUTPUT);
    add_true(&list, PMIX_IOF_OUTPUT_RAW);
    pull_all(&list, NULL);
    same("[A,0]<stdout>: one\n[A,0]<stdout>: tw[J,1]<stdout>: other\no\n[A,0]<stdout>: last\n",
         content("out"), "what is there of a line does not wait");
    checked();
    finish();
}

/* True if the text begins as 2026-11-22T14:45:00 does; that is what comes behind it. */
static const char *after_time(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";

    for (size_t i = 0; i < sizeof(form) - 1; i++) {
        if (form[i] == 'd' ? !isdigit((unsigned char) text[i]) : text[i] != form[i]) {
            return "no time";
        }
    }
    return text + sizeof(form) - 1;
}

static void timestamps(void)
{
    struct infos list = {0};

    start();
    add_true(&list, PMIX_IOF_TIMESTAMP_OUTPUT);
    pull_all(&list, NULL);
    same("<stderr>: oops\n", after_time(content("err")), "the time");
    checked();
    add_true(&list, PMIX_IOF_TIMESTAMP_OUTPUT);
    add_true(&list, PMIX_IOF_TAG_OUTPUT);
    pull_all(&list, NULL);
    tell("no more");
    same("[J,0]<stderr>: oops\n", after_time(content("err")), "the time before the tag");
    checked();
    finish();
}

/* ---- files */

static void name_in_scratch(struct infos *list, const char *key, const char *name)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/w/%s", scratch(), name);
    add_text(list, key, path);
}

static int n_shown;

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) bytes;
    (void) info;
    (void) ninfo;
    n_shown++;
}

static void files(void)
{
    struct infos list = {0};

    start();
    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_FILE, "new/f");
    pull_all(&list, NULL);
    same("one\ntwo\nlast", content("new/f.J.0.stdout"), "output of rank 0");
    same("oops\n", content("new/f.J.0.stderr"), "its errors");
    same("a<b&c\n", content("new/f.J.1.stdout"), "output of rank 1");
    same("foreign\n", content("new/f._._K.7.stdout"), "a namespace that leads elsewhere");
    same("oops\n", content("err"), "and a copy");
    checked();

    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_FILE, "new/f");
    add_true(&list, PMIX_IOF_FILE_ONLY);
    pull_all(&list, NULL);
    same("one\ntwo\nlast", content("new/f.J.0.stdout"), "a file is written anew");
    same("", content("out"), "no copy");
    same("", content("err"), "no copy of errors");
    checked();

    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_DIRECTORY, "d");
    add_true(&list, PMIX_IOF_MERGE_STDERR_STDOUT);
    pull_all(&list, NULL);
    same("one\ntwoops\no\nlast", content("d/J/rank.0/stdout"), "both in one file");
    same("-", content("d/J/rank.0/stderr"), "no other");
    same("", content("err"), "both on standard output");
    same("foreign\n", content("d/_._K/rank.7/stdout"), "a namespace that leads elsewhere");
    checked();

    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_FILE, "p.%r.%n%%");
    add_true(&list, PMIX_IOF_FILE_PATTERN);
    add_true(&list, PMIX_IOF_TAG_OUTPUT);
    pull_all(&list, show);
    tell("no more");
    same("[J,1]<stdout>: a<b&c\n", content("p.1.J%%.stdout"), "a pattern, with tags");
    check(n_shown == 5, "the function is called all the same: %d times", n_shown);
    same("", content("out"), "and instead of a copy");
    checked();
    finish();
}

/* ---- what cannot be written */

static void event_came(size_t id, pmix_status_t status, const pmix_proc_t *source,
                       pmix_info_t info[], size_t ninfo, pmix_info_t results[], size_t nresults,
                       pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    tell("failure");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void refuse(struct infos *list, const char *what)
{
    pmix_proc_t all = process("J", PMIX_RANK_WILDCARD);

    check_status(
        PMIX_ERR_BAD_PARAM,
        PMIx_IOF_pull(&all, 1, list->at, list->n, PMIX_FWD_STDOUT_CHANNEL, NULL, NULL, NULL), "%s",
        what);
    free_infos(list);
}

static void no_files(void)
{
    pmix_status_t code = PMIX_ERR_IOF_FAILURE;
    struct infos list = {0};
    char path[512];
    int fd;

    start();
    check(PMIx_Register_event_handler(&code, 1, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    snprintf(path, sizeof(path), "%s/w/plain", scratch());
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    check(fd >= 0 && close(fd) == 0, "a file where a directory is wanted");
    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_DIRECTORY, "plain");
    pull_all(&list, NULL);
    tell("no more");
    await("failure");
    same("oops\n", content("err"), "the copy is written");
    checked();
    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_FILE, "f");
    name_in_scratch(&list, PMIX_IOF_OUTPUT_TO_DIRECTORY, "d");
    refuse(&list, "a file and a directory");
    add_text(&list, PMIX_IOF_OUTPUT_TO_FILE, "");
    refuse(&list, "no name");
    add_u32(&list, PMIX_IOF_OUTPUT_TO_FILE, 3);
    refuse(&list, "a number for a name");
    finish();
    check_for("IOF-014", told("failure") == 1, "one event");
}

/* ---- into a pipe whose reader is slow */

static int tap[2];
static char caught[MANY * PIECE + 1];
static size_t n_caught;

static void *catch_output(void *arg)
{
    ssize_t n = 1;

    (void) arg;
    while (n > 0 && n_caught < sizeof(caught)) {
        n = read(tap[0], caught + n_caught, 500);
        n_caught += n > 0 ? (size_t) n : 0;
    }
    return NULL;
}

/* Our descriptor goes into the pipe until release. */
static int redirect(int fd, int flags, pthread_t *reader)
{
    int kept = dup(fd);

    check(pipe(tap) == 0 && fcntl(tap[1], F_SETFL, flags) == 0 && dup2(tap[1], fd) == fd, "pipe");
    close(tap[1]);
    n_caught = 0;
    check(pthread_create(reader, NULL, catch_output, NULL) == 0, "thread");
    return kept;
}

static void release(int fd, int kept, pthread_t reader)
{
    check(dup2(kept, fd) == fd, "dup2");
    close(kept);
    pthread_join(reader, NULL);
    close(tap[0]);
}

static char much[MANY * PIECE];

/* A piece of one letter for each; another letter each. */
static void fill(void)
{
    for (int i = 0; i < MANY; i++) {
        memset(much + i * PIECE, 'a' + i % 26, PIECE);
    }
}

static void write_much(void)
{
    char piece[PIECE + 1] = "";

    fill();
    await("hearing");
    for (int i = 0; i < MANY; i++) {
        memcpy(piece, much + i * PIECE, PIECE);
        write_as("J", 0, PMIX_FWD_STDOUT_CHANNEL, piece);
    }
    tell("written");
    await("hearing errors");
    write_as("J", 0, PMIX_FWD_STDOUT_CHANNEL, "not this");
    write_as("J", 0, PMIX_FWD_STDERR_CHANNEL, "an error");
    tell("written errors");
}

static size_t pull_own(pmix_iof_channel_t channel)
{
    pmix_proc_t all = process("J", PMIX_RANK_WILDCARD);
    pmix_status_t rc = PMIx_IOF_pull(&all, 1, NULL, 0, channel, NULL, NULL, NULL);

    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    return (size_t) rc;
}

static void end(size_t id)
{
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, NULL, NULL), "deregister");
}

static void print_own(void)
{
    pthread_t reader;
    size_t id;
    int kept;

    fill();
    start();
    kept = redirect(STDOUT_FILENO, O_NONBLOCK, &reader);
    id = pull_own(PMIX_FWD_STDOUT_CHANNEL);
    tell("hearing");
    await("written");
    end(id);
    release(STDOUT_FILENO, kept, reader);
    check(n_caught == (size_t) MANY * PIECE && memcmp(caught, much, n_caught) == 0,
          "%zu bytes on standard output", n_caught);
    kept = redirect(STDERR_FILENO, 0, &reader);
    id = pull_own(PMIX_FWD_STDERR_CHANNEL);
    tell("hearing errors");
    await("written errors");
    end(id);
    release(STDERR_FILENO, kept, reader);
    check(n_caught == 8 && memcmp(caught, "an error", 8) == 0, "%zu bytes on standard error",
          n_caught);
    finish();
}

#define WRITTEN .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}}, .script = write_all, .tools = 1

const struct conform_case cases[] = {
    {.ids = "IOF-006",
     .what = "without a function output goes to the tool's own descriptors, whatever their mode",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .script = write_much,
     .tools = 1,
     .tool = print_own},
    {.ids = "IOF-012", .what = "lines are tagged", .tool = formats, WRITTEN},
    {.ids = "IOF-012", .what = "lines have a time", .tool = timestamps, WRITTEN},
    {.ids = "IOF-012",
     .what = "lines have a node and a process id, or do not wait for their end",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .jobs = {{"A", {1}, .quiet = true}},
     .setup = add_pid,
     .script = write_two,
     .tools = 1,
     .tool = details,
     .ours_only = "the form of a tag is left open"},
    {.ids = "IOF-013", .what = "output goes to files", .tool = files, WRITTEN},
    {.ids = "IOF-013 IOF-014",
     .otherwise = "IOF-013",
     .what = "files that cannot be written",
     .tool = no_files,
     WRITTEN},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
