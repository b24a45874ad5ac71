/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Jobs of the host: what the server is told of them, their processes and what these write. */

#include "test/interop/host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const pmix_nspace_t other_job = "other-job";

extern char **environ;

static struct job *jobs[MAX_JOBS];
static int n_jobs;

struct job *job_at(int index)
{
    return index < n_jobs ? jobs[index] : NULL;
}

struct job *job_find(const char *name)
{
    for (int j = 0; j < n_jobs; j++) {
        if (!strcmp(jobs[j]->name, name)) {
            return jobs[j];
        }
    }
    return NULL;
}

/* Blocks of ranks. */
int job_node(const struct job *job, int rank)
{
    return rank * settings.nodes / job->n;
}

void node_name(int node, char *ret, size_t room)
{
    if (node > 0) {
        snprintf(ret, room, "node%d", node);
    } else { /* tools look for files with this name */
        gethostname(ret, room - 1);
    }
}

/* ---- registration */

static void load_u32(pmix_info_t *info, const char *key, uint32_t v)
{
    PMIX_INFO_LOAD(info, key, &v, PMIX_UINT32);
}

/* The rank's place among those of its node. */
static uint16_t local_rank(const struct job *job, int rank)
{
    int first = rank;

    while (first > 0 && job_node(job, first - 1) == job_node(job, rank)) {
        first--;
    }
    return (uint16_t) (rank - first);
}

static void load_proc(pmix_info_t *info, const struct job *job, int r)
{
    pmix_data_array_t *array = malloc(sizeof(*array));
    pmix_info_t *in;
    pmix_rank_t rank = (pmix_rank_t) r;
    uint16_t local = local_rank(job, r);
    int app = 0;
    char host[256] = "";

    node_name(job_node(job, r), host, sizeof(host));
    PMIX_DATA_ARRAY_CONSTRUCT(array, 7, PMIX_INFO);
    in = (pmix_info_t *) array->array;
    PMIX_INFO_LOAD(&in[0], PMIX_RANK, &rank, PMIX_PROC_RANK);
    PMIX_INFO_LOAD(&in[1], PMIX_APPNUM, &app, PMIX_INT);
    load_u32(&in[2], PMIX_GLOBAL_RANK, rank);
    PMIX_INFO_LOAD(&in[3], PMIX_LOCAL_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[4], PMIX_NODE_RANK, &local, PMIX_UINT16);
    PMIX_INFO_LOAD(&in[5], PMIX_HOSTNAME, host, PMIX_STRING);
    load_u32(&in[6], PMIX_NODEID, (uint32_t) job_node(job, r));
    PMIX_INFO_CONSTRUCT(info);
    PMIX_LOAD_KEY(info->key, PMIX_PROC_DATA);
    info->value.type = PMIX_DATA_ARRAY;
    info->value.data.darray = array;
}

enum { MAP_ROOM = 1024 };

/* Adds to the text, which has MAP_ROOM bytes. */
static void add(char *text, const char *separator, const char *more)
{
    size_t len = strlen(text);

    snprintf(text + len, MAP_ROOM - len, "%s%s", len ? separator : "", more);
}

/* Names of the nodes, ranks of each, and those of this one; returns how many these are. */
static uint32_t maps(const struct job *job, char *nodes, char *ranks, char *here)
{
    uint32_t n = 0;

    for (int node = 0; node < settings.nodes; node++) {
        char name[256] = "";
        char of_node[MAP_ROOM] = "";

        node_name(node, name, sizeof(name));
        for (int r = 0; r < job->n; r++) {
            char number[16];

            snprintf(number, sizeof(number), "%d", r);
            if (job_node(job, r) == node) {
                add(of_node, ",", number);
                n += node == settings.node;
            }
        }
        add(nodes, ",", name);
        add(ranks, ";", of_node);
        if (node == settings.node) {
            snprintf(here, MAP_ROOM, "%s", of_node);
        }
    }
    return n;
}

