/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Output of processes, from the host to those that ask for it: who gets what, when, and how much of
 * it. The host has no job J; it says what J's processes have written. */

#include "lib/calls.h"
#include "lib/conform.h"
#include "lib/tools.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1000, MANY = 400, ROOM = 1 << 21, CACHE = 4096 };

static void start(void)
{
    check_aside("IOF-001", tool_begin(one_pid(server_pid(0))) == PMIX_SUCCESS, "tool_init");
}

static void stop(void)
{
    check_aside("IOF-001", PMIx_tool_finalize() == PMIX_SUCCESS, "tool_finalize");
}

/* (host) */
static void write_as(pmix_rank_t rank, pmix_iof_channel_t channel, const char *text, size_t n)
{
    pmix_proc_t source = process("J", rank);
    pmix_byte_object_t bytes = {.bytes = (char *) text, .size = n};
    pmix_status_t rc = PMIx_server_IOF_deliver(&source, channel, &bytes, NULL, 0, NULL, NULL);

    check_aside("IOF-004", rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "deliver: %s",
                PMIx_Error_string(rc));
}

static void print_as(pmix_rank_t rank, pmix_iof_channel_t channel, const char *text)
{
    write_as(rank, channel, text, strlen(text));
}

/* ---- what came */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char shown[ROOM];
static size_t n_shown;
static int n_calls;
static size_t last_id;
static pmix_iof_channel_t last_channel;
static pmix_proc_t last_source;
static uint32_t last_meta;
static const char *hold_until; /* the first call of the function lasts until this step */

static void show(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    pthread_mutex_lock(&lock);
    if (bytes->size <= sizeof(shown) - n_shown) {
        memcpy(shown + n_shown, bytes->bytes, bytes->size);
        n_shown += bytes->size;
    }
    n_calls++;
    last_id = id;
    last_channel = channel;
    last_source = *source;
    last_meta = 0;
    for (size_t i = 0; i < ninfo; i++) {
        if (PMIX_CHECK_KEY(&info[i], "conform.meta")) {
            last_meta = info[i].value.data.uint32;
        }
    }
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    if (hold_until != NULL && n_calls == 1) {
        tell("held");
        await(hold_until);
    }
}

/* Waits for so many bytes, and compares and forgets them. */
static void check_shown(const char *want, size_t n, const char *what)
{
    pthread_mutex_lock(&lock);
    while (n_shown < n) {
        pthread_cond_wait(&more, &lock);
    }
    check(n_shown == n && memcmp(shown, want, n) == 0, "%s: %zu bytes: %.*s", what, n_shown, 200,
          shown);
    n_shown = 0;
    pthread_mutex_unlock(&lock);
}

static size_t pull(pmix_rank_t rank, pmix_iof_channel_t channel, pmix_iof_cbfunc_t fn,
                   struct infos *list)
{
    pmix_proc_t source = process("J", rank);
    pmix_status_t rc = PMIx_IOF_pull(&source, 1, list != NULL ? list->at : NULL,
                                     list != NULL ? list->n : 0, channel, fn, NULL, NULL);

    check(rc >= 0, "pull: %s", PMIx_Error_string(rc));
    if (list != NULL) {
        free_infos(list);
    }
    return (size_t) rc;
}

static void end(size_t id)
{
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, NULL, NULL), "deregister");
}

/* ---- a request, and a delivery */

static pmix_status_t told_status;
static size_t told_id;

static void on_number(pmix_status_t status, size_t id, void *cbdata)
{
    told_status = status;
    told_id = id;
    tell(cbdata);
}

static const char binary[] = "one\ntwo\0three\n\0\0four";

static void ask_and_get(void)
{
    pmix_proc_t source = process("J", 3);
    pmix_iof_channel_t both = PMIX_FWD_STDOUT_CHANNEL | PMIX_FWD_STDERR_CHANNEL;
    const struct record *r;
    pmix_status_t rc;
    size_t other;

    start();
    about("IOF-001");
    rc = PMIx_IOF_pull(&source, 1, NULL, 0, both, show, on_number, (void *) "numbered");
    if (check_status(PMIX_SUCCESS, rc, "pull")) {
        await("numbered");
        check_status(PMIX_SUCCESS, told_status, "the registration");
    }
    other = pull(4, PMIX_FWD_STDDIAG_CHANNEL, show, NULL);
    check(other != told_id, "another number");
    end(other);
    about("IOF-002");
    await_upcalls(ON_PULL, 2);
    r = upcall(ON_PULL, 0, 0);
    check(r->range == both, "channels %d", r->range);
    check(record_names(r, "J", 3) && r->n_procs == 1, "the process");
    check(record_info(r, PMIX_USERID) != NULL &&
              record_info(r, PMIX_USERID)->number == (int64_t) geteuid(),
          "the user");
    check(record_info(r, PMIX_GRPID) != NULL &&
              record_info(r, PMIX_GRPID)->number == (int64_t) getegid(),
          "the group");
    check(upcall(ON_PULL, 0, 1)->range == PMIX_FWD_STDDIAG_CHANNEL, "the other's channel");
    tell("asked");
    about("IOF-005");
    check_shown(binary, sizeof(binary), "binary");
    check(last_id == told_id, "number %zu, not %zu", last_id, told_id);
    check(last_channel == PMIX_FWD_STDERR_CHANNEL, "channel %d", last_channel);
    check(PMIX_CHECK_PROCID(&last_source, &source), "source %s:%u", last_source.nspace,
          last_source.rank);
    check(last_meta == 7, "what came with it");
    stop();
}

