/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Callbacks of the server's own process that take away what the server is at: the next subscription
 * to output, the process that a direct modex request or a get waits for, or its whole job; and a
 * host that takes away the job while a process of it ends. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <malloc.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <pmix_server.h>
#include <pmix_tool.h>

enum { MANY = 8 };

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void __libc_free(void *p);

/* In place of the C library's, of the server, too: what is freed is not what it was, and leads
 * nowhere. */
__attribute__((visibility("default"))) void free(void *p)
{
    if (p) {
        memset(p, 0x5a, malloc_usable_size(p));
    }
    __libc_free(p);
}
#endif

static pmix_server_module_t module;
static pmix_nspace_t job = "job";

static void start(void)
{
    pmix_proc_t proc;

    assert_int_equal(PMIx_server_init(&module, NULL, 0), PMIX_SUCCESS);
    assert_int_equal(PMIx_server_register_nspace(job, 2, NULL, 0, NULL, NULL), PMIX_SUCCESS);
    for (pmix_rank_t rank = 0; rank < 2; rank++) {
        PMIX_LOAD_PROCID(&proc, job, rank);
        assert_int_equal(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL),
                         PMIX_SUCCESS);
    }
}

static void end(void)
{
    assert_int_equal(PMIx_server_finalize(), PMIX_SUCCESS);
}

/* --- output --- */

static size_t pulls[MANY];
static unsigned n_outputs;

static unsigned n_dropped;

static void dropped(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) cbdata;
}

static void count_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                         pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id;
    (void) channel;
    (void) source;
    (void) bytes;
    (void) info;
    (void) ninfo;
    n_outputs++;
}

/* Drops itself, the next one and the one after. */
static void drop_three(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                       pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    count_output(id, channel, source, bytes, info, ninfo);
    for (int i = 0; i < 3; i++) {
        n_dropped +=
            PMIx_IOF_deregister(pulls[i], NULL, 0, dropped, NULL) == PMIX_OPERATION_SUCCEEDED;
    }
}

static void subscriptions(void **state)
{
    pmix_byte_object_t bytes = {.bytes = (char *) "line\n", .size = 5};
    pmix_proc_t all;
    pmix_proc_t source;

    (void) state;
    start();
    n_outputs = 0;
    PMIX_LOAD_PROCID(&all, job, PMIX_RANK_WILDCARD);
    PMIX_LOAD_PROCID(&source, job, 0);
    for (int i = 0; i < MANY; i++) {
        pmix_status_t rc = PMIx_IOF_pull(&all, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL,
                                         i == 0 ? drop_three : count_output, NULL, NULL);

        assert_true(rc >= 0);
        pulls[i] = (size_t) rc;
    }
    assert_int_equal(
        PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL, NULL),
        PMIX_SUCCESS);
    assert_int_equal(n_dropped, 3);
    assert_int_equal(n_outputs, MANY - 2);
    end();
}

/* --- direct modex, gets --- */

static atomic_int n_answers;
static _Atomic pmix_status_t answers[MANY];

static void answered(pmix_status_t status, int *n)
{
    answers[*n] = status;
    if (*n == 0) {
        PMIx_server_deregister_nspace(job, NULL, NULL);
    }
    atomic_fetch_add(&n_answers, 1);
}

static void modex_answered(pmix_status_t status, char *data, size_t len, void *n)
{
    (void) data;
    (void) len;
    answered(status, n);
}

static void value_answered(pmix_status_t status, pmix_value_t *value, void *n)
{
    (void) value;
    answered(status, n);
}

static int numbers[MANY];

static void begin(void)
{
    start();
    atomic_store(&n_answers, 0);
    for (int i = 0; i < MANY; i++) {
        numbers[i] = i;
        answers[i] = 1;
    }
}

static void await_answers(pmix_status_t first, pmix_status_t others)
{
    while (atomic_load(&n_answers) < MANY) {
        (void) sched_yield();
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(answers[i], i == 0 ? first : others);
    }
    end();
    assert_int_equal(atomic_load(&n_answers), MANY);
}

static void ask_modex(void)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(PMIx_server_dmodex_request(&proc, modex_answered, &numbers[i]),
                         PMIX_SUCCESS);
    }
}

