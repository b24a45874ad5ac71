/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A process is watched by a descriptor (pidfd_open, Linux 5.3), since the signal SIGCHLD is the
 * application's; waitpid is called for processes of these jobs only. Where the kernel has no such
 * descriptor, a timer looks at the processes every LOOK_MS. Output comes through pipes. When the
 * last process has ended, what the pipes hold is read, and not to their ends: a process that it has
 * left behind may keep them open, and go on writing. */

#include "local_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local_end.h"
#include "local_info.h"
#include "local_input.h"
#include "local_manner.h"
#include "local_process.h"
#include "src/base/assert.h"
#include "src/base/list.h"
#include "src/context/output_sink.h"
#include "src/loop/loop.h"
#include "src/server/collectives/open_waits.h"
#include "src/server/data/nspace.h"
#include "src/server/data/register.h"
#include "src/server/events/server_iof.h"
#include "src/server/state.h"

/* A piece of output; pieces read from a pipe at the end of its job, more than the largest pipe
 * holds; how often processes are looked at that cannot be watched. */
enum { PIECE = 64 * 1024, MAX_DRAIN = 256, LOOK_MS = 50 };

/* One pipe from a process. */
struct child_output {
    struct px_io io; /* fd -1: none, or closed */
    pmix_iof_channel_t channel;
    struct child *child;
};

/* One process of a job. */
struct child {
    struct local_job *job;
    pmix_rank_t rank;
    pid_t pid;        /* 0: not started, or waited for */
    struct px_io end; /* readable when it has ended; fd -1: none */
    struct child_output out[2];
    bool fed; /* the request has asked for its input */
    struct px_local_input in;
};

/* One job; in px_server.local_jobs. */
struct local_job {
    struct px_list link;
    struct px_server *server;
    pmix_nspace_t nspace;
    uint32_t n; /* processes */
    uint32_t n_running;
    bool stops; /* a process is stopped at its first instruction */
    struct px_local_failure failure;
    struct px_timer look;
    struct child children[];
};

/* ---- output */

/* Passes a piece of output on; none: the end. Without memory it is lost. */
static void pass_on(const struct child_output *output, char *bytes, size_t n)
{
    const struct local_job *job = output->child->job;
    pmix_byte_object_t piece = {.bytes = bytes, .size = n};
    struct px_output out = {.channel = output->channel, .bytes = &piece};

    PMIx_Load_procid(&out.source, job->nspace, output->child->rank);
    (void) px_output_deliver(job->server, &out);
}

static void output_close(struct child_output *output)
{
    if (output->io.fd >= 0) {
        px_io_stop_loop(&output->io);
        (void) close(output->io.fd);
        output->io.fd = -1;
    }
}

/* Closes a pipe and passes on the end of the output, unless that has been done. */
static void output_end(struct child_output *output)
{
    if (output->io.fd >= 0) {
        output_close(output);
        pass_on(output, NULL, 0);
    }
}

/* Reads one piece. False: the pipe is empty, or has been closed. */
static bool read_piece(struct child_output *output)
{
    static char bytes[PIECE]; /* of the loop thread */
    ssize_t n = read(output->io.fd, bytes, sizeof(bytes));

    if (n > 0) {
        pass_on(output, bytes, (size_t) n);
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        output_end(output);
    }
    return false;
}

static void output_ready(struct px_io *io, int what)
{
    (void) what;
    (void) read_piece(px_container_of(io, struct child_output, io));
}

/* ---- the end of a job */

/* Frees a job whose processes have all been waited for. */
static void job_free(struct local_job *job)
{
    for (uint32_t i = 0; i < job->n; i++) {
        struct child *child = &job->children[i];

        px_assert(child->pid == 0);
        if (child->end.fd >= 0) {
            px_io_stop_loop(&child->end);
            (void) close(child->end.fd);
        }
        output_close(&child->out[0]);
        output_close(&child->out[1]);
        px_local_input_close(&child->in);
    }
    px_timer_stop_loop(&job->look);
    px_list_remove(&job->link);
    free(job);
}

/* Frees a job and drops its namespace. */
static void job_drop(struct local_job *job)
{
    struct px_nspace_args args = {.n_local = 0};
    struct px_server *s = job->server;

    PMIx_Load_nspace(args.nspace, job->nspace);
    job_free(job);
    (void) px_deregister_nspace(s, &args); /* not there: its registration has failed */
}

/* Passes on what a pipe holds, and then the end of the output, also if somebody still has the pipe
 * open and writes. */