static void job_register(const struct job *job)
{
    enum { JOB_INFOS = 9 };
    pmix_info_t *info;
    size_t ninfo = JOB_INFOS + (size_t) job->n;
    char names[MAP_ROOM] = "";
    char ranks[MAP_ROOM] = "";
    char here[MAP_ROOM] = "";
    uint32_t n_here = maps(job, names, ranks, here);
    char *nodes = NULL;
    char *ppn = NULL;

    PMIx_generate_regex(names, &nodes);
    PMIx_generate_ppn(ranks, &ppn);
    PMIX_INFO_CREATE(info, ninfo);
    load_u32(&info[0], PMIX_JOB_SIZE, (uint32_t) job->n);
    load_u32(&info[1], PMIX_UNIV_SIZE, (uint32_t) job->n);
    load_u32(&info[2], PMIX_LOCAL_SIZE, n_here);
    load_u32(&info[3], PMIX_MAX_PROCS, (uint32_t) job->n);
    PMIX_INFO_LOAD(&info[4], PMIX_JOBID, "interop.1", PMIX_STRING);
    PMIX_INFO_LOAD(&info[5], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[6], PMIX_PROC_MAP, ppn, PMIX_STRING);
    PMIX_INFO_LOAD(&info[7], PMIX_LOCAL_PEERS, here, PMIX_STRING);
    load_u32(&info[8], PMIX_LOCALLDR, (uint32_t) atoi(here));
    for (int r = 0; r < job->n; r++) {
        load_proc(&info[JOB_INFOS + r], job, r);
    }
    wait_op(PMIx_server_register_nspace(job->name, (int) n_here, info, ninfo, op_done, NULL));
    if (getenv("HOST_OTHER_JOB")) {
        wait_op(PMIx_server_register_nspace(other_job, 0, info, ninfo, op_done, NULL));
    }
    PMIX_INFO_FREE(info, ninfo);
    free(nodes);
    free(ppn);
}

/* ---- processes */

static void pipes(int *ours, int *theirs)
{
    int ends[2];

    for (int i = 0; i <= N_STREAMS; i++) {
        if (pipe2(ends, O_CLOEXEC) != 0) {
            exit(76);
        }
        ours[i] = ends[i == 0];
        theirs[i] = ends[i != 0];
    }
}

static void child(const struct job *job, char **env, const int *streams)
{
    const char *path = getenv("CLIENT_LIBRARY_PATH");
    pmix_status_t rc;
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    for (int i = 0; job->stdio && i <= N_STREAMS; i++) {
        dup2(streams[i], i);
    }
    if (path) {
        PMIX_SETENV(rc, "LD_LIBRARY_PATH", path, &env);
        (void) rc;
    }
    execve(job->command[0], job->command, env);
    _exit(127);
}

static void start(struct job *job, int rank)
{
    struct proc *proc = &job->procs[rank];
    int ours[N_STREAMS + 1] = {-1, -1, -1};
    int theirs[N_STREAMS + 1];
    pmix_proc_t name;
    char **env = NULL;
    pmix_status_t rc;

    PMIX_LOAD_PROCID(&name, job->name, (pmix_rank_t) rank);
    wait_op(PMIx_server_register_client(&name, geteuid(), getegid(), NULL, op_done, NULL));
    for (char **e = environ; *e; e++) {
        if (strncmp(*e, "PMIX_", 5) != 0 || strncmp(*e, "PMIX_MCA_", 9) == 0) {
            PMIX_ARGV_APPEND(rc, env, *e);
        }
    }
    rc = PMIx_server_setup_fork(&name, &env);
    if (rc != PMIX_SUCCESS) {
        exit(71);
    }
    if (job->stdio) {
        pipes(ours, theirs);
    }
    proc->pid = fork();
    if (proc->pid == 0) {
        child(job, env, theirs);
    }
    for (int i = 0; job->stdio && i <= N_STREAMS; i++) {
        close(theirs[i]);
    }
    proc->in = ours[0];
    proc->out[0] = ours[1];
    proc->out[1] = ours[2];
    proc->ended = (int) syscall(SYS_pidfd_open, proc->pid, 0);
    if (proc->ended < 0) {
        exit(77);
    }
    PMIX_ARGV_FREE(env);
}

struct job *job_make(const char *name, int n, char **command, bool stdio)
{
    struct job *job = calloc(1, sizeof(*job));

    if (n_jobs == MAX_JOBS || n < 1 || n > MAX_PROCS) {
        exit(78);
    }
    snprintf(job->name, sizeof(job->name), "%s", name);
    job->n = n;
    job->left = n;
    job->stdio = stdio;
    job->owner.rank = PMIX_RANK_UNDEF;
    for (size_t i = 0; command[i]; i++) {
        job->command = realloc(job->command, (i + 2) * sizeof(char *));
        job->command[i] = strdup(command[i]);
        job->command[i + 1] = NULL;
    }
    for (int r = 0; r < n; r++) {
        job->procs[r] = (struct proc){0, -1, {-1, -1}, -1};
    }
    jobs[n_jobs++] = job;
    job_register(job);
    link_job(job);
    return job;
}

void job_start(struct job *job)
{
    for (int r = 0; r < job->n; r++) {
        if (job_node(job, r) == settings.node) {
            start(job, r);
        }
    }
}