static void requests_of_a_client(void **state)
{
    pmix_proc_t proc;

    (void) state;
    begin();
    ask_modex();
    PMIX_LOAD_PROCID(&proc, job, 0);
    PMIx_server_deregister_client(&proc, NULL, NULL);
    await_answers(PMIX_ERR_NOT_FOUND, PMIX_ERR_NOT_FOUND);
}

static void requests_of_a_job(void **state)
{
    (void) state;
    begin();
    ask_modex();
    PMIx_server_deregister_nspace(job, NULL, NULL);
    await_answers(PMIX_ERR_NOT_FOUND, PMIX_ERR_NOT_FOUND);
}

static void requests_at_the_end(void **state)
{
    (void) state;
    begin();
    ask_modex();
    end();
    assert_int_equal(atomic_load(&n_answers), MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(answers[i], PMIX_ERR_LOST_CONNECTION);
    }
}

static void ask_gets(void)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, job, 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(PMIx_Get_nb(&proc, "word", NULL, 0, value_answered, &numbers[i]),
                         PMIX_SUCCESS);
    }
}

static void gets_of_a_client(void **state)
{
    pmix_proc_t proc;

    (void) state;
    begin();
    ask_gets();
    PMIX_LOAD_PROCID(&proc, job, 0);
    PMIx_server_deregister_client(&proc, NULL, NULL);
    await_answers(PMIX_ERR_NOT_FOUND, PMIX_ERR_NOT_FOUND);
}

/* Starts rank 0, which puts so many values and commits them once. */
static pid_t start_client(const char *n_values)
{
    pmix_proc_t proc;
    char *argv[] = {(char *) "client", (char *) "client", (char *) (uintptr_t) n_values, NULL};
    char **env = NULL;
    pid_t pid;

    PMIX_LOAD_PROCID(&proc, job, 0);
    assert_int_equal(PMIx_server_setup_fork(&proc, &env), PMIX_SUCCESS);
    if (getenv("ASAN_OPTIONS")) {
        (void) PMIx_Setenv("ASAN_OPTIONS", getenv("ASAN_OPTIONS"), true, &env);
    }
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execve("/proc/self/exe", argv, env);
        _exit(127);
    }
    PMIx_Argv_free(env);
    return pid;
}