static void output_drain(struct child_output *output)
{
    for (int i = 0; i < MAX_DRAIN && output->io.fd >= 0 && read_piece(output); i++) {
    }
    output_end(output);
}

/* All processes have ended: passes on what they have written, and then raises the event. */
static void job_over(struct local_job *job)
{
    for (uint32_t i = 0; i < job->n; i++) {
        for (int k = 0; k < 2; k++) {
            output_drain(&job->children[i].out[k]);
        }
    }
    px_local_job_ended(job->server, job->nspace, &job->failure);
    job_drop(job);
}

/* Notes the end of a process, which has been waited for. */
static void child_over(struct child *child, int status)
{
    struct local_job *job = child->job;

    child->pid = 0;
    px_local_input_close(&child->in);
    job->n_running--;
    if (status && !job->failure.status) {
        job->failure = (struct px_local_failure){child->rank, status};
    }
}

/* Sends a signal to a process group. A process that has just been started leads it already. */
static void signal_child(const struct child *child, int number)
{
    if (child->pid > 0) {
        (void) kill(-child->pid, number);
    }
}

/* Kills what runs of a job, and waits for that. A process may have left its process group. */
static void job_kill(struct local_job *job)
{
    for (uint32_t i = 0; i < job->n; i++) {
        signal_child(&job->children[i], SIGKILL);
        if (job->children[i].pid > 0) {
            (void) kill(job->children[i].pid, SIGKILL);
        }
    }
    for (uint32_t i = 0; i < job->n; i++) {
        struct child *child = &job->children[i];
        int status = 0;

        while (child->pid > 0 && waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (child->pid > 0) {
            child_over(child, status);
        }
    }
}

/* Takes the status of a process that has ended, and raises the event. If the application has waited
 * for the process itself (ECHILD) the status is not known, and counts as 0. */
static void reap(struct child *child)
{
    pmix_proc_t proc;
    int status = 0;
    pid_t pid = waitpid(child->pid, &status, WNOHANG);

    if (pid == 0 || (pid < 0 && errno == EINTR)) {
        return;
    }
    px_io_stop_loop(&child->end);
    child_over(child, pid > 0 ? status : 0);
    PMIx_Load_procid(&proc, child->job->nspace, child->rank);
    px_local_process_ended(child->job->server, &proc, pid > 0 ? status : 0);
}

static void child_ended(struct px_io *io, int what)
{
    struct child *child = px_container_of(io, struct child, end);

    (void) what;
    reap(child);
    if (child->job->n_running == 0) {
        job_over(child->job);
    }
}

/* Looks at all processes of a job, where the kernel has no descriptors for them. */
static void look_at_all(struct px_timer *timer)
{
    struct local_job *job = px_container_of(timer, struct local_job, look);

    for (uint32_t i = 0; i < job->n; i++) {
        if (job->children[i].pid > 0) {
            reap(&job->children[i]);
        }
    }
    if (job->n_running > 0) {
        px_timer_start_loop(job->server->loop, &job->look, LOOK_MS, look_at_all);
    } else {
        job_over(job);
    }
}

/* ---- start */

static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int) syscall(SYS_pidfd_open, pid, 0);
#else
    (void) pid;
    errno = ENOSYS;
    return -1;
#endif
}

/* Begins to watch a process that runs. 0 or PMIX_ERR_NOMEM. */
static int watch(struct child *child)
{
    struct px_loop *loop = child->job->server->loop;
    int rc = px_local_input_watch(&child->in, loop);

    child->end.fd = open_process(child->pid);
    for (int i = 0; !rc && i < 2; i++) {
        struct child_output *output = &child->out[i];

        rc = output->io.fd >= 0
                 ? px_io_start_loop(loop, &output->io, output->io.fd, PX_IO_READ, output_ready)
                 : PMIX_SUCCESS;
    }
    if (!rc && child->end.fd < 0) {
        px_timer_start_loop(loop, &child->job->look, LOOK_MS, look_at_all);
    }
    if (rc || child->end.fd < 0) {
        return rc;
    }
    return px_io_start_loop(loop, &child->end, child->end.fd, PX_IO_READ, child_ended);
}

/* Makes the pipe of a source, if its output is wanted; *ret is the end of the process, or -1. */
static int open_output(struct child_output *output, bool wanted, int *ret)
{
    int fds[2];

    *ret = -1;
    if (!wanted) {
        return PMIX_SUCCESS;
    }
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return PMIX_ERR_JOB_SYS_OP_FAILED;
    }
    (void) fcntl(fds[0], F_SETFL, O_NONBLOCK);
    output->io.fd = fds[0];
    *ret = fds[1];
    return PMIX_SUCCESS;
}

