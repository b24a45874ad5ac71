/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A server that is killed and started again, many times, while clients and tools come.
 *
 *     roles drive ROLE ROUNDS SEED DIRECTORY
 *
 * ROLE: system, scheduler or session. In each round the server is started, a tool finds it by its
 * role and is served, more tools come, and at a random moment the server gets SIGKILL. No process
 * may hang, or fail while the server lives; the directory of rendezvous files may not grow, and is
 * empty when the last server has ended by itself. Prints a line for each of these; the other words
 * are for the processes that it starts (main). */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pmix_server.h>
#include <pmix_tool.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/soak/soak.h"

enum { CLIENTS = 3, TOOLS = 3, LIMIT_S = 60, LIFE_NS = 30000000, FIRST = 3 };
enum { UP_FD = 3, ALIVE_FD = 4 }; /* of a server: says that it is up; open while anybody lives */

extern char **environ;
static char *program;

static void fail(const char *what, int status)
{
    fprintf(stderr, "roles: %s: %s\n", what,
            status == 0 ? strerror(errno) : PMIx_Error_string(status));
    exit(1);
}

static void check(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && rc != PMIX_OPERATION_SUCCEEDED) {
        fail(what, rc);
    }
}

/* ---- processes that a server has */

/* A call has failed: then the server has to be dead, or to die now. */
static void excuse(int server, const char *what, pmix_status_t rc)
{
    struct pollfd end = {.fd = server, .events = POLLIN};

    if (server >= 0 && poll(&end, 1, LIMIT_S / 2 * 1000) != 1) {
        fail(what, rc);
    }
    exit(0);
}

/* A descriptor that can be read when the process has ended. -1: it has ended. */
static int watch(pid_t pid)
{
    return (int) syscall(SYS_pidfd_open, pid, 0);
}

static void be_client(pid_t parent)
{
    int server = getppid() == parent ? watch(parent) : -1;
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = 7};
    pmix_value_t *got = NULL;
    pmix_proc_t me;
    pmix_proc_t job;
    pmix_status_t rc = PMIx_Init(&me, NULL, 0);

    if (rc != PMIX_SUCCESS) {
        excuse(server, "a client's init", rc);
    }
    PMIX_LOAD_PROCID(&job, me.nspace, PMIX_RANK_WILDCARD);
    rc = PMIx_Put(PMIX_GLOBAL, "roles", &value);
    rc = rc == PMIX_SUCCESS ? PMIx_Commit() : rc;
    rc = rc == PMIX_SUCCESS ? PMIx_Fence(&me, 1, NULL, 0) : rc;
    rc = rc == PMIX_SUCCESS ? PMIx_Get(&me, "roles", NULL, 0, &got) : rc;
    if (rc != PMIX_SUCCESS) {
        excuse(server, "a client", rc);
    }
    PMIX_VALUE_RELEASE(got);
    rc = PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &got);
    if (rc != PMIX_SUCCESS) {
        excuse(server, "a client's job size", rc);
    }
    PMIX_VALUE_RELEASE(got);
    rc = PMIx_Finalize(NULL, 0);
    if (rc != PMIX_SUCCESS) {
        excuse(server, "a client's finalize", rc);
    }
}

static bool names(const pmix_info_t *results, size_t n, const char *nspace)
{
    for (size_t i = 0; i < n; i++) {
        if (PMIX_CHECK_KEY(&results[i], PMIX_QUERY_NAMESPACES) &&
            results[i].value.type == PMIX_STRING && results[i].value.data.string &&
            strstr(results[i].value.data.string, nspace)) {
            return true;
        }
    }
    return false;
}

/* Finds the server by its role, as the only one that there is, and asks for its namespaces. */
static void be_tool(const char *role, pid_t pid, bool must)
{
    int server = must ? -1 : watch(pid);
    bool by_system = strcmp(role, "system") == 0;
    bool yes = true;
    pmix_nspace_t nspace;
    pmix_query_t query;
    pmix_info_t info;
    pmix_info_t *results = NULL;
    size_t n = 0;
    pmix_proc_t me;
    pmix_status_t rc;

    snprintf(nspace, sizeof(nspace), "roles.%d", (int) pid);
    PMIX_INFO_LOAD(&info, PMIX_CONNECT_TO_SYSTEM, &yes, PMIX_BOOL);
    rc = PMIx_tool_init(&me, by_system ? &info : NULL, by_system);
    if (rc == PMIX_SUCCESS) {
        PMIX_QUERY_CONSTRUCT(&query);
        PMIX_ARGV_APPEND(rc, query.keys, PMIX_QUERY_NAMESPACES);
        rc = PMIx_Query_info(&query, 1, &results, &n);
        rc = rc == PMIX_SUCCESS && !names(results, n, nspace) ? PMIX_ERR_NOT_FOUND : rc;
        PMIX_INFO_FREE(results, n);
        PMIX_QUERY_DESTRUCT(&query);
        pmix_status_t end = PMIx_tool_finalize();
        rc = rc == PMIX_SUCCESS ? end : rc;
    }
    if (rc != PMIX_SUCCESS && must) {
        fail("a tool", rc);
    }
    if (rc != PMIX_SUCCESS) {
        excuse(server, "a tool beside others", rc);
    }
}