void job_input(struct job *job, int rank, const char *bytes, size_t n)
{
    int *in = &job->procs[rank].in;

    if (job_node(job, rank) != settings.node) {
        link_input(job, rank, bytes, n);
    } else if (*in >= 0 && (n == 0 || write(*in, bytes, n) < 0)) {
        close(*in);
        *in = -1;
    }
}

struct delivery {
    pmix_byte_object_t object;
    char bytes[];
};

static void delivered(pmix_status_t status, void *cbdata)
{
    (void) status;
    free(cbdata);
}

/* The bytes are the library's until it calls back; the main thread does not wait for that. */
static void deliver(const struct job *job, int rank, int stream, const char *bytes, size_t n)
{
    static const pmix_iof_channel_t channels[] = {PMIX_FWD_STDOUT_CHANNEL, PMIX_FWD_STDERR_CHANNEL};
    struct delivery *delivery = malloc(sizeof(*delivery) + n);
    pmix_proc_t proc;
    pmix_status_t rc;

    memcpy(delivery->bytes, bytes, n);
    delivery->object = (pmix_byte_object_t){.bytes = delivery->bytes, .size = n};
    PMIX_LOAD_PROCID(&proc, job->name, (pmix_rank_t) rank);
    rc = PMIx_server_IOF_deliver(&proc, channels[stream], &delivery->object, NULL, 0, delivered,
                                 delivery);
    if (rc != PMIX_SUCCESS) {
        free(delivery);
    }
}

void job_output(struct job *job, int rank, int stream, const char *bytes, size_t n)
{
    if (settings.node != 0) {
        link_output(job, rank, stream, bytes, n);
        return;
    }
    if (n == 0) {
        return;
    }
    if (!settings.local_output && job->owner.rank == PMIX_RANK_UNDEF) {
        fwrite(bytes, 1, n, stream ? stderr : stdout);
        fflush(stream ? stderr : stdout);
    }
    if (settings.pulled || settings.local_output || job->owner.rank != PMIX_RANK_UNDEF) {
        deliver(job, rank, stream, bytes, n);
    }
}

/* The one who has spawned it is told how it has ended. */
static void tell_end(const struct job *job)
{
    pmix_info_t info[4];
    pmix_proc_t proc;
    pmix_status_t end = job->result ? PMIX_ERR_JOB_NON_ZERO_TERM : PMIX_SUCCESS;
    bool yes = true;

    PMIX_LOAD_PROCID(&proc, job->name, PMIX_RANK_WILDCARD);
    PMIX_INFO_LOAD(&info[0], PMIX_EVENT_CUSTOM_RANGE, &job->owner, PMIX_PROC);
    PMIX_INFO_LOAD(&info[1], PMIX_EVENT_AFFECTED_PROC, &proc, PMIX_PROC);
    PMIX_INFO_LOAD(&info[2], PMIX_JOB_TERM_STATUS, &end, PMIX_STATUS);
    PMIX_INFO_LOAD(&info[3], PMIX_EVENT_NON_DEFAULT, &yes, PMIX_BOOL);
    wait_op(
        PMIx_Notify_event(PMIX_EVENT_JOB_END, &proc, PMIX_RANGE_CUSTOM, info, 4, op_done, NULL));
    for (int i = 0; i < 4; i++) {
        PMIX_INFO_DESTRUCT(&info[i]);
    }
}

/* status: as waitpid has it; -1: a process of this node, to be waited for. */
void job_ended(struct job *job, int rank, int status)
{
    struct proc *proc = &job->procs[rank];

    if (status == -1) {
        if (waitpid(proc->pid, &status, 0) != proc->pid) {
            status = 0;
        }
        close(proc->ended);
        proc->ended = -1;
        if (proc->in >= 0) {
            close(proc->in);
            proc->in = -1;
        }
        link_ended(job, rank, status);
    }
    if (status && !job->result) {
        job->result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (--job->left == 0 && settings.node == 0 && job->tells_end) {
        tell_end(job);
    }
}

void job_kill(struct job *job, int rank)
{
    for (int r = 0; r < job->n; r++) {
        if (job->procs[r].ended >= 0 && (rank < 0 || rank == r)) {
            kill(job->procs[r].pid, SIGKILL);
        }
    }
    if (rank < 0) {
        link_kill(job);
    }
}

void job_forget_all(void)
{
    for (int j = 0; j < n_jobs; j++) {
        PMIx_server_deregister_nspace(jobs[j]->name, op_done, NULL);
        wait_op(PMIX_SUCCESS);
        for (char **word = jobs[j]->command; *word; word++) {
            free(*word);
        }
        free(jobs[j]->command);
        free(jobs[j]);
    }
    n_jobs = 0;
}