/* Closes the ends of the pipes that the process has by now. */
static void close_given(const struct px_local_process *what)
{
    if (what->in >= 0) {
        (void) close(what->in);
    }
    for (int i = 0; i < 2; i++) {
        if (what->out[i] >= 0) {
            (void) close(what->out[i]);
        }
    }
}

/* Registers and starts a process. */
static int start_child(struct child *child, const struct px_local_spawn *spawn,
                       const struct px_local_manner *manner)
{
    struct px_server *s = child->job->server;
    struct px_client_args client = {.uid = s->uid, .gid = s->gid};
    struct px_local_process what = {.proc = &client.proc,
                                    .app = manner->app,
                                    .dir = manner->dir,
                                    .info = spawn->info,
                                    .ninfo = spawn->ninfo,
                                    .in = -1,
                                    .out = {-1, -1},
                                    .stop = px_local_manner_stops(manner, child->rank)};
    struct px_local_proc *rank;
    int rc;

    PMIx_Load_procid(&client.proc, child->job->nspace, child->rank);
    rc = px_register_client(s, &client);
    child->fed = manner->fed == PMIX_RANK_WILDCARD || manner->fed == child->rank;
    if (!rc && child->fed) {
        rc = px_local_input_open(&child->in, &what.in);
    }
    for (int i = 0; !rc && i < 2; i++) {
        rc = open_output(&child->out[i], manner->forwarded[i], &what.out[i]);
    }
    rc = rc ? rc : px_local_process_start(s, &what, &child->pid);
    close_given(&what);
    rank = px_local_proc_of(s, &client.proc);
    if (!rc) {
        child->job->n_running++;
        child->job->stops |= what.stop;
        rc = watch(child);
    }
    if (!rc && rank) { /* tables of processes have it before the process connects */
        rank->pid = child->pid;
        px_open_waits_proc(s, rank);
    }
    return rc;
}

static struct local_job *job_create(struct px_server *s, const char *nspace, uint32_t n)
{
    struct local_job *job = calloc(1, sizeof(*job) + n * sizeof(job->children[0]));

    if (!job) {
        return NULL;
    }
    job->server = s;
    job->n = n;
    PMIx_Load_nspace(job->nspace, nspace);
    for (uint32_t i = 0; i < n; i++) {
        struct child *child = &job->children[i];

        child->job = job;
        child->rank = i;
        child->end.fd = -1;
        px_local_input_init(&child->in);
        child->out[0] =
            (struct child_output){.io.fd = -1, .channel = PMIX_FWD_STDOUT_CHANNEL, .child = child};
        child->out[1] =
            (struct child_output){.io.fd = -1, .channel = PMIX_FWD_STDERR_CHANNEL, .child = child};
    }
    px_list_append(&s->local_jobs, &job->link);
    return job;
}

/* Registers a job and starts its processes. On failure some of them may run. */
static int start_all(struct local_job *job, const struct px_local_spawn *spawn, pmix_info_t *info,
                     size_t ninfo)
{
    struct px_nspace_args args = {.n_local = (int) job->n, .info = info, .ninfo = ninfo};
    uint32_t rank = 0;
    int rc;

    PMIx_Load_nspace(args.nspace, job->nspace);
    rc = px_register_nspace(job->server, &args);
    for (size_t a = 0; !rc && a < spawn->napps; a++) {
        struct px_local_manner manner;

        rc = px_local_manner_read(spawn, job->n, &spawn->apps[a], rank, &manner);
        for (uint32_t i = 0; !rc && i < px_local_app_size(&spawn->apps[a]); i++) {
            rc = start_child(&job->children[rank], spawn, &manner);
            rank++;
        }
    }
    return rc;
}

static void name_job(const struct px_server *s, unsigned number, pmix_nspace_t ret)
{
    (void) snprintf(ret, sizeof(pmix_nspace_t), "%.200s.%u", s->self.nspace, number);
}