/* ---- the server */

static pmix_status_t on_client(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t n,
                               pmix_op_cbfunc_t fn, void *cbdata)
{
    (void) proc;
    (void) object;
    (void) info;
    (void) n;
    (void) fn;
    (void) cbdata;
    return PMIX_OPERATION_SUCCEEDED;
}

static void on_tool(pmix_info_t *info, size_t n, pmix_tool_connection_cbfunc_t fn, void *cbdata)
{
    (void) info;
    (void) n;
    fn(PMIX_SUCCESS, NULL, cbdata);
}

static pmix_server_module_t module = {.client_connected2 = on_client, .tool_connected = on_tool};

static void wait_done(pmix_status_t status, void *cbdata)
{
    (void) status;
    (void) !write(*(int *) cbdata, ".", 1);
}

/* The end of a call of the server that may go on in the background. */
static void finish(pmix_status_t rc, int ends[2], const char *what)
{
    char byte;

    check(rc, what);
    if (rc == PMIX_SUCCESS && read(ends[0], &byte, 1) != 1) {
        fail(what, 0);
    }
}

static void start_client(const char *nspace, pmix_rank_t rank, pid_t clients[CLIENTS])
{
    char number[16];
    char *argv[] = {program, (char *) "client", number, NULL};
    char **env = PMIx_Argv_copy(environ);
    pmix_proc_t proc;

    snprintf(number, sizeof(number), "%d", (int) getpid());
    PMIX_LOAD_PROCID(&proc, nspace, rank);
    check(PMIx_server_setup_fork(&proc, &env), "setup fork");
    clients[rank] = fork();
    if (clients[rank] == 0) {
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(program, argv, env);
        _exit(127);
    }
    PMIx_Argv_free(env);
}

/* Keeps the clients coming until SIGTERM, then until the last has ended. True: all were fine. */
static bool serve_clients(const char *nspace, const sigset_t *signals)
{
    pid_t clients[CLIENTS];
    unsigned n = CLIENTS;
    bool stopping = false;
    bool fine = true;

    for (pmix_rank_t rank = 0; rank < CLIENTS; rank++) {
        start_client(nspace, rank, clients);
    }
    while (n > 0) {
        siginfo_t got;
        int status;
        pid_t pid;

        stopping |= sigwaitinfo(signals, &got) == SIGTERM;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            for (pmix_rank_t rank = 0; rank < CLIENTS; rank++) {
                if (clients[rank] == pid) {
                    clients[rank] = 0;
                    n--;
                    fine &= status == 0;
                }
            }
        }
        for (pmix_rank_t rank = 0; !stopping && rank < CLIENTS; rank++) {
            if (clients[rank] == 0) {
                start_client(nspace, rank, clients);
                n++;
            }
        }
    }
    return fine;
}

static void serve(const char *role, const char *dir)
{
    const char *key = strcmp(role, "system") == 0      ? PMIX_SERVER_SYSTEM_SUPPORT
                      : strcmp(role, "scheduler") == 0 ? PMIX_SERVER_SCHEDULER
                                                       : PMIX_SERVER_SESSION_SUPPORT;
    uint32_t size = CLIENTS;
    bool yes = true;
    pmix_nspace_t nspace;
    pmix_info_t info[4];
    pmix_info_t job;
    sigset_t signals;
    int ends[2];

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* before the library has a thread */
    if (fcntl(UP_FD, F_SETFD, FD_CLOEXEC) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
        fail("descriptors", 0);
    }
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TMPDIR, dir, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SYSTEM_TMPDIR, dir, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
    PMIX_INFO_LOAD(&info[3], key, &yes, PMIX_BOOL);
    check(PMIx_server_init(&module, info, 4), "server init");
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    snprintf(nspace, sizeof(nspace), "roles.%d", (int) getpid());
    PMIX_INFO_LOAD(&job, PMIX_JOB_SIZE, &size, PMIX_UINT32);
    finish(PMIx_server_register_nspace(nspace, CLIENTS, &job, 1, wait_done, &ends[1]), ends,
           "register the job");
    for (pmix_rank_t rank = 0; rank < CLIENTS; rank++) {
        pmix_proc_t proc;

        PMIX_LOAD_PROCID(&proc, nspace, rank);
        finish(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, wait_done, &ends[1]),
               ends, "register a client");
    }
    if (write(UP_FD, "u", 1) != 1) {
        fail("say that we are up", 0);
    }
    if (!serve_clients(nspace, &signals)) {
        exit(1);
    }
    PMIx_server_deregister_nspace(nspace, wait_done, &ends[1]);
    finish(PMIX_SUCCESS, ends, "deregister the job");
    check(PMIx_server_finalize(), "server finalize");
}

/* ---- who starts and kills them */

