/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Servers that are killed at random moments, each with two clients that read, post and fence. The
 * clients outlive their server: the call that needs it ends with a status that says so, what is in
 * memory can still be read, and they end by themselves. A dead server's files are removed by the
 * next one. usage: killed_servers SERVERS SEED; or, as a client, killed_servers */

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pmix.h>
#include <pmix_server.h>

/* A server lives at most LIFE_US microseconds. While no client has read before its server was
 * killed, that is doubled again and again, up to MOST_US: clients start slowly with a sanitizer. */
enum { RANKS = 2, LIFE_US = 20000, MOST_US = 640000, PATIENCE_S = 60 };

/* How a client ends. */
enum { READ = 0, NOT_STARTED = 10, WRONG = 20 };

/* --- a client --- */

static pmix_proc_t self;
static pmix_proc_t job;
static pmix_proc_t other;

/* True if the status is what a client without a server gets. */
static bool says_lost(pmix_status_t rc)
{
    return rc == PMIX_ERR_LOST_CONNECTION || rc == PMIX_ERR_UNREACH;
}

/* Anything else than success or a lost server is a mistake. */
static pmix_status_t judge(pmix_status_t rc, const char *what)
{
    if (rc != PMIX_SUCCESS && !says_lost(rc)) {
        fprintf(stderr, "killed_servers: %s: %s\n", what, PMIx_Error_string(rc));
        _exit(WRONG);
    }
    return rc;
}

/* Without a segment a process that has lost its server finds what it was sent last. */
static bool may_be_old(void)
{
    const char *form = getenv("PMIX_MCA_gds");

    return form && strcmp(form, "hash") == 0 && says_lost(PMIx_Fence(NULL, 0, NULL, 0));
}

static pmix_status_t read_number(const pmix_proc_t *proc, const char *key, uint32_t least)
{
    pmix_value_t *value = NULL;
    pmix_status_t rc = judge(PMIx_Get(proc, key, NULL, 0, &value), key);

    if (rc == PMIX_SUCCESS) {
        bool known = value->type == PMIX_UINT32 && value->data.uint32 >= least;

        PMIX_VALUE_RELEASE(value);
        if (!known && !may_be_old()) {
            fprintf(stderr, "killed_servers: %s is wrong\n", key);
            _exit(WRONG);
        }
        rc = known ? rc : PMIX_ERR_LOST_CONNECTION;
    }
    return rc;
}

/* Posts a number, waits for the other one, and reads what it has posted. */
static pmix_status_t one_round(uint32_t number)
{
    pmix_value_t value = {.type = PMIX_UINT32, .data.uint32 = number};
    pmix_status_t rc = judge(PMIx_Put(PMIX_GLOBAL, "number", &value), "put");

    rc = rc ? rc : judge(PMIx_Commit(), "commit");
    rc = rc ? rc : judge(PMIx_Fence(NULL, 0, NULL, 0), "fence");
    rc = rc ? rc : read_number(&other, "number", number);
    for (int i = 0; rc == PMIX_SUCCESS && i < 100; i++) {
        rc = read_number(&job, PMIX_JOB_SIZE, RANKS);
    }
    return rc;
}

static void be_client(void)
{
    bool by_memory;
    uint32_t number = 1;

    alarm(PATIENCE_S);
    if (judge(PMIx_Init(&self, NULL, 0), "init") != PMIX_SUCCESS) {
        _exit(NOT_STARTED);
    }
    job = other = self;
    job.rank = PMIX_RANK_WILDCARD;
    other.rank = 1 - self.rank;
    while (one_round(number) == PMIX_SUCCESS) {
        number++;
    }
    /* The job's information came with PMIx_Init, in any form; the server is gone. */
    by_memory = read_number(&job, PMIX_JOB_SIZE, RANKS) == PMIX_SUCCESS;
    (void) judge(PMIx_Finalize(NULL, 0), "finalize");
    _exit(by_memory ? READ : WRONG);
}

/* --- a server --- */

/* Has this process killed by the kernel so many nanoseconds from now. */
static void die_in(long ns)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {0, ns}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &how, &timer) || timer_settime(timer, 0, &when, NULL)) {
        _exit(WRONG);
    }
}

