/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Where processes are, and the node processes themselves: forked from pmixrun before it has
 * threads, each leading a process group, killed by the kernel when pmixrun dies, known to the
 * guard. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes.h"

/* ---- where */

const char *px_run_node_name(uint32_t node)
{
    static char names[4][24]; /* main thread; a few at a time */
    static unsigned next;
    char *name = names[next++ % 4];

    if (px_run.options.n_nodes <= 1) {
        return px_run.hostname;
    }
    snprintf(name, sizeof(names[0]), "node%u", node);
    return name;
}

/* The first ones have one more when it does not come out even. */
uint32_t px_run_block_of(uint32_t i, uint32_t n, uint32_t n_blocks)
{
    uint32_t small = n / n_blocks;
    uint32_t big = n % n_blocks;
    uint32_t in_big = big * (small + 1);

    return i < in_big ? i / (small + 1) : big + (i - in_big) / small;
}

uint32_t px_run_node_of(uint32_t i, uint32_t n)
{
    uint32_t nodes = (uint32_t) px_run.options.n_nodes;

    if (px_run.options.map_by_node) {
        return i % nodes;
    }
    return px_run_block_of(i, n, nodes);
}

uint32_t px_run_node_of_proc(const pmix_proc_t *proc)
{
    const struct px_run_job *job = px_run_job_find(proc->nspace);

    return job != NULL && proc->rank < job->n_procs ? px_run_job_node(job, proc->rank)
                                                    : PX_RUN_NONE;
}

/* ---- forking */

/* One node's descriptors: [0] is the relay's end of each. */
struct ends {
    int link[2];
    int out[2]; /* [0] is read */
    int err[2];
    int in[2]; /* [1] is the relay's: written; node 0 only */
};

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void close_relays(struct ends *e)
{
    close_fd(&e->link[0]);
    close_fd(&e->out[0]);
    close_fd(&e->err[0]);
    close_fd(&e->in[1]);
}

static void close_nodes(struct ends *e)
{
    close_fd(&e->link[1]);
    close_fd(&e->out[1]);
    close_fd(&e->err[1]);
    close_fd(&e->in[0]);
}

static int open_ends(uint32_t node, struct ends *e)
{
    memset(e, -1, sizeof(*e));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->link) != 0 ||
        pipe2(e->out, O_CLOEXEC) != 0 || pipe2(e->err, O_CLOEXEC) != 0) {
        return errno;
    }
    if (node == 0) {
        return pipe2(e->in, O_CLOEXEC) != 0 ? errno : 0;
    }
    e->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return e->in[0] < 0 ? errno : 0;
}

/* In the child. Only here is something of the other nodes to be given up: nothing is executed that
 * would. */
static int become_node(uint32_t node, struct ends *all, pid_t parent)
{
    struct ends *e = &all[node];
    int32_t pid = (int32_t) getpid();

    (void) setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        _exit(127);
    }
    (void) !write(px_run_guard_fd(), &pid, sizeof(pid));
    px_run_links_close();
    px_run_inputs_close();
    for (uint32_t i = 0; i <= node; i++) {
        all[i].link[0] = i < node ? -1 : all[i].link[0]; /* closed with the links */
        close_relays(&all[i]);
    }
    int link = e->link[1];
    e->link[1] = -1;
    if (dup2(e->in[0], 0) < 0 || dup2(e->out[1], 1) < 0 || dup2(e->err[1], 2) < 0) {
        return errno;
    }
    close_nodes(e);
    px_run.place = PX_RUN_NODE;
    px_run.node = node;
    px_run.options.timeout_s = 0; /* the relay's */
    return px_run_remote_open(link);
}

/* In the parent: what it has of a node that was started. */
static int keep_node(struct px_run_proc *proc, pid_t pid, struct ends *e)
{
    (void) setpgid(pid, pid);
    proc->pid = pid;
    proc->alive = true;
    proc->job->n_alive++;
    proc->out[0].fd = e->out[0];
    proc->out[1].fd = e->err[0];
    (void) fcntl(e->out[0], F_SETFL, O_NONBLOCK);
    (void) fcntl(e->err[0], F_SETFL, O_NONBLOCK);
    if (e->in[1] >= 0) {
        (void) fcntl(e->in[1], F_SETFL, O_NONBLOCK);
        px_run_stdin_open(px_run_input_open(proc, e->in[1]));
        e->in[1] = -1;
    }
    close_nodes(e);
    return px_run_relay_open(e->link[0], proc->rank);
}

/* The node processes as processes of a job, so that the loop looks after them. */
static struct px_run_job *job_of_nodes(void)
{
    struct px_run_app *app = calloc(1, sizeof(*app));
    char *none[] = {NULL};
    if (app == NULL) {
        return NULL;
    }
    app->n_procs = px_run.options.n_nodes;
    app->argv = px_env_copy(none);
    app->env = px_env_copy(none);
    struct px_run_job *job = px_run_job_create("nodes", app, 1);
    if (job != NULL) {
        job->raw = px_run.options.raw;
    }
    for (uint32_t i = 0; job != NULL && i < job->n_procs; i++) {
        job->procs[i].node = px_run.node; /* all are the relay's */
    }
    return job;
}

int px_run_nodes_fork(void)
{
    uint32_t n = (uint32_t) px_run.options.n_nodes;
    struct ends *all = calloc(n, sizeof(*all));
    struct px_run_job *job = job_of_nodes();
    pid_t parent = getpid();
    int error = all == NULL || job == NULL ? ENOMEM : 0;

    for (uint32_t i = 0; error == 0 && i < n; i++) {
        error = open_ends(i, &all[i]);
        pid_t pid = error == 0 ? fork() : -1;
        if (pid == 0) {
            error = become_node(i, all, parent);
            px_run_job_destroy(job);
            free(all);
            return error;
        }
        if (pid < 0) {
            error = error != 0 ? error : errno;
            close_relays(&all[i]);
            close_nodes(&all[i]);
        } else {
            error = keep_node(&job->procs[i], pid, &all[i]);
        }
    }
    free(all);
    px_run.place = PX_RUN_AT_RELAY;
    px_run.options.format = 0; /* the nodes have done it */
    if (job != NULL && px_run_job_add(job) != PMIX_SUCCESS) {
        px_run_job_destroy(job); /* its processes are killed with us */
        error = error != 0 ? error : ENOMEM;
    }
    return error;
}
