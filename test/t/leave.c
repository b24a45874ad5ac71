/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process that finalizes while its threads read, ask, wait, register handlers and notify, again
 * and again. Each thread calls until it is told PMIX_ERR_INIT; nothing may crash, hang, or be
 * answered with nonsense, and each call that was accepted gets its callback. For the thread
 * sanitizer and for everybody.
 *
 *   leave [ROUNDS]              a client
 *   leave tool PID [ROUNDS]     a tool of the server with this process id, which has a job "job"
 *   leave server [ROUNDS]       a server with a job "job" that has no process yet */

#include <pmix_server.h>
#include <pmix_tool.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS = 9,
    THREADS = 2 * KINDS,
    MOST_OPEN = 4,
    SOME_CALLS = 2000,
    CODE = PMIX_EXTERNAL_ERR_BASE - 7
};

struct role {
    pmix_status_t (*begin)(void);
    pmix_status_t (*end)(void);
    bool posts_nothing;
};

static const struct role *role;
static unsigned rounds = 30;
static atomic_uint failures;
static atomic_uint begun;    /* threads that have made a call in this round */
static atomic_uint n_calls;  /* that were made since all have */
static atomic_uint accepted; /* calls that have a callback; in this round */
static atomic_uint called;   /* callbacks that have come */
static pmix_proc_t me;
static pmix_nspace_t job; /* that is read */

static pmix_status_t get(pmix_rank_t rank, const char *key, const pmix_info_t *info, size_t ninfo)
{
    pmix_value_t *value = NULL;
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&proc, job, rank);
    rc = PMIx_Get(&proc, key, info, ninfo, &value);
    if (rc == PMIX_SUCCESS) {
        PMIx_Value_free(value, 1);
    }
    return rc;
}

static pmix_status_t read_number(void)
{
    return get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, NULL, 0);
}

static pmix_status_t read_text(void)
{
    return get(PMIX_RANK_WILDCARD, PMIX_NSDIR, NULL, 0);
}

static pmix_status_t read_optional(void)
{
    pmix_info_t info;
    pmix_status_t rc;

    PMIx_Info_load(&info, PMIX_OPTIONAL, NULL, PMIX_BOOL);
    rc = get(0, "leave.nobody.posts.this", &info, 1);
    PMIx_Info_destruct(&info);
    return rc;
}

/* Asks the server, which waits for the process to post it: until the end. */
static pmix_status_t wait_for_value(void)
{
    return get(0, "leave.nobody.posts.that", NULL, 0);
}

static pmix_status_t resolve(void)
{
    pmix_proc_t *procs = NULL;
    size_t n = 0;
    pmix_status_t rc = PMIx_Resolve_peers(NULL, job, &procs, &n);

    if (rc == PMIX_SUCCESS) {
        PMIx_Proc_free(procs, n);
    }
    return rc;
}

static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                     size_t ninfo, pmix_info_t results[], size_t nresults,
                     pmix_event_notification_cbfunc_fn_t done, void *cbdata)
{
    (void) id;
    (void) status;
    (void) source;
    (void) info;
    (void) ninfo;
    (void) results;
    (void) nresults;
    done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

static pmix_status_t register_handler(void)
{
    pmix_status_t code = CODE;
    pmix_status_t rc = PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, NULL, NULL);

    return rc > 0 ? PMIx_Deregister_event_handler((size_t) rc, NULL, NULL) : rc;
}

/* A commit is not waited for; the registration behind it is, so that commits do not pile up. */
static pmix_status_t post(void)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 1};
    pmix_status_t rc = PMIx_Put(PMIX_GLOBAL, "leave.posted", &value);

    rc = rc == PMIX_SUCCESS ? PMIx_Commit() : rc;
    return rc == PMIX_SUCCESS ? register_handler() : rc;
}

static void on_done(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
    called++;
}

/* Before a call that calls back. If many callbacks are due, waits for some, so that the library is
 * not asked faster than it can answer. */
static void expect(void)
{
    while (accepted - called > MOST_OPEN) {
        sched_yield();
    }
    accepted++;
}

/* Such a call has returned this: a callback comes, or not. */
static pmix_status_t accept(pmix_status_t rc)
{
    accepted -= rc == PMIX_SUCCESS ? 0 : 1;
    return rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
}

static void on_registered(pmix_status_t status, size_t id, void *cbdata)
{
    (void) cbdata;
    if (status == PMIX_SUCCESS) {
        accepted++;
        (void) accept(PMIx_Deregister_event_handler(id, on_done, NULL));
    }
    called++;
}

static pmix_status_t register_with_callback(void)
{
    pmix_status_t code = CODE;

    expect();
    return accept(PMIx_Register_event_handler(&code, 1, NULL, 0, on_event, on_registered, NULL));
}

