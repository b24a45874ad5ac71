/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* What a server, a tool and a process of a job do, and what each looks at when another has died. */

#include "deaths.h"

#include <pmix_server.h>
#include <pmix_tool.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/host/host.h"

enum { PIECES = 8, PIECE = 4000, INPUT = 100000, LIFE_S = 40 };

const char *const op_names[N_OPS] = {"connect", "attach", "disconnect", "pull",
                                     "push",    "spawn",  "finalize"};

int descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return n - 3; /* itself, and two names that are no descriptors */
}

bool wait_a_little(int *gone, int ms)
{
    (void) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return ++*gone <= ms;
}

bool get_all(int fd, void *to, size_t n)
{
    for (char *at = to; n > 0;) {
        ssize_t got = read(fd, at, n);

        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        n -= got > 0 ? (size_t) got : 0;
    }
    return true;
}

bool put_all(int fd, const void *from, size_t n)
{
    return write(fd, from, n) == (ssize_t) n; /* less than a pipe takes at once */
}

/* Keeps the first check that has failed. */
#define expect(outcome, holds) expect_at((outcome), (holds), __LINE__)

static void expect_at(struct outcome *outcome, bool holds, int line)
{
    if (!holds && outcome->wrong == 0) {
        outcome->wrong = line;
    }
}

/* ---- a server */

static const char *name_of(enum who who)
{
    return who == SERVER ? "deaths-first" : "deaths-second";
}

/* Output, and then the answer. */
static void give_output(struct upcall *copy)
{
    static char text[PIECE];
    pmix_byte_object_t bytes = {.bytes = text, .size = sizeof(text)};
    pmix_proc_t source;

    memset(text, 'o', sizeof(text));
    PMIX_LOAD_PROCID(&source, "job", 0);
    for (int i = 0; i < PIECES; i++) {
        (void) PMIx_server_IOF_deliver(&source, PMIX_FWD_STDOUT_CHANNEL, &bytes, NULL, 0, NULL,
                                       NULL);
    }
    px_host_reply_status(copy, PMIX_SUCCESS);
}

/* One that says that it stops is told at once. */
static pmix_status_t on_pull(struct upcall *ask)
{
    return px_host_find(ask, PMIX_IOF_STOP) != NULL ? PMIX_OPERATION_SUCCEEDED
                                                    : px_host_later(ask, NULL, give_output);
}

static pmix_status_t start_process(const pmix_proc_t *proc, pid_t *ret)
{
    static char program[4096];
    char *argv[] = {program, (char *) "--process", NULL};
    char **env = NULL;
    pmix_status_t rc;
    int n = 0;

    if (readlink("/proc/self/exe", program, sizeof(program) - 1) <= 0) {
        return PMIX_ERROR;
    }
    while (environ[n] != NULL) {
        PMIX_ARGV_APPEND(rc, env, environ[n]);
        n++;
    }
    rc = PMIx_server_setup_fork(proc, &env);
    if (rc == PMIX_SUCCESS && posix_spawn(ret, program, NULL, NULL, argv, env) != 0) {
        rc = PMIX_ERROR;
    }
    PMIX_ARGV_FREE(env);
    return rc;
}

bool is_good_end(int status)
{
    return status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A job of one process, until it has ended. */
static void run_job(struct upcall *copy)
{
    static atomic_int n;
    uint32_t one = 1;
    pmix_info_t info;
    pmix_proc_t proc;
    pmix_nspace_t name;
    pmix_status_t rc;
    pid_t pid = 0;
    int status = 0;

    snprintf(name, sizeof(name), "job-%d-%d", (int) getpid(), atomic_fetch_add(&n, 1));
    PMIX_LOAD_PROCID(&proc, name, 0);
    PMIX_INFO_LOAD(&info, PMIX_JOB_SIZE, &one, PMIX_UINT32);
    rc = PMIx_server_register_nspace(name, 1, &info, 1, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info);
    if (rc >= 0 || rc == PMIX_OPERATION_SUCCEEDED) {
        rc = PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL);
    }
    rc = rc == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : rc;
    rc = rc == PMIX_SUCCESS ? start_process(&proc, &pid) : rc;
    if (pid > 0) {
        (void) atomic_fetch_add(&board->started, 1);
    }
    copy->reply.spawn(rc, name, copy->cbdata);
    if (pid > 0) {
        (void) waitpid(pid, &status, 0);
        if (!is_good_end(status)) {
            atomic_store(&board->failed, status);
        }
    }
    PMIx_server_deregister_client(&proc, NULL, NULL);
    PMIx_server_deregister_nspace(name, NULL, NULL);
    if (pid > 0) {
        (void) atomic_fetch_add(&board->ended, 1);
    }
}