static void give_binary(void)
{
    pmix_proc_t source = process("J", 3);
    pmix_byte_object_t bytes = {.bytes = (char *) binary, .size = sizeof(binary)};
    struct infos list = {0};

    await("asked");
    add_u32(&list, "conform.meta", 7);
    check_for("IOF-005",
              PMIx_server_IOF_deliver(&source, PMIX_FWD_STDERR_CHANNEL, &bytes, list.at, list.n,
                                      NULL, NULL) >= 0,
              "deliver");
    free_infos(&list);
}

static void refused(void)
{
    pmix_proc_t source = process("J", 0);

    start();
    check_status(PMIX_ERR_NOT_SUPPORTED,
                 PMIx_IOF_pull(&source, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, show, NULL, NULL),
                 "a host without the entry");
    stop();
}

static void refused_input(void)
{
    pmix_proc_t source = process("J", 0);
    pmix_iof_channel_t both = PMIX_FWD_STDIN_CHANNEL | PMIX_FWD_STDOUT_CHANNEL;

    start();
    check_status(PMIX_ERR_NOT_SUPPORTED,
                 PMIx_IOF_pull(&source, 1, NULL, 0, PMIX_FWD_STDIN_CHANNEL, show, NULL, NULL),
                 "standard input");
    check_status(PMIX_ERR_NOT_SUPPORTED, PMIx_IOF_pull(&source, 1, NULL, 0, both, show, NULL, NULL),
                 "standard input among others");
    check(upcalls(ON_PULL, 0) == 0, "the host is not asked");
    stop();
}

/* ---- who gets what: tool 0 everything on stdout, tool 1 what rank 1 says on stderr */

static void hear_own(void)
{
    bool first = tool_number() == 0;

    start();
    (void) pull(first ? PMIX_RANK_WILDCARD : 1,
                first ? PMIX_FWD_STDOUT_CHANNEL : PMIX_FWD_STDERR_CHANNEL, show, NULL);
    tell("hearing");
    if (first) {
        check_shown("out0 out1 end", 13, "standard output of all");
    } else {
        check_shown("err1 end", 8, "standard error of one");
    }
    stop();
}

static void speak(void)
{
    await_n("hearing", 2);
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "out0 ");
    print_as(0, PMIX_FWD_STDERR_CHANNEL, "err0 ");
    print_as(1, PMIX_FWD_STDERR_CHANNEL, "err1 ");
    print_as(1, PMIX_FWD_STDDIAG_CHANNEL, "diag1 ");
    print_as(1, PMIX_FWD_STDOUT_CHANNEL, "out1 ");
    print_as(1, PMIX_FWD_STDERR_CHANNEL, "end");
    print_as(1, PMIX_FWD_STDOUT_CHANNEL, "end");
}

/* ---- kept output */

static char letters[MANY * PIECE];

/* A piece of one letter for each; another letter each. */
static void fill(void)
{
    for (int i = 0; i < MANY; i++) {
        memset(letters + i * PIECE, 'a' + i % 26, PIECE);
    }
}

static void write_before(void)
{
    fill();
    for (pmix_rank_t rank = 0; rank < 3; rank++) {
        for (int i = 0; i < 10; i++) {
            write_as(rank, PMIX_FWD_STDOUT_CHANNEL, letters + i * PIECE, PIECE);
        }
    }
    tell("written");
}

static void hear_late(void)
{
    struct infos list = {0};

    fill();
    start();
    await("written");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    (void) pull(0, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    check_shown(letters, CACHE, "the newest is lost");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    add_true(&list, PMIX_IOF_DROP_NEWEST);
    (void) pull(1, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    check_shown(letters, CACHE, "the newest is lost, as asked for");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, CACHE);
    add_true(&list, PMIX_IOF_DROP_OLDEST);
    (void) pull(2, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    check_shown(letters + 10 * PIECE - CACHE, CACHE, "the oldest is lost");
    stop();
}

static void write_before_the_answer(void)
{
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "first ");
    tell("written");
    await_upcalls(ON_PULL, 1);
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "second ");
    tell("written more");
    await("answered");
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "third");
}