int px_local_job_start(struct px_server *s, const struct px_local_spawn *spawn,
                       pmix_nspace_t ret_nspace)
{
    pmix_nspace_t name;
    struct local_job *job;
    pmix_info_t *info = NULL;
    size_t ninfo = 0;
    uint32_t n = 0;
    int rc;

    px_assert(px_loop_inside(s->loop));
    if (!px_local_spawn_possible(spawn)) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    name_job(s, ++s->next_local_job, name);
    rc = px_local_info(spawn, name, s->hostname, &info, &ninfo, &n);
    if (rc) {
        return rc;
    }
    job = job_create(s, name, n);
    rc = job ? start_all(job, spawn, info, ninfo) : PMIX_ERR_NOMEM;
    PMIx_Info_free(info, ninfo);
    if (rc && job) {
        job_kill(job);
        job_drop(job);
    }
    if (!rc) {
        PMIx_Load_nspace(ret_nspace, name);
    }
    return rc;
}

/* The job of that name, or NULL. */
static struct local_job *find_job(struct px_server *s, const char *nspace)
{
    px_list_for(struct local_job, job, &s->local_jobs, link) {
        if (PMIx_Check_nspace(nspace, job->nspace)) {
            return job;
        }
    }
    return NULL;
}

void px_local_job_announce(struct px_server *s, const char *nspace)
{
    const struct local_job *job = find_job(s, nspace);

    px_assert(px_loop_inside(s->loop));
    if (job && job->stops) {
        px_local_job_stopped(s, nspace);
    }
}

/* ---- input */

/* True if a job of that name, which is not here, was here and is over. */
static bool is_past(struct px_server *s, const char *nspace)
{
    const char *dot = strrchr(nspace, '.');
    unsigned long number = dot ? strtoul(dot + 1, NULL, 10) : 0;
    pmix_nspace_t name;

    if (number == 0 || number > s->next_local_job) {
        return false;
    }
    name_job(s, (unsigned) number, name);
    return strcmp(name, nspace) == 0;
}

/* True if the process has, or had, input, and one of the targets stands for it. */
static bool is_meant(const struct child *child, const pmix_proc_t *targets, size_t ntargets)
{
    for (size_t i = 0; child->fed && i < ntargets; i++) {
        if (PMIx_Check_nspace(targets[i].nspace, child->job->nspace) &&
            (targets[i].rank == PMIX_RANK_WILDCARD || targets[i].rank == child->rank)) {
            return true;
        }
    }
    return false;
}

/* True if the target stands for a process of the job that has, or had, input. */
static bool has_target(const struct local_job *job, const pmix_proc_t *target)
{
    for (uint32_t i = 0; i < job->n; i++) {
        if (is_meant(&job->children[i], target, 1)) {
            return true;
        }
    }
    return false;
}

int px_local_jobs_accept(struct px_server *s, const pmix_proc_t *procs, size_t nprocs)
{
    px_assert(px_loop_inside(s->loop));
    for (size_t i = 0; i < nprocs; i++) {
        const struct local_job *job = find_job(s, procs[i].nspace);

        if (!job && !is_past(s, procs[i].nspace)) {
            return PMIX_ERR_NOT_SUPPORTED;
        }
        if (job && !has_target(job, &procs[i])) {
            return PMIX_ERR_NOT_FOUND;
        }
    }
    return nprocs ? PMIX_SUCCESS : PMIX_ERR_BAD_PARAM;
}

void px_local_jobs_push(struct px_server *s, const pmix_proc_t *procs, size_t nprocs,
                        struct px_local_push *push)
{
    px_assert(px_loop_inside(s->loop));
    px_list_for(struct local_job, job, &s->local_jobs, link) {
        for (uint32_t i = 0; i < job->n; i++) {
            if (is_meant(&job->children[i], procs, nprocs)) {
                px_local_push_add(push, &job->children[i].in);
            }
        }
    }
    px_local_push_end(push);
}

/* ---- control */

bool px_local_jobs_signal(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, int number)
{
    bool found = false;

    px_assert(px_loop_inside(s->loop));
    px_list_for(struct local_job, job, &s->local_jobs, link) {
        for (size_t i = 0; i < nprocs; i++) {
            if (procs[i].nspace[0] && !PMIx_Check_nspace(procs[i].nspace, job->nspace)) {
                continue;
            }
            found = true;
            for (uint32_t k = 0; k < job->n; k++) {
                if (procs[i].rank == PMIX_RANK_WILDCARD || procs[i].rank == k) {
                    signal_child(&job->children[k], number);
                }
            }
        }
    }
    return found;
}

void px_local_jobs_kill_all(struct px_server *s)
{
    px_assert(px_loop_inside(s->loop));
    while (!px_list_empty(&s->local_jobs)) {
        struct local_job *job = px_container_of(s->local_jobs.next, struct local_job, link);

        job_kill(job);
        job_drop(job);
    }
}