static pmix_status_t on_spawn(struct upcall *ask)
{
    return px_host_later(ask, NULL, run_job);
}

static const struct answer answers[N_ENTRIES] = {
    [ON_TOOL] = {CALLBACK, PMIX_SUCCESS},
    [ON_CONNECTED] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED},
    [ON_FINALIZED] = {AT_ONCE, PMIX_OPERATION_SUCCEEDED},
    [ON_QUERY] = {CALLBACK, PMIX_ERR_NOT_FOUND},
    [ON_FENCE] = {OWN, .own = px_host_fence_alone},
    [ON_PULL] = {OWN, .own = on_pull},
    [ON_PUSH] = {CALLBACK, PMIX_SUCCESS},
    [ON_SPAWN] = {OWN, .own = on_spawn},
};
static const struct px_host host = {.answers = answers};

static pmix_status_t begin_server(enum who who)
{
    pmix_info_t info[3];
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TOOL_SUPPORT, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_NSPACE, name_of(who), PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TMPDIR, board->dir, PMIX_STRING);
    rc = PMIx_server_init(px_host_module(&host), info, 3);
    for (int i = 0; i < 3; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
    return rc;
}

static void take_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                        pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo)
{
    (void) id, (void) channel, (void) source, (void) bytes, (void) info, (void) ninfo;
}

static pmix_status_t ask_for_output(void)
{
    pmix_proc_t source;

    PMIX_LOAD_PROCID(&source, "job", 0);
    return PMIx_IOF_pull(&source, 1, NULL, 0, PMIX_FWD_STDOUT_CHANNEL, take_output, NULL, NULL);
}

/* Waits until everybody has left, all processes have ended, and the host has nothing to do; takes
 * the output that the server keeps because nobody has. */
static void settle(struct outcome *outcome, int usual)
{
    int gone = 0;
    pmix_status_t id;

    while ((descriptors() > usual || atomic_load(&board->ended) < atomic_load(&board->started)) &&
           wait_a_little(&gone, PATIENCE_MS)) {
    }
    expect(outcome, gone <= PATIENCE_MS);
    px_host_settle();
    id = ask_for_output();
    expect(outcome, id > 0 && PMIx_IOF_deregister((size_t) id, NULL, 0, NULL, NULL) >= 0);
    outcome->descriptors = descriptors();
    outcome->blocks = blocks_live();
}

void be_server(enum who who, struct ends ends)
{
    struct order order;
    int before = descriptors();
    int usual;

    steps_aside(true);
    steps_as(who);
    if (begin_server(who) != PMIX_SUCCESS) {
        _exit(2);
    }
    usual = descriptors();
    do {
        struct outcome outcome = {.n = 0};

        if (!get_all(ends.in, &order, sizeof(order))) {
            order.what = END;
        }
        if (order.what == END) {
            outcome.status[outcome.n++] = PMIx_server_finalize();
            expect(&outcome, outcome.status[0] == PMIX_SUCCESS);
            px_host_settle();
            expect(&outcome, descriptors() == before);
        } else {
            settle(&outcome, usual);
        }
        (void) put_all(ends.out, &outcome, sizeof(outcome));
    } while (order.what != END);
    exit(0);
}

/* ---- a tool */

static bool is_up; /* PMIx_tool_init has succeeded */

static pmix_status_t to_server(enum who who, bool attach)
{
    pmix_info_t info[2];
    pmix_proc_t proc;
    pmix_status_t rc;

    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_NSPACE, name_of(who), PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SERVER_TMPDIR, board->dir, PMIX_STRING);
    rc = attach ? PMIx_tool_attach_to_server(NULL, &proc, info, 2) : PMIx_tool_init(&proc, info, 2);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    is_up |= !attach && rc == PMIX_SUCCESS;
    return rc;
}