struct server {
    pid_t pid;
    int alive; /* at its end when the server and all that it has started have ended */
};

static bool ends_well(pid_t pid)
{
    int status;

    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Waits for a byte (true), or the end (false), of a pipe. */
static bool hear(int fd, const char *what)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    char byte;

    if (poll(&end, 1, LIMIT_S * 1000) != 1) {
        fprintf(stderr, "roles: nothing within %d seconds: %s\n", LIMIT_S, what);
        exit(1);
    }
    return read(fd, &byte, 1) == 1;
}

static struct server start_server(const char *role, const char *dir)
{
    char *argv[] = {program, (char *) "serve", (char *) role, (char *) dir, NULL};
    struct server server;
    int up[2];
    int alive[2];

    if (pipe2(up, O_CLOEXEC) != 0 || pipe2(alive, O_CLOEXEC) != 0) {
        fail("pipe", 0);
    }
    server.pid = fork();
    if (server.pid == 0) {
        int ends[2] = {fcntl(up[1], F_DUPFD, 10), fcntl(alive[1], F_DUPFD, 10)};

        if (dup2(ends[0], UP_FD) < 0 || dup2(ends[1], ALIVE_FD) < 0) {
            _exit(126);
        }
        close(ends[0]);
        close(ends[1]);
        execv(program, argv);
        _exit(127);
    }
    close(up[1]);
    close(alive[1]);
    if (!hear(up[0], "the server comes up")) {
        fail("the server does not come up", PMIX_ERR_UNREACH);
    }
    close(up[0]);
    server.alive = alive[0];
    return server;
}

static pid_t start_tool(const char *role, pid_t server, bool must)
{
    char number[16];
    char *argv[] = {program, (char *) "tool", (char *) role, number, (char *) (must ? "1" : "0"),
                    NULL};
    pid_t pid = fork();

    if (pid == 0) {
        snprintf(number, sizeof(number), "%d", (int) server);
        execv(program, argv);
        _exit(127);
    }
    return pid;
}

/* Files below a directory. */
static unsigned count_files(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    unsigned n = 0;

    while (dir && (entry = readdir(dir)) != NULL) {
        char name[4096];

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
            n += 1 + (entry->d_type == DT_DIR ? count_files(name) : 0);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return n;
}

/* The pause is no wait for anything: it is the random moment of the kill. */
static bool play_round(const char *role, const char *dir, uint64_t *seed, bool last)
{
    struct server server = start_server(role, dir);
    struct timespec life = {0, (long) (soak_draw(seed) % LIFE_NS)};
    bool fine = ends_well(start_tool(role, server.pid, true));
    pid_t tools[TOOLS];
    int status;

    for (int i = 0; i < TOOLS; i++) {
        tools[i] = start_tool(role, server.pid, last);
    }
    if (last) {
        for (int i = 0; i < TOOLS; i++) {
            fine &= ends_well(tools[i]);
        }
        kill(server.pid, SIGTERM);
        fine &= ends_well(server.pid);
    } else {
        nanosleep(&life, NULL);
        kill(server.pid, SIGKILL);
        fine &= waitpid(server.pid, &status, 0) == server.pid && WIFSIGNALED(status);
        for (int i = 0; i < TOOLS; i++) {
            fine &= ends_well(tools[i]);
        }
    }
    (void) hear(server.alive, "the clients end");
    close(server.alive);
    return fine;
}

static void tell(bool holds, const char *role, const char *what)
{
    printf("%sok - %s: %s\n", holds ? "" : "not ", role, what);
    fflush(stdout);
}

static void drive(const char *role, unsigned rounds, uint64_t seed, const char *dir)
{
    unsigned first = 0;
    unsigned last = 0;
    bool fine = true;

    setenv("PMIX_SERVER_TMPDIR", dir, 1);
    setenv("PMIX_SYSTEM_TMPDIR", dir, 1);
    for (unsigned i = 0; i < rounds && fine; i++) {
        fine = play_round(role, dir, &seed, false);
        last = count_files(dir);
        first = i < FIRST && last > first ? last : first;
    }
    tell(fine, role, "whatever it dies at, it comes again, tools are served, nobody hangs");
    tell(last <= first, role, "files do not grow");
    tell(play_round(role, dir, &seed, true), role, "the last one ends by itself");
    tell(count_files(dir) == 0, role, "and leaves no file");
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 6 && strcmp(argv[1], "drive") == 0) {
        drive(argv[2], (unsigned) strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), argv[5]);
        return 0;
    }
    alarm(LIMIT_S);
    if (argc == 4 && strcmp(argv[1], "serve") == 0) {
        serve(argv[2], argv[3]);
    } else if (argc == 5 && strcmp(argv[1], "tool") == 0) {
        be_tool(argv[2], (pid_t) atoi(argv[3]), argv[4][0] == '1');
    } else if (argc == 3 && strcmp(argv[1], "client") == 0) {
        be_client((pid_t) atoi(argv[2]));
    } else {
        return 2;
    }
    return 0;
}
