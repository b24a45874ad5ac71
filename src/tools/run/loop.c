/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The main thread's loop: output of the processes, our input, signals, the library's upcalls,
 * deadlines. It ends when every process of every job has ended. */

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nodes.h"

#define GRACE_MS     2000 /* between SIGTERM and SIGKILL */
#define TIMEOUT_CODE 124
#define LOOK_MS      1000 /* how often we look whether the terminal is ours again */

struct px_run px_run = {.signal_fd = -1, .task_fd = -1};

static bool child_ended;

int64_t px_run_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- signals */

int px_run_signals_open(void)
{
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        sigaddset(&set, passed[i]);
    }
    /* Blocked before the library starts its thread, which inherits it. */
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        return -1;
    }
    signal(SIGPIPE, SIG_IGN);
    px_run.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return px_run.signal_fd;
}

void px_run_kill(struct px_run_proc *proc, int sig)
{
    if (proc->alive && proc->node == px_run.node) {
        (void) kill(-proc->pid, sig);
    }
}

static void kill_all(int sig)
{
    for (struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        for (uint32_t i = 0; i < job->n_procs; i++) {
            px_run_kill(&job->procs[i], sig);
        }
    }
}

void px_run_end(int code)
{
    if (px_run.ending) {
        return;
    }
    px_run.ending = true;
    px_run.code = code;
    px_run.kill_at_ms = px_run_now_ms() + GRACE_MS;
    if (px_run.place == PX_RUN_AT_RELAY) {
        px_run.kill_at_ms += GRACE_MS; /* the nodes first have theirs */
        px_run_relay_end(code);
        return;
    }
    if (px_run.place == PX_RUN_NODE) {
        px_run_remote_end(code);
    }
    kill_all(SIGTERM);
    kill_all(SIGCONT); /* a stopped process would not see it */
}

void px_run_note_code(int code)
{
    if (px_run.code == 0 && px_run.place == PX_RUN_NODE) {
        px_run_remote_code(code);
    }
    px_run.code = px_run.code != 0 ? px_run.code : code;
}

static void pass_on(int sig)
{
    bool again = sig == px_run.last_signal;

    if (sig == SIGUSR2 && px_run.options.waits_signal && px_run.place != PX_RUN_AT_RELAY) {
        px_run_waits_say();
        return;
    }
    px_run.last_signal = sig;
    if ((sig == SIGINT || sig == SIGTERM) && again) {
        px_run_end(128 + sig);
        return;
    }
    kill_all(sig);
    if (sig == SIGINT && px_run.place != PX_RUN_NODE) {
        px_run_say("SIGINT is passed on to the processes; another one ends the job");
    }
}

bool px_run_signals_read(void)
{
    struct signalfd_siginfo info;
    bool end = false;

    while (read(px_run.signal_fd, &info, sizeof(info)) == (ssize_t) sizeof(info)) {
        if (info.ssi_signo == SIGCHLD) {
            child_ended = true;
        } else {
            pass_on((int) info.ssi_signo);
            end = end || info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM;
        }
    }
    return end;
}

/* ---- processes that end */

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void drain(struct px_run_proc *proc)
{
    px_run_stream_close(proc, &proc->out[0]);
    px_run_stream_close(proc, &proc->out[1]);
}

/* Of a job that is over the record stays, for queries; what only its start took does not. */
static void forget_environments(struct px_run_job *job)
{
    for (int a = 0; a < job->n_apps; a++) {
        px_env_free(job->apps[a].env);
        job->apps[a].env = NULL;
    }
}

void px_run_job_over(struct px_run_job *job)
{
    px_run_verbose("%s has ended with code %d", job->nspace, job->code);
    job->over = true;
    px_run_say_over(job);
    px_run_published_forget(job->nspace, PMIX_RANK_WILDCARD);
    if (px_run.place == PX_RUN_ALONE) {
        px_run_collect_over(job->nspace);
    }
    forget_environments(job);
    if (px_run.place != PX_RUN_AT_RELAY) {
        px_run_job_retire(job);
    }
}

void px_run_job_check(struct px_run_job *job)
{
    if (job->n_alive > 0 || job->done) {
        return;
    }
    job->done = true;
    if (px_run.place == PX_RUN_NODE) {
        px_run_remote_job_done(job->nspace, job->code);
    } else {
        px_run_job_over(job);
    }
}