static pmix_status_t notify(void)
{
    expect();
    return accept(PMIx_Notify_event(CODE, &me, PMIX_RANGE_LOCAL, NULL, 0, on_done, NULL));
}

static pmix_status_t (*const calls[KINDS])(void) = {
    read_number, read_text, read_optional,    wait_for_value,         resolve,
    post,        notify,    register_handler, register_with_callback,
};

static bool expected(pmix_status_t rc)
{
    return rc == PMIX_SUCCESS || rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_LOST_CONNECTION ||
           rc == PMIX_ERR_UNREACH || rc == PMIX_ERR_INIT ||
           (rc == PMIX_ERR_NOT_SUPPORTED && role->posts_nothing);
}

/* Makes its first call, waits until all have made theirs, and then calls until the end. */
static void *work(void *arg)
{
    pmix_status_t (*call)(void) = calls[(size_t) arg % KINDS];
    bool waits = call == wait_for_value; /* its first call may not return before the end */
    bool first = true;
    pmix_status_t rc;

    begun += waits ? 1 : 0;
    do {
        rc = call();
        if (!expected(rc) && failures++ < 20) {
            fprintf(stderr, "leave: thread %zu: %s\n", (size_t) arg, PMIx_Error_string(rc));
        }
        begun += first && !waits ? 1 : 0;
        first = false;
        while (begun < THREADS) {
            sched_yield();
        }
        n_calls++;
    } while (rc != PMIX_ERR_INIT);
    return NULL;
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS) {
        fprintf(stderr, "leave: %s: %s\n", what, PMIx_Error_string(rc));
        exit(1);
    }
}

/* --- roles --- */

static pmix_server_module_t module;
static pmix_info_t server; /* of a tool */

static pmix_status_t begin_client(void)
{
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    PMIX_LOAD_NSPACE(job, me.nspace);
    return rc;
}

static pmix_status_t end_client(void)
{
    return PMIx_Finalize(NULL, 0);
}

static pmix_status_t begin_tool(void)
{
    PMIX_LOAD_NSPACE(job, "job");
    return PMIx_tool_init(&me, &server, 1);
}

static pmix_status_t begin_server(void)
{
    uint32_t size = 1;
    pmix_info_t info[3];
    pmix_status_t rc = PMIx_server_init(&module, NULL, 0);

    PMIX_LOAD_PROCID(&me, "job", 0);
    PMIX_LOAD_NSPACE(job, "job");
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_LOCAL_PEERS, "0", PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_NSDIR, "/somewhere", PMIX_STRING);
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_server_register_nspace(job, 1, info, 3, NULL, NULL);
        rc = rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
    }
    PMIX_INFO_DESTRUCT(&info[1]);
    PMIX_INFO_DESTRUCT(&info[2]);
    return rc;
}

static const struct role client = {begin_client, end_client, false};
static const struct role tool = {begin_tool, PMIx_tool_finalize, false};
static const struct role own_server = {begin_server, PMIx_server_finalize, true};

static void play(void)
{
    pthread_t threads[THREADS];

    begun = 0;
    n_calls = 0;
    accepted = 0;
    called = 0;
    check(role->begin(), "init");
    for (size_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, (void *) i)) {
            fprintf(stderr, "leave: no thread\n");
            exit(1);
        }
    }
    while (begun < THREADS || n_calls < SOME_CALLS) {
        sched_yield();
    }
    check(role->end(), "finalize");
    for (size_t i = 0; i < THREADS; i++) {
        (void) pthread_join(threads[i], NULL);
    }
    if (accepted != called) {
        fprintf(stderr, "leave: %u calls were accepted, %u callbacks came\n", accepted, called);
        failures++;
    }
}

/* The role that the words name; *ret_words: how many of them. */
static const struct role *role_of(char **words, int n, int *ret_words)
{
    pid_t pid = n > 1 ? (pid_t) strtol(words[1], NULL, 10) : 0;

    *ret_words = n > 0 && strcmp(words[0], "tool") == 0 ? 2 : 1;
    if (n > 1 && *ret_words == 2) {
        check(PMIx_Info_load(&server, PMIX_SERVER_PIDINFO, &pid, PMIX_PID), "load");
        return &tool;
    }
    if (n > 0 && strcmp(words[0], "server") == 0) {
        return &own_server;
    }
    *ret_words = 0;
    return &client;
}

int main(int argc, char **argv)
{
    int words;

    role = role_of(argv + 1, argc - 1, &words);

    if (argc > 1 + words) {
        rounds = (unsigned) strtoul(argv[1 + words], NULL, 10);
    }
    for (unsigned i = 0; i < rounds; i++) {
        play();
    }
    return failures == 0 ? 0 : 1;
}
