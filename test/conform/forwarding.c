/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Scenario S28, output and input forwarding: three tools at one server, whose host pretends to run
 * a job J. The first wants all standard output and pushes a file of 1 MiB, the second wants one
 * standard error and is killed, the third comes later. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1000, PIECES = 10, CACHE = 4096, INPUT = 1 << 20, ROOM = 1 << 16 };

static const char text[] = "a line\nanother\n";
static const char binary[] = "\0one\0\0two";

static char early_at(size_t i)
{
    return (char) ('a' + i / PIECE);
}

static char input_at(size_t i)
{
    return (char) (i * 31 + i / 4099);
}

/* ---- the host */

static void deliver(pmix_rank_t rank, pmix_iof_channel_t channel, const char *bytes, size_t n)
{
    pmix_proc_t source = process("J", rank);
    pmix_byte_object_t piece = {.bytes = (char *) bytes, .size = n};
    pmix_status_t rc = PMIx_server_IOF_deliver(&source, channel, &piece, NULL, 0, NULL, NULL);

    check_aside("IOF-004", rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver: %d", rc);
}

static void run_job(void)
{
    char early[PIECE * PIECES];

    for (size_t i = 0; i < sizeof(early); i++) {
        early[i] = early_at(i);
    }
    await_n("hearing", 2);
    for (int i = 0; i < PIECES; i++) {
        deliver(0, PMIX_FWD_STDERR_CHANNEL, early + i * PIECE, PIECE);
        deliver(2, PMIX_FWD_STDERR_CHANNEL, early + i * PIECE, PIECE);
    }
    deliver(0, PMIX_FWD_STDOUT_CHANNEL, text, sizeof(text) - 1);
    deliver(1, PMIX_FWD_STDERR_CHANNEL, binary, sizeof(binary));
    deliver(1, PMIX_FWD_STDOUT_CHANNEL, binary, sizeof(binary));
    tell("written");
    await("heard binary");
    rank_kill("tool", 1, SIGKILL);
    await("flushed");
    deliver(1, PMIX_FWD_STDERR_CHANNEL, text, sizeof(text) - 1);
    deliver(0, PMIX_FWD_STDOUT_CHANNEL, text, sizeof(text) - 1);
    tell("written again");
}

/* Takes input, one piece after the other. */
static pmix_status_t take_input(struct upcall *ask)
{
    static size_t n;
    bool whole = true;

    for (size_t i = 0; i < ask->n_data; i++) {
        whole = whole && ask->data[i] == input_at(n + i);
    }
    n += ask->n_data;
    check_for("IOF-011", whole, "the bytes before %zu", n);
    if (px_host_find(ask, PMIX_IOF_COMPLETE) != NULL) {
        check_for("IOF-011", n == INPUT, "%zu bytes", n);
        check_for("IOF-010", record_names(ask->record, "J", 0), "the target");
        tell("complete");
    }
    return PMIX_OPERATION_SUCCEEDED;
}

/* ---- tools */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char shown[ROOM];
static size_t n_shown;

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id, (void) channel, (void) source, (void) info, (void) ninfo;
    pthread_mutex_lock(&lock);
    if (bytes->size <= ROOM - n_shown) {
        memcpy(shown + n_shown, bytes->bytes, bytes->size);
        n_shown += bytes->size;
    }
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
}