static void start_client(char *program, pmix_rank_t rank)
{
    extern char **environ;
    char *argv[] = {program, NULL};
    char **env = NULL;
    pmix_proc_t proc;

    PMIX_LOAD_PROCID(&proc, "job", rank);
    for (char **item = environ; *item; item++) {
        PMIx_Argv_append_nosize(&env, *item);
    }
    if (PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, NULL, NULL) < 0 ||
        PMIx_server_setup_fork(&proc, &env) != PMIX_SUCCESS) {
        _exit(WRONG);
    }
    if (fork() == 0) {
        execve(program, argv, env);
        _exit(WRONG);
    }
}

static void make_server(void)
{
    static pmix_server_module_t none;
    uint32_t size = RANKS;
    pmix_nspace_t name;
    pmix_info_t infos[3];
    pmix_info_t tools;

    PMIX_INFO_LOAD(&tools, PMIX_SERVER_TOOL_SUPPORT, NULL, PMIX_BOOL);
    PMIX_INFO_LOAD(&infos[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&infos[1], PMIX_LOCAL_PEERS, "0,1", PMIX_STRING);
    PMIX_INFO_LOAD(&infos[2], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    PMIX_LOAD_NSPACE(name, "job");
    if (PMIx_server_init(&none, &tools, 1) != PMIX_SUCCESS ||
        PMIx_server_register_nspace(name, RANKS, infos, 3, NULL, NULL) < 0) {
        _exit(WRONG);
    }
    PMIX_INFO_DESTRUCT(&infos[1]);
}

static void be_server(char *program, long ns)
{
    die_in(ns);
    make_server();
    for (pmix_rank_t rank = 0; rank < RANKS; rank++) {
        start_client(program, rank);
    }
    for (;;) {
        (void) pause();
    }
}

/* --- the one who starts them --- */

struct tally {
    int killed; /* servers */
    int read;   /* clients that have lost their server while they read */
    int not_started;
    int wrong;
};

/* One server, until it and its clients have ended. */
static void one_server(char *program, long ns, struct tally *tally)
{
    pid_t server = fork();
    int status;
    pid_t pid;

    if (server == 0) {
        be_server(program, ns);
    }
    while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;

        if (pid == server && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            tally->killed++;
        } else if (pid != server && code == READ) {
            tally->read++;
        } else if (pid != server && code == NOT_STARTED) {
            tally->not_started++;
        } else if (pid > 0) {
            printf("# a %s ends with %x\n", pid == server ? "server" : "client", status);
            tally->wrong++;
        }
    }
}

static int count_files(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;

    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        n += e->d_name[0] != '.';
    }
    if (dir) {
        (void) closedir(dir);
    }
    return n;
}

/* A last server, which is not killed. */
static bool ends_well(void)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        make_server();
        _exit(PMIx_server_finalize() == PMIX_SUCCESS ? 0 : 1);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static int say(bool held, const char *what)
{
    printf("%s - %s\n", held ? "ok" : "not ok", what);
    return !held;
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    struct tally tally = {0};
    unsigned seed;
    int before = count_files("/proc/self/fd");
    int life_us = LIFE_US;
    int bad = 0;
    int n;

    if (argc == 1) {
        be_client();
    }
    if (argc != 3 || !tmp) {
        return 2;
    }
    n = atoi(argv[1]);
    seed = (unsigned) strtoul(argv[2], NULL, 10);
    (void) prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < n; i++) {
        one_server(argv[0], 1000L * (1 + rand_r(&seed) % life_us), &tally);
        if (tally.read == 0 && i % 5 == 4 && life_us < MOST_US) {
            life_us *= 2;
        }
    }
    printf("# %d servers killed; %d clients read then, %d had not started\n", tally.killed,
           tally.read, tally.not_started);
    bad += say(tally.killed == n, "every server is killed");
    bad += say(tally.wrong == 0, "no client hangs, crashes or reads what is wrong");
    bad += say(tally.read > 0, "some clients were in the middle of it");
    bad += say(ends_well(), "the next server starts and ends");
    bad += say(count_files(tmp) == 0, "and leaves no file, also of the dead ones");
    bad += say(count_files("/proc/self/fd") == before, "nor is a descriptor left");
    return bad != 0;
}