static pmix_status_t leave(enum who who)
{
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, name_of(who), 0);
    return PMIx_tool_disconnect(&proc);
}

static void pull(struct outcome *outcome)
{
    pmix_status_t rc = ask_for_output();

    outcome->status[outcome->n++] = rc > 0 ? PMIX_SUCCESS : rc;
    if (rc > 0) {
        outcome->status[outcome->n++] = PMIx_IOF_deregister((size_t) rc, NULL, 0, NULL, NULL);
    }
}

static void push(struct outcome *outcome)
{
    static char text[INPUT];
    pmix_byte_object_t bytes = {.bytes = text, .size = sizeof(text)};
    pmix_proc_t target;
    pmix_info_t info;

    PMIX_LOAD_PROCID(&target, "job", 0);
    outcome->status[outcome->n++] = PMIx_IOF_push(&target, 1, &bytes, NULL, 0, NULL, NULL);
    PMIX_INFO_LOAD(&info, PMIX_IOF_COMPLETE, NULL, PMIX_BOOL);
    outcome->status[outcome->n++] = PMIx_IOF_push(&target, 1, NULL, &info, 1, NULL, NULL);
    PMIX_INFO_DESTRUCT(&info);
}

static void spawn(struct outcome *outcome)
{
    pmix_nspace_t name = "";
    pmix_value_t *value = NULL;
    pmix_proc_t job;
    pmix_app_t app;
    pmix_status_t rc;

    PMIX_APP_CONSTRUCT(&app);
    app.cmd = strdup("process");
    app.maxprocs = 1;
    rc = PMIx_Spawn(NULL, 0, &app, 1, name);
    outcome->status[outcome->n++] = rc;
    PMIX_APP_DESTRUCT(&app);
    if (rc == PMIX_SUCCESS) {
        PMIX_LOAD_PROCID(&job, name, PMIX_RANK_WILDCARD);
        rc = PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value);
        /* the job may be over */
        outcome->status[outcome->n++] =
            rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_INVALID_NAMESPACE ? PMIX_SUCCESS : rc;
        if (value != NULL) {
            PMIX_VALUE_RELEASE(value);
        }
    }
}

/* What comes before the operation. */
static void prepare(struct outcome *outcome, enum op op)
{
    pmix_status_t rc = PMIX_SUCCESS;

    if (op != CONNECT) {
        rc = to_server(op == ATTACH || op == DISCONNECT ? SECOND : SERVER, false);
    }
    if (op == DISCONNECT && rc == PMIX_SUCCESS) {
        rc = to_server(SERVER, true);
    }
    outcome->status[outcome->n++] = rc;
    expect(outcome, rc == PMIX_SUCCESS);
}

static void run(struct outcome *outcome, enum op op)
{
    switch (op) {
    case CONNECT:
        outcome->status[outcome->n++] = to_server(SERVER, false);
        break;
    case ATTACH:
        outcome->status[outcome->n++] = to_server(SERVER, true);
        break;
    case DISCONNECT:
        outcome->status[outcome->n++] = leave(SERVER);
        break;
    case PULL:
        pull(outcome);
        break;
    case PUSH:
        push(outcome);
        break;
    case SPAWN:
        spawn(outcome);
        break;
    default:
        outcome->status[outcome->n++] = PMIx_tool_finalize();
        is_up = false;
        break;
    }
}

/* The host of the second server has no answer, and says so. */
static bool second_answers(void)
{
    pmix_query_t query;
    pmix_info_t *results = NULL;
    pmix_proc_t second;
    pmix_status_t rc;
    size_t n = 0;

    PMIX_LOAD_PROCID(&second, name_of(SECOND), 0);
    if (PMIx_tool_set_server(&second, NULL, 0) != PMIX_SUCCESS) {
        return false;
    }
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(rc, query.keys, "deaths.question");
    rc = PMIx_Query_info(&query, 1, &results, &n);
    PMIX_INFO_FREE(results, n);
    PMIX_QUERY_DESTRUCT(&query);
    return rc == PMIX_ERR_NOT_FOUND;
}