static void await_shown(size_t n)
{
    pthread_mutex_lock(&lock);
    while (n_shown < n) {
        pthread_cond_wait(&more, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static size_t pull(pmix_rank_t rank, pmix_iof_channel_t channel, struct infos *list)
{
    pmix_proc_t source = process("J", rank);
    pmix_status_t rc = PMIx_IOF_pull(&source, 1, list->at, list->n, channel, show, NULL, NULL);

    check_aside("IOF-001", rc > 0, "pull: %d", rc);
    free_infos(list);
    return (size_t) rc;
}

static void end(size_t id)
{
    check_status_for("IOF-009", PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, NULL, NULL),
                     "deregister");
}

/* Our standard input is a file, which is pushed to its end. */
static void push_file(void)
{
    const char *path = path_named("%s/input", scratch());
    pmix_proc_t target = process("J", 0);
    struct infos list = {0};
    char *bytes = malloc(INPUT);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    for (size_t i = 0; bytes != NULL && i < INPUT; i++) {
        bytes[i] = input_at(i);
    }
    check_aside("IOF-011",
                bytes != NULL && write(fd, bytes, INPUT) == INPUT && lseek(fd, 0, SEEK_SET) == 0 &&
                    dup2(fd, STDIN_FILENO) == STDIN_FILENO,
                "the file is the standard input");
    free(bytes);
    close(fd);
    (void) unlink(path);
    add_true(&list, PMIX_IOF_PUSH_STDIN);
    check_status_for("IOF-011", PMIX_SUCCESS,
                     PMIx_IOF_push(&target, 1, NULL, list.at, list.n, NULL, NULL), "push");
    free_infos(&list);
    await("complete");
}

static void be_first(void)
{
    struct infos list = {0};
    size_t id;

    add_u32(&list, PMIX_IOF_BUFFERING_SIZE, ROOM);
    id = pull(PMIX_RANK_WILDCARD, PMIX_FWD_STDOUT_CHANNEL, &list);
    tell("hearing");
    await("written");
    push_file();
    check_for("IOF-009", n_shown == 0, "nothing yet, there is too little");
    end(id);
    check_for("IOF-004 IOF-009",
              n_shown == sizeof(text) - 1 + sizeof(binary) &&
                  memmem(shown, n_shown, text, sizeof(text) - 1) != NULL &&
                  memmem(shown, n_shown, binary, sizeof(binary)) != NULL,
              "all standard output, and nothing else: %zu bytes", n_shown);
    n_shown = 0;
    tell("flushed");
    await("written again");
    end(pull(7, PMIX_FWD_STDOUT_CHANNEL, &list)); /* what is on its way has come by now */
    check_for("IOF-009", n_shown == 0, "nothing after the end");
    check_status_for("IOF-003", PMIX_ERR_NOT_SUPPORTED,
                     PMIx_IOF_pull(&me, 1, NULL, 0, PMIX_FWD_STDIN_CHANNEL, show, NULL, NULL),
                     "standard input is not to be had");
}

static void be_second(void)
{
    struct infos list = {0};

    (void) pull(1, PMIX_FWD_STDERR_CHANNEL, &list);
    tell("hearing");
    await_shown(sizeof(binary));
    check_for("IOF-004", n_shown == sizeof(binary) && memcmp(shown, binary, n_shown) == 0,
              "the standard error of one, zeros and all");
    tell("heard binary");
    await("never");
}

/* What came before, as much as is asked for: the first of it, or the last. */
static void hear_early(pmix_rank_t rank, const char *mode, size_t from)
{
    struct infos list = {0};
    bool whole = true;

    n_shown = 0;
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    add_true(&list, mode);
    (void) pull(rank, PMIX_FWD_STDERR_CHANNEL, &list);
    await_shown(CACHE);
    for (size_t i = 0; i < CACHE; i++) {
        whole = whole && shown[i] == early_at(from + i);
    }
    check_for("IOF-007", whole && n_shown == CACHE, "%zu bytes, with %s", n_shown, mode);
}

static void be_third(void)
{
    await("written");
    hear_early(0, PMIX_IOF_DROP_NEWEST, 0);
    hear_early(2, PMIX_IOF_DROP_OLDEST, (size_t) PIECE * PIECES - CACHE);
    await("written again");
}

static void forward(void)
{
    static void (*const parts[])(void) = {be_first, be_second, be_third};

    check_aside("IOF-001", tool_begin(one_pid(server_pid(0))) == PMIX_SUCCESS, "tool_init");
    parts[tool_number()]();
    tool_end();
}

const struct conform_case cases[] = {
    {.ids = "IOF-003 IOF-004 IOF-007 IOF-009 IOF-010 IOF-011 S28",
     .otherwise = "IOF-004",
     .what = "output for three tools, of which one is killed, and a file as input",
     .tools = 3,
     .script = run_job,
     .tool = forward,
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}, [ON_PUSH] = {OWN, .own = take_input}}},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