/* Names a process that has failed, unless it was told to end. */
static void say_failed(const struct px_run_proc *proc, int code)
{
    int sig = WIFSIGNALED(proc->status) ? WTERMSIG(proc->status) : 0;
    const char *nspace = proc->job->nspace;

    if (px_run.ending || (px_run.last_signal != 0 && code == 128 + px_run.last_signal)) {
        return;
    }
    if (px_run.place == PX_RUN_AT_RELAY) { /* an exit code is that of a process, which was named */
        if (sig != 0) {
            px_run_say("the server of node %u was ended by signal %d (%s)", proc->rank, sig,
                       strsignal(sig));
        }
    } else if (sig != 0) {
        px_run_say("%s rank %u was ended by signal %d (%s) on %s", nspace, proc->rank, sig,
                   strsignal(sig), px_run.hostname);
    } else if (WEXITSTATUS(proc->status) != 0) {
        px_run_say("%s rank %u ended with exit code %d on %s", nspace, proc->rank, code,
                   px_run.hostname);
    } else {
        px_run_say("%s rank %u ended on %s after PMIx_Init without PMIx_Finalize", nspace,
                   proc->rank, px_run.hostname);
    }
}

/* It has not ended as it should. */
static void failed(struct px_run_proc *proc, int code)
{
    struct px_run_job *job = proc->job;

    job->failed = job->code != 0 && job->failed != NULL ? job->failed : proc;
    job->code = job->code != 0 ? job->code : code;
    if (px_run.place == PX_RUN_AT_RELAY) { /* of several nodes' codes the first was told before */
        say_failed(proc, code);
        px_run_end(px_run.code != 0 ? px_run.code : code);
        return;
    }
    bool ends = !job->apart && !px_run.options.keep_going;
    if (!job->apart && !ends) {
        px_run_note_code(code);
    }
    say_failed(proc, code);
    if (ends) {
        px_run_end(code);
    }
}

/* Removes the files of a node's server that a signal has ended; of the first node, also those that
 * it has for the process that was started. */
static void sweep_node(const struct px_run_proc *proc)
{
    const int32_t pids[] = {(int32_t) proc->pid, (int32_t) px_run.pid};

    if (px_run.place == PX_RUN_AT_RELAY && WIFSIGNALED(proc->status)) {
        px_run_rendezvous_sweep(pids, proc->rank == 0 ? 2 : 1);
    }
}

static void proc_ended(struct px_run_proc *proc, int status)
{
    struct px_run_job *job = proc->job;
    int code = code_of(status);

    drain(proc);
    px_run_input_ended(proc);
    proc->alive = false;
    proc->status = status;
    job->n_alive--;
    px_run_guard_drop(proc->pid);
    sweep_node(proc);
    px_run_trace_ended(proc);
    if (px_run.place == PX_RUN_AT_RELAY) {
        px_run_verbose("node %u has ended with code %d", proc->rank, code);
    } else {
        px_run_verbose("%s rank %u has ended with code %d", job->nspace, proc->rank, code);
    }
    px_run_published_forget(job->nspace, proc->rank);
    if (px_run.place == PX_RUN_NODE) {
        px_run_remote_ended(proc);
    }
    if (px_run.place != PX_RUN_AT_RELAY) {
        px_run_event_ended(proc);
    }
    if (px_run.place == PX_RUN_ALONE) {
        pmix_proc_t id;
        PMIX_LOAD_PROCID(&id, job->nspace, proc->rank);
        px_run_collect_lost(&id, 0);
    }
    if (code == 0 && atomic_load(&proc->n_open) > 0) {
        code = 1; /* its peers would wait for it in vain */
    }
    if (code != 0 && !proc->excused) {
        failed(proc, code);
    }
    px_run_job_check(job);
}

static struct px_run_proc *find_pid(pid_t pid)
{
    for (struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        for (uint32_t i = 0; i < job->n_procs; i++) {
            const struct px_run_proc *proc = &job->procs[i];
            if (proc->alive && proc->pid == pid && proc->node == px_run.node) {
                return &job->procs[i];
            }
        }
    }
    return NULL;
}

/* A process that has ended keeps its number, and so its group, until it is waited for: until then
 * what it has started and left behind can be killed without a mix-up. */
static void reap(void)
{
    siginfo_t info;

    child_ended = false;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
            return;
        }
        struct px_run_proc *proc = find_pid(info.si_pid);
        if (proc != NULL) {
            (void) kill(-info.si_pid, SIGKILL);
        }
        int status;
        if (waitpid(info.si_pid, &status, 0) == info.si_pid && proc != NULL) {
            proc_ended(proc, status);
        }
    }
}

/* ---- the loop */

static uint32_t n_alive(void)
{
    uint32_t n = 0;

    for (const struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        n += job->n_alive;
    }
    return n;
}

static int until(int64_t deadline_ms)
{
    int64_t left = deadline_ms - px_run_now_ms();

    return left < 0 ? 0 : left > 3600000 ? 3600000 : (int) left;
}