/* The client's commit answers a get, whose callback drops the job, and the requests. */
static void commit_of_a_client(void **state)
{
    pmix_proc_t proc;
    pid_t pid;

    (void) state;
    begin();
    PMIX_LOAD_PROCID(&proc, job, 0);
    assert_int_equal(PMIx_Get_nb(&proc, "word", NULL, 0, value_answered, &numbers[0]),
                     PMIX_SUCCESS);
    for (int i = 1; i < MANY; i++) {
        assert_int_equal(PMIx_server_dmodex_request(&proc, modex_answered, &numbers[i]),
                         PMIX_SUCCESS);
    }
    pid = start_client("1");
    await_answers(PMIX_SUCCESS, PMIX_SUCCESS);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Looks until the key is there. */
static void await_key(const pmix_proc_t *proc, const char *key)
{
    pmix_value_t *value = NULL;
    pmix_info_t now;

    PMIX_INFO_LOAD(&now, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    while (PMIx_Get(proc, key, &now, 1, &value) != PMIX_SUCCESS) {
        (void) sched_yield();
    }
    PMIX_VALUE_RELEASE(value);
}

/* The server ends, or the job is deregistered, while a long commit is published piece by piece. */
static void a_commit_that_is_cut(void **state)
{
    pmix_value_t *value = NULL;
    pmix_info_t now;
    pmix_proc_t proc;
    int n_cut[2] = {0}; /* by the end of the server, and of the job */
    pid_t pid;

    (void) state;
    PMIX_LOAD_PROCID(&proc, job, 0);
    PMIX_INFO_LOAD(&now, PMIX_IMMEDIATE, NULL, PMIX_BOOL);
    for (int i = 0; i < 4 || (i < 40 && !(n_cut[0] && n_cut[1])); i++) {
        start();
        pid = start_client("40000");
        await_key(&proc, "word");
        if (PMIx_Get(&proc, "word.39999", &now, 1, &value) == PMIX_SUCCESS) {
            PMIX_VALUE_RELEASE(value);
        } else {
            n_cut[i % 2]++;
        }
        if (i % 2) {
            PMIx_server_deregister_client(&proc, NULL, NULL);
            PMIx_server_deregister_nspace(job, NULL, NULL);
        }
        end();
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
    assert_true(n_cut[0] > 0 && n_cut[1] > 0);
}

/* --- the end of a process --- */

/* A code of the host's, for which only the client has a handler: when its connection ends, the host
 * is asked to drop the code. */
enum { HOSTS_CODE = PMIX_EXTERNAL_ERR_BASE - 5 };

static atomic_int n_registered;
static atomic_int n_taken;

static pmix_status_t register_code(pmix_status_t *codes, size_t ncodes, const pmix_info_t info[],
                                   size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata)
{
    (void) codes, (void) ncodes, (void) info, (void) ninfo, (void) cbfunc, (void) cbdata;
    atomic_fetch_add(&n_registered, 1);
    return PMIX_OPERATION_SUCCEEDED;
}

/* Takes the job away. */
static pmix_status_t drop_code(pmix_status_t *codes, size_t ncodes, pmix_op_cbfunc_t cbfunc,
                               void *cbdata)
{
    (void) codes, (void) ncodes, (void) cbfunc, (void) cbdata;
    PMIx_server_deregister_nspace(job, NULL, NULL);
    atomic_fetch_add(&n_taken, 1);
    return PMIX_OPERATION_SUCCEEDED;
}

/* Starts a client with a handler, and ends its connection by `stop`. */
static void end_of_client(void (*stop)(pid_t pid))
{
    pid_t pid;

    module.register_events = register_code;
    module.deregister_events = drop_code;
    atomic_store(&n_registered, 0);
    atomic_store(&n_taken, 0);
    start();
    pid = start_client("handler");
    while (atomic_load(&n_registered) == 0) {
        (void) sched_yield();
    }
    stop(pid);
    while (atomic_load(&n_taken) == 0) {
        (void) sched_yield();
    }
    (void) kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    end();
    module.register_events = NULL;
    module.deregister_events = NULL;
}

static void kill_client(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
}

static void deregister_client(pid_t pid)
{
    pmix_proc_t proc;

    (void) pid;
    PMIX_LOAD_PROCID(&proc, job, 0);
    PMIx_server_deregister_client(&proc, NULL, NULL);
}

static void end_of_a_connection(void **state)
{
    (void) state;
    end_of_client(kill_client);
}

static void end_of_a_registration(void **state)
{
    (void) state;
    end_of_client(deregister_client);
}

static void hear(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                 size_t ninfo, pmix_info_t results[], size_t nresults,
                 pmix_event_notification_cbfunc_fn_t fn, void *cbdata)
{
    (void) id, (void) status, (void) source, (void) info, (void) ninfo;
    (void) results, (void) nresults;
    fn(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, cbdata);
}

/* Is killed, or loses its server. */
static int be_listener(void)
{
    pmix_status_t code = HOSTS_CODE;

    alarm(60);
    if (PMIx_Init(NULL, NULL, 0) != PMIX_SUCCESS ||
        PMIx_Register_event_handler(&code, 1, NULL, 0, hear, NULL, NULL) < 0) {
        return 1;
    }
    for (;;) {
        (void) pause();
    }
}

/* Its connection is closed by the server at any time after the commit has arrived. */
static int be_client(int n)
{
    pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *) "hello"};
    char key[32];

    alarm(60);
    if (PMIx_Init(NULL, NULL, 0) != PMIX_SUCCESS) {
        return 1;
    }
    (void) PMIx_Put(PMIX_GLOBAL, "word", &value);
    for (int i = 1; i < n; i++) {
        snprintf(key, sizeof(key), "word.%d", i);
        (void) PMIx_Put(PMIX_GLOBAL, key, &value);
    }
    (void) PMIx_Commit();
    (void) PMIx_Finalize(NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subscriptions),         cmocka_unit_test(requests_of_a_client),
        cmocka_unit_test(requests_of_a_job),     cmocka_unit_test(requests_at_the_end),
        cmocka_unit_test(gets_of_a_client),      cmocka_unit_test(commit_of_a_client),
        cmocka_unit_test(a_commit_that_is_cut),  cmocka_unit_test(end_of_a_connection),
        cmocka_unit_test(end_of_a_registration),
    };

    if (argc > 2 && strcmp(argv[2], "handler") == 0) {
        return be_listener();
    }
    if (argc > 1 && strcmp(argv[1], "client") == 0) {
        return be_client(argc > 2 ? atoi(argv[2]) : 1);
    }
    alarm(120);
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
