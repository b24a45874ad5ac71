/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Jobs: who is where, what a host registers of them, and their processes on this node. */

#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CHILDREN = 512 };

static struct child {
    pid_t pid; /* 0: waited for */
    bool killed;
    const char *job;
    pmix_rank_t rank;
} children[MAX_CHILDREN]; /* the host's main thread */
static int n_children;
static bool job_begun; /* the first process was started */

extern char **environ;

/* ---- layout */

const struct job *find_job(const char *name)
{
    for (int i = 0; i < MAX_JOBS && board->jobs[i].name != NULL; i++) {
        if (strcmp(board->jobs[i].name, name) == 0) {
            return &board->jobs[i];
        }
    }
    return NULL;
}

int job_size(const struct job *job)
{
    int n = 0;

    for (int i = 0; i < MAX_NODES; i++) {
        n += job->ranks[i];
    }
    return n;
}

int job_node(const struct job *job, pmix_rank_t rank)
{
    for (int i = 0; i < MAX_NODES; i++) {
        if (rank < (pmix_rank_t) job->ranks[i]) {
            return i;
        }
        rank -= (pmix_rank_t) job->ranks[i];
    }
    return -1;
}

const char *node_name(int n)
{
    static const char *const names[MAX_NODES] = {"node0", "node1", "node2", "node3",
                                                 "node4", "node5", "node6", "node7"};
    return names[n];
}

/* Under a host of another's its jobs are called as that one likes; a case has one of them. */
void job_rename(const char *nspace)
{
    board->jobs[0].name = board_text(nspace);
}

/* ---- registration */

static bool registered[MAX_JOBS];

static void list_ranks(const struct job *job, int on, char *to, size_t room)
{
    size_t at = 0;

    to[0] = '\0';
    for (int r = 0; r < job_size(job) && at < room; r++) {
        if (job_node(job, (pmix_rank_t) r) == on) {
            at += (size_t) snprintf(to + at, room - at, "%s%d", at > 0 ? "," : "", r);
        }
    }
}

/* The maps: nodes with at least one process, in order. */
static void add_maps(const struct job *job, struct infos *list)
{
    char nodes[MAX_NODES * 8] = "";
    char ppn[8192] = "";
    char ranks[1024];
    char *made = NULL;
    uint32_t n = 0;

    for (int i = 0; i < MAX_NODES; i++) {
        if (job->ranks[i] > 0) {
            list_ranks(job, i, ranks, sizeof(ranks));
            snprintf(nodes + strlen(nodes), sizeof(nodes) - strlen(nodes), "%s%s", n > 0 ? "," : "",
                     node_name(i));
            snprintf(ppn + strlen(ppn), sizeof(ppn) - strlen(ppn), "%s%s", n > 0 ? ";" : "", ranks);
            n++;
        }
    }
    (void) PMIx_generate_regex(nodes, &made);
    add(list, PMIX_NODE_MAP, made, PMIX_REGEX);
    free(made);
    made = NULL;
    (void) PMIx_generate_ppn(ppn, &made);
    add(list, PMIX_PROC_MAP, made, PMIX_REGEX);
    free(made);
    add_u32(list, PMIX_NUM_NODES, n);
}