static void hear_in_order(void)
{
    struct infos list = {0};

    start();
    await("written");
    add_u32(&list, PMIX_IOF_CACHE_SIZE, 3);
    (void) pull(0, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    tell("answered");
    check_shown("firsecond third", 15, "what was kept, as much as is asked for, is the first");
    stop();
}

/* ---- several pieces at a time */

static void write_pieces(void)
{
    fill();
    await("hearing");
    for (int i = 0; i < MANY; i++) {
        write_as(0, PMIX_FWD_STDOUT_CHANNEL, letters + i * PIECE, PIECE);
    }
    tell("written");
    await("by time");
    print_as(1, PMIX_FWD_STDOUT_CHANNEL, "held ");
    print_as(1, PMIX_FWD_STDOUT_CHANNEL, "back");
    await("no time");
    print_as(2, PMIX_FWD_STDOUT_CHANNEL, "never enough");
    tell("written to two");
}

static void hear_batches(void)
{
    struct infos list = {0};
    size_t id;

    fill();
    start();
    add_u32(&list, PMIX_IOF_BUFFERING_SIZE, 10 * PIECE);
    id = pull(0, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    tell("hearing");
    await("written");
    check_shown(letters, (size_t) MANY * PIECE, "everything");
    check(n_calls == MANY / 10, "in %d calls", n_calls);
    end(id);
    n_calls = 0;
    add_u32(&list, PMIX_IOF_BUFFERING_SIZE, 10 * PIECE);
    add_u32(&list, PMIX_IOF_BUFFERING_TIME, 3); /* both pieces come within it */
    id = pull(1, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    tell("by time");
    check_shown("held back", 9, "after some time");
    check(n_calls == 1, "in %d calls", n_calls);
    end(id);
    n_calls = 0;
    add_u32(&list, PMIX_IOF_BUFFERING_SIZE, 10 * PIECE);
    id = pull(2, PMIX_FWD_STDOUT_CHANNEL, show, &list);
    tell("no time");
    await("written to two");
    end(pull(7, PMIX_FWD_STDOUT_CHANNEL, show, NULL)); /* what is on its way has come by now */
    check(n_calls == 0, "nothing yet");
    end(id);
    check(n_calls == 1, "the rest comes before the deregistration ends");
    check_shown("never enough", 12, "the rest");
    stop();
}

/* ---- the end of a request */

static void write_to_the_end(void)
{
    fill();
    await("hearing");
    for (int i = 0; i < MANY; i++) {
        write_as(0, PMIX_FWD_STDOUT_CHANNEL, letters + i * PIECE, PIECE);
    }
    tell("written");
    await("deregistered");
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "too late");
    tell("written again");
}

static pmix_status_t op_status;

static void on_op(pmix_status_t status, void *cbdata)
{
    op_status = status;
    check(n_shown == (size_t) MANY * PIECE, "%zu bytes came before the end", n_shown);
    tell(cbdata);
}

static void hear_to_the_end(void)
{
    size_t id;

    fill();
    start();
    hold_until = "deregistering";
    id = pull(0, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
    tell("hearing");
    await("held");
    await("written");
    check_status(PMIX_SUCCESS, PMIx_IOF_deregister(id, NULL, 0, on_op, (void *) "ended"),
                 "deregister");
    check_status(PMIX_ERR_BAD_PARAM, PMIx_IOF_deregister(id, NULL, 0, on_op, (void *) "twice"),
                 "the same again");
    tell("deregistering");
    await("ended");
    check_status(PMIX_SUCCESS, op_status, "the end");
    check_shown(letters, (size_t) MANY * PIECE, "everything");
    tell("deregistered");
    await("written again");
    end(pull(7, PMIX_FWD_STDOUT_CHANNEL, show, NULL)); /* what is on its way has come by now */
    check(n_shown == 0 && n_calls == MANY, "nothing came afterwards: %d calls", n_calls);
    stop();
}

/* ---- what nobody wants any more */

/* The host was asked n times; the last one was to stop the output of that rank. */
static void check_stopped(int n, pmix_rank_t rank, const char *what)
{
    const struct record *r;

    if (check(upcalls(ON_PULL, 0) == n, "%s: asked %d times", what, upcalls(ON_PULL, 0))) {
        r = upcall(ON_PULL, 0, n - 1);
        check(record_info(r, PMIX_IOF_STOP) != NULL && r->range == PMIX_FWD_STDOUT_CHANNEL &&
                  r->n_procs == 1 && record_names(r, "J", rank),
              "%s", what);
    }
}

static void lose_interest(void)
{
    size_t all;
    size_t one;
    size_t errors;

    start();
    all = pull(PMIX_RANK_WILDCARD, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
    one = pull(1, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
    errors = pull(1, PMIX_FWD_STDERR_CHANNEL, show, NULL);
    end(one);
    check(upcalls(ON_PULL, 0) == 3, "its output is still wanted");
    end(all);
    check(upcalls(ON_PULL, 0) == 5, "neither is wanted");
    check_stopped(5, PMIX_RANK_WILDCARD, "all of them");
    end(errors);
    check(upcalls(ON_PULL, 0) == 6, "nor errors");
    one = pull(1, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
    end(one);
    check_stopped(8, 1, "once more");
    stop();
}

/* ---- events, and a tool that dies */

static int n_events;

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
    n_events++;
    tell(status == PMIX_ERR_IOF_FAILURE ? "failure" : "complete");
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static void raise_both(void)
{
    pmix_status_t codes[] = {PMIX_ERR_IOF_FAILURE, PMIX_ERR_IOF_COMPLETE};

    check(PMIX_ERR_IOF_FAILURE == -172 && PMIX_ERR_IOF_COMPLETE == -173, "their values");
    check(PMIx_Register_event_handler(codes, 2, NULL, 0, event_came, NULL, NULL) >= 0, "handler");
    check(PMIx_Notify_event(PMIX_ERR_IOF_FAILURE, &me, PMIX_RANGE_NAMESPACE, NULL, 0, NULL, NULL) >=
              0,
          "failure");
    check(PMIx_Notify_event(PMIX_ERR_IOF_COMPLETE, &me, PMIX_RANGE_NAMESPACE, NULL, 0, NULL,
                            NULL) >= 0,
          "complete");
    await("failure");
    await("complete");
    check(n_events == 2, "both came");
}

static void pull_and_die(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        start();
        (void) pull(0, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
        tell("hearing");
        await("heard");
        (void) kill(getpid(), SIGKILL);
    }
    check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "it was killed");
    tell("dead");
    start();
    await("written to nobody");
    (void) pull(0, PMIX_FWD_STDOUT_CHANNEL, show, NULL);
    check_shown("kept", 4, "what came after its death was kept");
    stop();
}

static void write_to_the_dead(void)
{
    await("hearing");
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "heard");
    tell("heard");
    await("dead");
    await_upcalls(ON_PULL, 2);
    check(record_info(upcall(ON_PULL, 0, 1), PMIX_IOF_STOP) != NULL, "the host is told");
    print_as(0, PMIX_FWD_STDOUT_CHANNEL, "kept");
    tell("written to nobody");
}

const struct conform_case cases[] = {
    {.ids = "IOF-001 IOF-002 IOF-005",
     .what = "a tool asks for output and gets it as it was written",
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}},
     .script = give_binary,
     .tools = 1,
     .tool = ask_and_get},
    {.ids = "IOF-002", .what = "a host that forwards no output", .tools = 1, .tool = refused},
    {.ids = "IOF-003",
     .what = "standard input cannot be asked for",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .tools = 1,
     .tool = refused_input},
    {.ids = "IOF-004",
     .what = "each tool gets what it asked for and nothing else",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .script = speak,
     .tools = 2,
     .tool = hear_own},
    {.ids = "IOF-007",
     .what = "output that came before anybody asked is kept, as much as is asked for",
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS}},
     .script = write_before,
     .tools = 1,
     .tool = hear_late},
    {.ids = "IOF-007",
     .what = "output that comes before the host's answer comes behind what was kept",
     .host = {[ON_PULL] = {CALLBACK, PMIX_SUCCESS, "written more"}},
     .script = write_before_the_answer,
     .tools = 1,
     .tool = hear_in_order},
    {.ids = "IOF-008",
     .what = "pieces are delivered together, by size and by time",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .script = write_pieces,
     .tools = 1,
     .tool = hear_batches},
    {.ids = "IOF-009",
     .what = "a deregistration ends behind the last output, and nothing comes after it",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .script = write_to_the_end,
     .tools = 1,
     .tool = hear_to_the_end},
    {.ids = "IOF-009",
     .what = "the host is told what nobody wants any more",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .tools = 1,
     .tool = lose_interest},
    {.ids = "IOF-014", .what = "the events of forwarding", .client = raise_both},
    {.ids = "IOF-015",
     .what = "the requests of a tool that was killed are dropped",
     .host = {[ON_PULL] = {INSIDE, PMIX_SUCCESS}},
     .script = write_to_the_dead,
     .tools = 1,
     .tool = pull_and_die},
};
const int n_cases = sizeof(cases) / sizeof(cases[0]);