static int threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;

    while (dir != NULL && readdir(dir) != NULL) {
        n++;
    }
    if (dir != NULL) {
        (void) closedir(dir);
    }
    return n - 2;
}

/* The kernel may show a thread a moment longer than it takes to join it. */
static bool is_alone(void)
{
    int gone = 0;

    while (threads() != 1 && wait_a_little(&gone, PATIENCE_MS)) {
    }
    return threads() == 1;
}

/* A tool that has lost a server, or not, works with another one, and leaves nothing behind. */
static void recover(struct outcome *outcome, int before)
{
    expect(outcome, to_server(SECOND, is_up) == PMIX_SUCCESS);
    expect(outcome, second_answers());
    expect(outcome, PMIx_tool_finalize() == PMIX_SUCCESS);
    expect(outcome, descriptors() == before);
    expect(outcome, is_alone());
}

/* Attaches and detaches so many times. The descriptors and blocks after the first tenth, and how
 * many more there are at the end. */
static void cycle(struct outcome *outcome, long n)
{
    int first = 0;
    long blocks = 0;

    expect(outcome, to_server(SECOND, false) == PMIX_SUCCESS);
    for (long i = 0; i < n && outcome->wrong == 0; i++) {
        if (i == n / 10) {
            first = descriptors();
            blocks = blocks_live();
        }
        expect(outcome, to_server(SERVER, true) == PMIX_SUCCESS);
        expect(outcome, leave(SERVER) == PMIX_SUCCESS);
    }
    outcome->descriptors = descriptors() - first;
    outcome->blocks = blocks_live() - blocks;
    expect(outcome, second_answers());
    expect(outcome, PMIx_tool_finalize() == PMIX_SUCCESS);
}

void be_tool(struct ends ends)
{
    struct order order;
    int before = descriptors();

    steps_aside(true);
    steps_as(TOOL);
    while (get_all(ends.in, &order, sizeof(order))) {
        struct outcome outcome = {.n = 0};

        switch (order.what) {
        case PREPARE:
            prepare(&outcome, order.op);
            break;
        case RUN:
            atomic_store(&board->steps, 0);
            atomic_store(&board->fatal, order.n);
            atomic_store(&board->victim, order.victim);
            steps_aside(false);
            run(&outcome, order.op);
            steps_aside(true);
            if (order.victim == TOOL) {
                atomic_store(&board->victim, NOBODY);
            }
            break;
        case CYCLES:
            cycle(&outcome, order.n);
            break;
        default:
            recover(&outcome, before);
            break;
        }
        if (!put_all(ends.out, &outcome, sizeof(outcome))) {
            break;
        }
    }
    exit(0);
}

/* ---- a process of a job */

static bool is_fair(pmix_status_t rc)
{
    return rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED || rc == PMIX_ERR_LOST_CONNECTION ||
           rc == PMIX_ERR_UNREACH;
}

/* Its server may die: its calls return, and it leaves nothing behind. It is ended if they do not.
 */
void be_process(void)
{
    pmix_value_t value = {.type = PMIX_INT, .data.integer = 42};
    pmix_value_t *got = NULL;
    pmix_proc_t me;
    pmix_proc_t job;
    pmix_status_t rc;
    int before = descriptors();

    (void) alarm(LIFE_S);
    steps_as(PROCESS);
    rc = PMIx_Init(&me, NULL, 0);
    if (rc == PMIX_ERR_UNREACH) { /* it is alone, and up */
        exit(PMIx_Finalize(NULL, 0) == PMIX_SUCCESS && descriptors() == before ? 0 : 2);
    }
    if (rc != PMIX_SUCCESS) {
        exit(is_fair(rc) && descriptors() == before ? 0 : 3);
    }
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    if (PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &got) == PMIX_SUCCESS) {
        PMIX_VALUE_RELEASE(got);
    }
    if (!is_fair(PMIx_Put(PMIX_GLOBAL, "deaths.word", &value)) || !is_fair(PMIx_Commit()) ||
        !is_fair(PMIx_Fence(NULL, 0, NULL, 0)) || !is_fair(PMIx_Finalize(NULL, 0))) {
        exit(4);
    }
    if (descriptors() != before) {
        exit(5);
    }
    exit(is_alone() ? 0 : 6);
}