static void add_proc(const struct job *job, struct infos *list, pmix_rank_t rank, uint16_t local)
{
    struct infos one = {0};
    int on = job_node(job, rank);

    add(&one, PMIX_RANK, &rank, PMIX_PROC_RANK);
    add_u32(&one, PMIX_APPNUM, 0);
    add(&one, PMIX_APP_RANK, &rank, PMIX_PROC_RANK);
    add(&one, PMIX_GLOBAL_RANK, &rank, PMIX_PROC_RANK);
    add(&one, PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    add(&one, PMIX_NODE_RANK, &local, PMIX_UINT16);
    add_text(&one, PMIX_HOSTNAME, node_name(on));
    add_u32(&one, PMIX_NODEID, (uint32_t) on);
    add_array(list, PMIX_PROC_INFO_ARRAY, &one);
}

static void describe(const struct job *job, struct infos *list)
{
    uint32_t size = (uint32_t) job_size(job);
    uint16_t local[MAX_NODES] = {0};
    pmix_rank_t leader;
    char ranks[1024];

    add_u32(list, PMIX_JOB_SIZE, size);
    add_u32(list, PMIX_UNIV_SIZE, size);
    add_u32(list, PMIX_MAX_PROCS, size);
    add_u32(list, PMIX_JOB_NUM_APPS, 1);
    add_text(list, PMIX_JOBID, job->name);
    add_maps(job, list);
    if (job->ranks[self.node] > 0) {
        list_ranks(job, self.node, ranks, sizeof(ranks));
        add_text(list, PMIX_LOCAL_PEERS, ranks);
        add_u32(list, PMIX_LOCAL_SIZE, (uint32_t) job->ranks[self.node]);
        add_u32(list, PMIX_NODE_SIZE, (uint32_t) job->ranks[self.node]);
        leader = (pmix_rank_t) strtoul(ranks, NULL, 10);
        add(list, PMIX_LOCALLDR, &leader, PMIX_PROC_RANK);
    }
    for (pmix_rank_t r = 0; r < size; r++) {
        add_proc(job, list, r, local[job_node(job, r)]++);
    }
}

/* Blocking calls of what calls back. */
struct wait {
    pthread_mutex_t lock;
    pthread_cond_t came;
    bool done;
    pmix_status_t status;
};

static void done(pmix_status_t status, void *cbdata)
{
    struct wait *w = cbdata;

    pthread_mutex_lock(&w->lock);
    w->done = true;
    w->status = status;
    pthread_cond_signal(&w->came);
    pthread_mutex_unlock(&w->lock);
}

static void wait_done(struct wait *w, pmix_status_t rc, const char *what)
{
    pthread_mutex_lock(&w->lock);
    while (rc == PMIX_SUCCESS && !w->done) {
        pthread_cond_wait(&w->came, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    rc = rc == PMIX_SUCCESS ? w->status : rc;
    if (!sound(rc == PMIX_SUCCESS || rc == PMIX_OPERATION_SUCCEEDED, "%s: %s", what,
               PMIx_Error_string(rc)) &&
        !job_begun) {
        setup_failed();
    }
}

#define NEW_WAIT                                                                                   \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, PMIX_SUCCESS                   \
    }

static bool load_proc(pmix_proc_t *proc, const struct job *job, pmix_rank_t rank)
{
    PMIX_LOAD_PROCID(proc, job->name, rank);
    return job_node(job, rank) == self.node;
}

void job_register(const char *name)
{
    const struct job *job = find_job(name);
    struct wait w = NEW_WAIT;
    struct infos list = {0};
    pmix_proc_t proc;

    registered[job - board->jobs] = true;
    describe(job, &list);
    if (the_case()->setup != NULL) {
        the_case()->setup(job, &list);
    }
    PMIX_LOAD_PROCID(&proc, name, PMIX_RANK_UNDEF);
    wait_done(
        &w,
        PMIx_server_register_nspace(proc.nspace, job->ranks[self.node], list.at, list.n, done, &w),
        "register_nspace");
    free_infos(&list);
    world_registered(name);
    for (pmix_rank_t r = 0; r < (pmix_rank_t) job_size(job); r++) {
        if (load_proc(&proc, job, r)) {
            struct wait one = NEW_WAIT;
            wait_done(&one,
                      PMIx_server_register_client(&proc, geteuid(), getegid(), NULL, done, &one),
                      "register_client");
        }
    }
}

void job_deregister(const char *name)
{
    const struct job *job = find_job(name);
    struct wait w = NEW_WAIT;
    pmix_proc_t proc;

    if (!registered[job - board->jobs]) {
        return;
    }
    registered[job - board->jobs] = false;
    PMIX_LOAD_PROCID(&proc, name, PMIX_RANK_UNDEF);
    PMIx_server_deregister_nspace(proc.nspace, done, &w);
    wait_done(&w, PMIX_SUCCESS, "deregister_nspace");
}

/* ---- processes */

/* What a process gets of our environment: nothing of another PMIx, and what it is. */
static char **environment(const char *job, int rank, int tool)
{
    char **env = NULL;
    char text[PMIX_MAX_NSLEN + 64];
    int rc = 0;

    for (char **e = environ; *e != NULL; e++) {
        if (strncmp(*e, "PMIX_", 5) != 0 || strncmp(*e, "PMIX_MCA_", 9) == 0) {
            PMIX_ARGV_APPEND(rc, env, *e);
        }
    }
    PMIX_SETENV(rc, "PMIX_HOSTNAME", node_name(self.node), &env);
    (void) rc;
    snprintf(text, sizeof(text), "%d:%d:%d:%s", self.node, rank, tool, job);
    PMIX_SETENV(rc, "CONFORM_SELF", text, &env);
    return env;
}

static void start(const char *job, pmix_rank_t rank, char **env)
{
    char fd[16];
    char *args[] = {program_path, (char *) "--client", fd, NULL};
    pid_t pid;

    snprintf(fd, sizeof(fd), "%d", board_fd);
    fcntl(board_fd, F_SETFD, 0);
    pid = world_fork();
    if (pid == 0) {
        execve(program_path, args, env);
        _exit(127);
    }
    if (pid < 0 || n_children == MAX_CHILDREN) {
        board_line(true, "a process could not be started");
        return;
    }
    children[n_children++] = (struct child){.pid = pid, .job = job, .rank = rank};
}

void job_start_rank(const char *name, pmix_rank_t rank)
{
    const struct job *job = find_job(name);
    pmix_status_t rc;
    pmix_proc_t proc;
    char **env;

    if (load_proc(&proc, job, rank)) {
        env = environment(name, (int) rank, -1);
        rc = PMIx_server_setup_fork(&proc, &env);
        if (!sound(rc == PMIX_SUCCESS, "setup_fork: %s", PMIx_Error_string(rc))) {
            setup_failed();
        }
        job_begun = true;
        relay_started(&proc);
        start(job->name, rank, env);
        PMIX_ARGV_FREE(env);
    }
}

void job_start(const char *name)
{
    const struct job *job = find_job(name);

    for (int r = 0; r < job_size(job); r++) {
        job_start_rank(name, (pmix_rank_t) r);
    }
}

void process_start(const char *job, pmix_rank_t rank)
{
    char **env = environment(job, (int) rank, -1);

    start(job, rank, env);
    PMIX_ARGV_FREE(env);
}

void tools_start(void)
{
    for (int i = 0; i < the_case()->tools && self.node == 0; i++) {
        char **env = environment("", -1, i);

        start("tool", (pmix_rank_t) i, env);
        PMIX_ARGV_FREE(env);
    }
}

static struct child *find_child(const char *name, pmix_rank_t rank)
{
    for (int i = n_children - 1; i >= 0; i--) {
        if (strcmp(children[i].job, name) == 0 && children[i].rank == rank) {
            return &children[i];
        }
    }
    return NULL;
}

static void reap(struct child *child)
{
    pid_t pid = child->pid;
    pmix_proc_t proc;
    int status = 0;
    pid_t got;

    do {
        got = waitpid(child->pid, &status, 0);
    } while (got < 0 && errno == EINTR);
    child->pid = 0;
    if (find_job(child->job) != NULL) {
        PMIX_LOAD_PROCID(&proc, child->job, child->rank);
        relay_ended(&proc);
    }
    if (child->killed) {
        return;
    }
    if (WIFSIGNALED(status)) {
        verdict_crash(pid, false);
        board_line(true, "crash: %s:%u ended by signal %d", child->job, child->rank,
                   WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        board_line(true, "%s:%u returned %d", child->job, child->rank, WEXITSTATUS(status));
    }
}

pid_t rank_pid(const char *name, pmix_rank_t rank)
{
    struct child *child = find_child(name, rank);

    return child != NULL ? child->pid : 0;
}

void rank_kill(const char *name, pmix_rank_t rank, int signal)
{
    struct child *child = find_child(name, rank);

    if (child == NULL || child->pid == 0) {
        return;
    }
    child->killed = child->killed || signal == SIGKILL;
    kill(child->pid, signal);
    if (signal == SIGKILL) {
        reap(child);
    }
}

void rank_reap(const char *name, pmix_rank_t rank)
{
    struct child *child = find_child(name, rank);

    if (child != NULL && child->pid != 0) {
        reap(child);
    }
}

static void end(const char *name)
{
    for (int i = 0; i < n_children; i++) {
        if (children[i].pid != 0 && (name == NULL || strcmp(children[i].job, name) == 0)) {
            reap(&children[i]);
        }
    }
}

void jobs_apart(const char *first, const char *second)
{
    const char *own = node() == 0 ? first : node() == 1 ? second : NULL;

    if (own != NULL) {
        job_register(own);
        tell("registered");
        await_n("registered", 2);
        job_start(own);
    }
}

void job_end(const char *name)
{
    end(name);
}

void jobs_end(void)
{
    end(NULL);
}
