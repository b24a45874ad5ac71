/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Public interface only: this is also built against other PMIx libraries. Processes are started
 * with posix_spawn, because a fork of a large daemon would measure its page tables. */

#include "daemon.h"

#include <pmix.h>

#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static fence_fn change_data;
static _Atomic uint64_t spawn_cpu;

static void die(const char *what, int code)
{
    fprintf(stderr, "bench: %s: %d\n", what, code);
    exit(70);
}

/* Several threads of a host may wait at once, each for its own operation. over: a bool; lock. */
static void op_done(pmix_status_t status, void *over)
{
    if (status != PMIX_SUCCESS) {
        fprintf(stderr, "bench: an operation of the host ended with %d\n", status);
    }
    pthread_mutex_lock(&lock);
    *(bool *) over = true;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&lock);
}

static void wait_op(pmix_status_t rc, const bool *over)
{
    if (rc == PMIX_OPERATION_SUCCEEDED) {
        return;
    }
    if (rc != PMIX_SUCCESS) {
        die("the host was refused", rc);
    }
    pthread_mutex_lock(&lock);
    while (!*over) {
        pthread_cond_wait(&came, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static pmix_status_t fence(struct upcall *upcall)
{
    size_t len = 0;
    char *answer;

    if (change_data == NULL) {
        return px_host_fence_alone(upcall);
    }
    answer = change_data(upcall->data, upcall->n_data, &len);
    upcall->reply.modex(PMIX_SUCCESS, answer, answer ? len : 0, upcall->cbdata, free, answer);
    return PMIX_SUCCESS;
}

static const struct answer answers[N_ENTRIES] = {
    [ON_CONNECTED1] = {AT_ONCE, .status = PMIX_SUCCESS},
    [ON_FINALIZED] = {INSIDE, .status = PMIX_SUCCESS},
    [ON_FENCE] = {OWN, .own = fence},
};

void daemon_start(const struct px_host *host, pmix_info_t *info, size_t ninfo)
{
    int rc = PMIx_server_init(px_host_module(host), info, ninfo);

    if (rc != PMIX_SUCCESS) {
        die("no server", rc);
    }
}

void daemon_init(const char *hostname, fence_fn change)
{
    static const struct px_host host = {.answers = answers};
    pmix_info_t info;

    change_data = change;
    PMIX_INFO_CONSTRUCT(&info);
    if (hostname) {
        PMIX_INFO_LOAD(&info, PMIX_HOSTNAME, hostname, PMIX_STRING);
    }
    daemon_start(&host, hostname ? &info : NULL, hostname ? 1 : 0);
    PMIX_INFO_DESTRUCT(&info);
}

void daemon_deregister(const char *nspace)
{
    pmix_nspace_t job;
    bool over = false;

    PMIX_LOAD_NSPACE(job, nspace);
    PMIx_server_deregister_nspace(job, op_done, &over);
    wait_op(PMIX_SUCCESS, &over);
}

void daemon_fini(const char *nspace)
{
    daemon_deregister(nspace);
    PMIx_server_finalize();
}

void daemon_register_job(const char *nspace, int n_local, pmix_info_t *info, size_t ninfo)
{
    pmix_nspace_t job;
    bool over = false;

    PMIX_LOAD_NSPACE(job, nspace);
    wait_op(PMIx_server_register_nspace(job, n_local, info, ninfo, op_done, &over), &over);
}

static pmix_proc_t named(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc;

    memset(&proc, 0, sizeof(proc));
    strncpy(proc.nspace, nspace, PMIX_MAX_NSLEN);
    proc.rank = rank;
    return proc;
}

void daemon_register_client(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = named(nspace, rank);
    bool over = false;

    wait_op(PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, op_done, &over), &over);
}

static char **environment(const char *nspace, pmix_rank_t rank)
{
    pmix_proc_t proc = named(nspace, rank);
    char **env = NULL;
    int rc = PMIX_SUCCESS;

    for (char **e = environ; *e && rc == PMIX_SUCCESS; e++) {
        PMIX_ARGV_APPEND(rc, env, *e);
    }
    rc = rc == PMIX_SUCCESS ? PMIx_server_setup_fork(&proc, &env) : rc;
    if (rc != PMIX_SUCCESS) {
        die("no environment for a client", rc);
    }
    return env;
}

/* Descriptor that the process inherits, if PMIX_SHMIX_INHERIT=ask is in the environment of the
 * benchmark; -1: none. A server that gives none although it was asked ends the program: what the
 * client measures would be an ordinary init. */
static int inherited_by(char **env)
{
    static const char name[] = "PMIX_SHMIX_INHERIT";
    const char *asked = getenv(name);
    int fd = -1;

    if (!asked || strcmp(asked, "ask") != 0) {
        return -1;
    }
    for (; *env; env++) {
        if (strncmp(*env, name, sizeof(name) - 1) == 0 && (*env)[sizeof(name) - 1] == '=') {
            fd = atoi(*env + sizeof(name));
        }
    }
    if (fd <= 0) {
        die("nothing to inherit", fd);
    }
    return fd;
}

/* As thread_cpu_ns; this file is also linked without measure.c. */
static uint64_t thread_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

pid_t daemon_spawn(const char *nspace, pmix_rank_t rank, char *const argv[], int in, int out)
{
    char **env = environment(nspace, rank);
    posix_spawn_file_actions_t files;
    int inherited = inherited_by(env);
    uint64_t cpu;
    pid_t pid = -1;
    int rc;

    posix_spawn_file_actions_init(&files);
    if (in >= 0) {
        posix_spawn_file_actions_adddup2(&files, in, 0);
    }
    if (out >= 0) {
        posix_spawn_file_actions_adddup2(&files, out, 1);
    }
    if (inherited > 0) {
        posix_spawn_file_actions_adddup2(&files, inherited, inherited); /* not closed by exec */
    }
    cpu = thread_ns();
    rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, env);
    spawn_cpu += thread_ns() - cpu;
    if (inherited > 0) {
        (void) close(inherited);
    }
    posix_spawn_file_actions_destroy(&files);
    PMIX_ARGV_FREE(env);
    if (rc != 0) {
        die("no client", rc);
    }
    return pid;
}

uint64_t daemon_spawn_cpu_ns(void)
{
    return spawn_cpu;
}

int daemon_wait(pid_t pid)
{
    int status = 0;

    waitpid(pid, &status, 0);
    return status ? 1 : 0;
}

unsigned daemon_corrupts(void)
{
    return getenv("BENCH_CORRUPT") != NULL;
}