/* Calls fn for each output that is still open. */
static size_t each_stream(void (*fn)(struct px_run_proc *, struct px_run_stream *, size_t, void *),
                          void *arg)
{
    size_t n = 0;

    for (struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        for (uint32_t i = 0; i < 2 * job->n_procs; i++) {
            struct px_run_stream *s = &job->procs[i / 2].out[i % 2];
            if (s->fd >= 0) {
                fn(&job->procs[i / 2], s, n++, arg);
            }
        }
    }
    return n;
}

static void count_stream(struct px_run_proc *proc, struct px_run_stream *s, size_t i, void *arg)
{
    (void) proc;
    (void) s;
    (void) i;
    (void) arg;
}

static void poll_stream(struct px_run_proc *proc, struct px_run_stream *s, size_t i, void *arg)
{
    (void) proc;
    ((struct pollfd *) arg)[i] = (struct pollfd){.fd = s->fd, .events = POLLIN};
}

/* The places are those of poll_stream as long as nothing else of the round has been done: only this
 * closes streams then, each after its place was counted. */
static void move_stream(struct px_run_proc *proc, struct px_run_stream *s, size_t i, void *arg)
{
    if (((const struct pollfd *) arg)[i].revents != 0) {
        px_run_stream_move(proc, s);
    }
}

static int64_t next_deadline(void)
{
    int64_t first = px_run_published_deadline();

    int64_t collect = px_run_collect_deadline();

    first = collect < first ? collect : first;
    if (px_run.kill_at_ms != 0 && px_run.kill_at_ms < first) {
        first = px_run.kill_at_ms;
    }
    if (px_run.timeout_at_ms != 0 && !px_run.ending && px_run.timeout_at_ms < first) {
        first = px_run.timeout_at_ms;
    }
    return first;
}

int px_run_wait_ms(void)
{
    int64_t deadline = next_deadline();

    return deadline == INT64_MAX ? -1 : until(deadline);
}

void px_run_expire(void)
{
    int64_t now = px_run_now_ms();

    px_run_published_expire(now);
    px_run_collect_expire(now);
    if (px_run.kill_at_ms != 0 && now >= px_run.kill_at_ms) {
        px_run.kill_at_ms = now + GRACE_MS;
        kill_all(SIGKILL);
    }
    if (px_run.timeout_at_ms != 0 && !px_run.ending && now >= px_run.timeout_at_ms) {
        px_run_end(TIMEOUT_CODE);
        px_run_say("the job has run for %d s and is ended", px_run.options.timeout_s);
    }
}

/* How long a round may wait, in ms; -1: for ever. */
static int round_ms(void)
{
    int ms = child_ended ? 0 : px_run_wait_ms();

    return px_run_stdin_is_away() && (ms < 0 || ms > LOOK_MS) ? LOOK_MS : ms;
}

/* The descriptors that a round waits for beside outputs, links and inputs. */
enum { N_OWN = 4 };

/* One round; false when memory is out. */
static bool turn(void)
{
    size_t n = each_stream(count_stream, NULL);
    size_t n_links = px_run_links_n();
    size_t n_inputs = px_run_inputs_n();
    struct pollfd *p = calloc(n + n_links + n_inputs + N_OWN, sizeof(*p));
    if (p == NULL) {
        return false;
    }
    p[0] = (struct pollfd){.fd = px_run.signal_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = px_run.task_fd, .events = POLLIN};
    p[2] = (struct pollfd){.fd = px_run_stdin_poll_fd(), .events = POLLIN};
    p[3] = (struct pollfd){.fd = px_run_report_poll_fd(), .events = POLLIN};
    each_stream(poll_stream, p + N_OWN);
    struct pollfd *links = p + n + N_OWN;
    struct pollfd *inputs = links + n_links;
    px_run_links_poll(links);
    px_run_inputs_poll(inputs);
    if (poll(p, n + N_OWN + n_links + n_inputs, round_ms()) > 0) {
        each_stream(move_stream, p + N_OWN);
        px_run_inputs_move(inputs); /* before what follows opens or closes some */
        px_run_links_move(links);
        if (p[1].revents != 0) {
            px_run_tasks_do();
        }
        if (p[2].revents != 0) {
            px_run_stdin_move();
        }
        if (p[3].revents != 0) {
            px_run_report_move();
        }
        if (p[0].revents != 0) {
            (void) px_run_signals_read();
        }
    }
    free(p);
    if (child_ended) {
        reap();
    }
    px_run_expire();
    return true;
}

void px_run_loop(void)
{
    if (px_run.options.timeout_s > 0) {
        px_run.timeout_at_ms = px_run_now_ms() + 1000 * (int64_t) px_run.options.timeout_s;
    }
    while (n_alive() > 0 || (px_run.place == PX_RUN_NODE && !px_run.dismissed)) {
        if (!turn()) {
            px_run_end(1);
        }
    }
    px_run_tasks_do(); /* answers what came last */
}
