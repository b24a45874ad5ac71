/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Starting the processes of a job. We are a process with threads, and large, so the child runs in
 * our memory (vfork) until it has become its program, and does only what is allowed there:
 * everything is prepared before. Each child leads a process group of its own, so that what it
 * starts can be signalled with it, asks to be killed with us, and is known to the guard before it
 * runs. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes.h"

/* A process takes the read ends of its outputs and a connection, and perhaps the write end of its
 * input; some are for all. */
enum { FILES_PER_PROC = 3, FILES_OF_OURS = 64 };

/* The signal that stops a process which is held. SIGSTOP would not do: a process that has stopped
 * itself by it, before this signal arrived, could not be told from a held one. The terminal, which
 * sends SIGTTOU too, repeats it when the process continues. */
enum { HOLDS = SIGTTOU };

static struct rlimit files; /* as we were given it */

void px_run_files_raise(void)
{
    struct rlimit most;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        most = (struct rlimit){files.rlim_max, files.rlim_max};
        (void) setrlimit(RLIMIT_NOFILE, &most); /* without it, fewer processes */
    }
}

/* Where one rank has the input, that is one descriptor, of those for all. */
static uint64_t files_per_proc(const struct px_run_job *job)
{
    return FILES_PER_PROC + (job->input_rank == PMIX_RANK_WILDCARD);
}

/* What the processes that are alive and ours take, with `each` more for each process. */
static uint64_t files_of_alive(uint64_t each, uint64_t *ret_n_alive)
{
    uint64_t n = FILES_OF_OURS;

    *ret_n_alive = 0;
    for (const struct px_run_job *job = px_run.running; job != NULL; job = job->peer) {
        n += job->n_alive * (files_per_proc(job) + each);
        *ret_n_alive += job->n_alive;
    }
    return n;
}

/* Told before, since a client that finds the server without a descriptor for it is turned away. */
static int files_suffice(const struct px_run_job *job, uint32_t n_new)
{
    struct rlimit now;
    uint64_t n_alive;
    uint64_t n = files_of_alive(0, &n_alive) + n_new * files_per_proc(job);

    if (getrlimit(RLIMIT_NOFILE, &now) != 0 || n <= now.rlim_cur) {
        return 0;
    }
    px_run_say("%" PRIu64 " processes on a node take %" PRIu64 " descriptors, but only %" PRIu64
               " are allowed (ulimit -H -n)",
               n_alive + n_new, n, (uint64_t) now.rlim_cur);
    return EMFILE;
}

/* What a child needs, all made before the fork. */
struct plan {
    char *path;
    char **argv;
    char **env;
    const char *cwd;
    const cpu_set_t *cpus;
    int fds[3];    /* become 0, 1, 2 */
    bool stop;     /* before its first instruction */
    bool hold;     /* until the last process is started */
    int report_fd; /* kept open across exec; -1: none */
    int inherited; /* likewise: its connection, for PMIx_Init (docs/decisions/0044) */
    int error_fd;  /* errno goes there; closed by exec */
    pid_t parent;
};

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* "dir/name" relative to the directory that the process will start in, when both are relative. */
static char *join_path(const char *dir, size_t dir_len, const char *name)
{
    char *path;

    return asprintf(&path, "%.*s/%s", (int) dir_len, dir, name) < 0 ? NULL : path;
}

/* Where the program is: as given when it has a slash, else found along PATH. malloc'd; NULL with
 * errno. */
static char *find_program(const char *name, char **env)
{
    if (strchr(name, '/') != NULL) {
        return strdup(name);
    }
    const char *dirs = px_env_get(env, "PATH");
    for (const char *d = dirs != NULL ? dirs : "/usr/local/bin:/usr/bin:/bin"; *d != '\0';) {
        size_t n = strcspn(d, ":");
        char *path = n > 0 ? join_path(d, n, name) : join_path(".", 1, name);
        if (path == NULL || is_program(path)) {
            return path;
        }
        free(path);
        d += n + (d[n] == ':');
    }
    errno = ENOENT;
    return NULL;
}

static void fail(const struct plan *plan)
{
    int error = errno;

    (void) !write(plan->error_fd, &error, sizeof(error));
    _exit(127);
}

static void child(const struct plan *plan)
{
    sigset_t none;
    int32_t pid = (int32_t) getpid();

    (void) setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != plan->parent) {
        _exit(127); /* our parent died before it could be watched */
    }
    (void) !write(px_run_guard_fd(), &pid, sizeof(pid));
    for (int i = 0; i < 3; i++) {
        if (dup2(plan->fds[i], i) < 0) {
            fail(plan);
        }
    }
    if (plan->report_fd >= 0) {
        (void) fcntl(plan->report_fd, F_SETFD, 0);
    }
    if (plan->inherited >= 0) {
        (void) fcntl(plan->inherited, F_SETFD, 0);
    }
    if (plan->cpus != NULL && sched_setaffinity(0, sizeof(*plan->cpus), plan->cpus) != 0) {
        fail(plan);
    }
    if (plan->cwd != NULL && chdir(plan->cwd) != 0) {
        fail(plan);
    }
    (void) setrlimit(RLIMIT_NOFILE, &files);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (plan->stop && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
        fail(plan);
    }
    execve(plan->path, plan->argv, plan->env);
    fail(plan);
}

/* Waits until a child has stopped. 0 or, if it has ended, ECHILD. */
static int await_stop(pid_t pid)
{
    int status;
    pid_t done;

    do {
        done = waitpid(pid, &status, WUNTRACED);
    } while (done < 0 && errno == EINTR);
    return done == pid && WIFSTOPPED(status) ? 0 : ECHILD;
}

/* A traced process stops at its program's first instruction. It is let go so that it stops there by
 * itself, as soon as it has a processor: whoever debugs it attaches, or sends SIGCONT. 0 or errno.
 */
static int leave_stopped(pid_t pid)
{
    int error = await_stop(pid);

    if (error == 0 && ptrace(PTRACE_DETACH, pid, NULL, (void *) (uintptr_t) SIGSTOP) != 0) {
        error = errno;
    }
    return error == 0 ? await_stop(pid) : error;
}

/* Forks, and waits until the child has become its program. 0 or errno. */
static int start(struct px_run_proc *proc, struct plan *plan)
{
    int pipe_fds[2];
    int error = 0;

    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        return errno;
    }
    plan->error_fd = pipe_fds[1];
    plan->parent = getpid();
    uint64_t since_ns = px_run_trace_now();
    pid_t pid = vfork();
    if (pid == 0) {
        child(plan);
    }
    error = pid < 0 ? errno : 0;
    close(pipe_fds[1]);
    if (pid > 0) {
        (void) setpgid(pid, pid);
        ssize_t n;
        do {
            n = read(pipe_fds[0], &error, sizeof(error));
        } while (n < 0 && errno == EINTR);
        error = n == (ssize_t) sizeof(error) ? error : 0;
        if (error == 0 && plan->stop) {
            error = leave_stopped(pid);
        } else if (error == 0 && plan->hold) {
            (void) kill(pid, HOLDS);
        }
    }
    close(pipe_fds[0]);
    if (pid > 0 && error != 0) {
        (void) kill(pid, SIGKILL);
        (void) waitpid(pid, NULL, 0);
        px_run_guard_drop(pid);
    } else if (pid > 0) {
        proc->pid = pid;
        proc->alive = true;
        proc->job->n_alive++;
        px_run_trace_forked(proc, since_ns);
    }
    return error;
}

/* True if one more process of the job may have a connection to inherit, which takes a descriptor
 * more until it is taken. */
static bool may_inherit(const struct px_run_job *job)
{
    struct rlimit now;
    uint64_t n_alive;

    return getrlimit(RLIMIT_NOFILE, &now) == 0 &&
           files_of_alive(1, &n_alive) + files_per_proc(job) + 1 <= now.rlim_cur;
}

/* The descriptor that the library has made for this process to inherit, to be closed once that is
 * started; -1: none. */
static int inherited_by(char **env)
{
    const char *text = px_env_get(env, "PMIX_SHMIX_INHERIT");

    return text != NULL ? atoi(text) : -1;
}

/* The child's environment: the application's, and what the library adds for this rank. */
static char **environment(const struct px_run_proc *proc, int report_fd)
{
    char **env = px_env_copy(proc->job->apps[proc->app].env);
    char number[16];
    pmix_proc_t id;

    if (env == NULL) {
        return NULL;
    }
    PMIX_LOAD_PROCID(&id, proc->job->nspace, proc->rank);
    int rc = may_inherit(proc->job) ? px_env_set(&env, "PMIX_SHMIX_INHERIT", "ask") : PMIX_SUCCESS;
    if (rc == PMIX_SUCCESS) {
        rc = PMIx_server_setup_fork(&id, &env);
    }
    if (rc == PMIX_SUCCESS) {
        rc = px_run_openmpi_set(proc->job, &env);
    }
    if (rc == PMIX_SUCCESS && report_fd >= 0) {
        snprintf(number, sizeof(number), "%d", report_fd);
        rc = px_env_set(&env, "PMIX_MCA_shmix_report_fd", number);
    }
    if (rc != PMIX_SUCCESS) {
        px_env_free(env);
        return NULL;
    }
    return env;
}

struct pipes {
    int in[2]; /* of those that are given input; else in[0] is /dev/null */
    int out[2];
    int err[2];
};
#define NO_PIPES                                                                                   \
    {                                                                                              \
        {-1, -1}, {-1, -1},                                                                        \
        {                                                                                          \
            -1, -1                                                                                 \
        }                                                                                          \
    }

static void close_pair(int fds[2])
{
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
            fds[i] = -1;
        }
    }
}

/* merge: without one for standard error. */
static int open_pipes(bool with_stdin, bool merge, struct pipes *p)
{
    if (pipe2(p->out, O_CLOEXEC) != 0 || (!merge && pipe2(p->err, O_CLOEXEC) != 0)) {
        return errno;
    }
    if (with_stdin) {
        return pipe2(p->in, O_CLOEXEC) != 0 ? errno : 0;
    }
    p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return p->in[0] < 0 ? errno : 0;
}

/* Our ends of a started process's pipes. */
static void keep_ends(struct px_run_proc *proc, struct pipes *p)
{
    proc->out[0].fd = p->out[0];
    proc->out[1].fd = p->err[0];
    (void) fcntl(p->out[0], F_SETFL, O_NONBLOCK);
    if (p->err[0] >= 0) {
        (void) fcntl(p->err[0], F_SETFL, O_NONBLOCK);
    }
    if (p->in[1] >= 0) {
        (void) fcntl(p->in[1], F_SETFL, O_NONBLOCK);
        (void) px_run_input_open(proc, p->in[1]); /* without memory the process has none */
    }
    p->out[0] = p->err[0] = p->in[1] = -1;
}

static bool takes_input(const struct px_run_proc *proc)
{
    return proc->job->input_rank == PMIX_RANK_WILDCARD || proc->job->input_rank == proc->rank;
}

static int launch_one(struct px_run_proc *proc, int report_fd, bool hold)
{
    struct px_run_app *app = &proc->job->apps[proc->app];
    struct pipes pipes = NO_PIPES;
    bool merge = proc->job->merge;
    int error = open_pipes(takes_input(proc), merge, &pipes);
    struct plan plan = {.argv = app->argv,
                        .cwd = app->cwd,
                        .cpus = proc->cpus,
                        .stop = proc->stopped,
                        .hold = hold,
                        .report_fd = report_fd,
                        .inherited = -1,
                        .fds = {pipes.in[0], pipes.out[1], merge ? pipes.out[1] : pipes.err[1]}};

    if (error == 0) {
        plan.path = find_program(app->cmd, app->env);
        error = plan.path == NULL ? errno : 0;
    }
    if (error == 0) {
        plan.env = environment(proc, report_fd);
        plan.inherited = plan.env != NULL ? inherited_by(plan.env) : -1;
        error = plan.env == NULL ? ENOMEM : start(proc, &plan);
    }
    if (plan.inherited >= 0) {
        close(plan.inherited);
    }
    if (error == 0) {
        keep_ends(proc, &pipes);
        px_run_verbose("started %s rank %u as process %d", proc->job->nspace, proc->rank,
                       (int) proc->pid);
    }
    free(plan.path);
    px_env_free(plan.env);
    close_pair(pipes.in);
    close_pair(pipes.out);
    close_pair(pipes.err);
    return error;
}

/* The process that has spawned the job is told, too. */
static void say_not_started(const struct px_run_proc *proc, int error)
{
    const char *program = proc->job->apps[proc->app].cmd;

    if (proc->job->spawned) {
        px_run_verbose("%s cannot be started: %s: %s", proc->job->nspace, program, strerror(error));
    } else {
        px_run_say("cannot run %s: %s", program, strerror(error));
    }
}

/* Starts of so many processes take long enough for a line of progress, renewed after so many. */
enum { MANY_STARTS = 256, STARTS_BETWEEN = 64 };

/* Progress is shown on a terminal, and nowhere else, and by one node. Output of the processes is
 * shown later, so nothing comes between. */
static bool shows_progress(uint32_t all)
{
    return all >= MANY_STARTS && px_run.node == 0 && isatty(STDERR_FILENO);
}

static void show_progress(uint32_t started, uint32_t all)
{
    if (started % STARTS_BETWEEN == 0 && shows_progress(all)) {
        fprintf(stderr, "\rpmixrun: %u of %u processes started", started, all);
    }
}

/* Takes the line away. */
static void end_progress(uint32_t all)
{
    if (shows_progress(all)) {
        fputs("\r\033[K", stderr);
    }
}

/* True if another signal than ours has stopped the process. */
static bool stopped_itself(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t) pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == pid &&
           info.si_status != HOLDS;
}

/* Continues the processes that were held. SIGCONT also discards a HOLDS that is still pending. */
static void let_go(struct px_run_job *job)
{
    for (uint32_t i = 0; i < job->n_procs; i++) {
        const struct px_run_proc *proc = &job->procs[i];

        if (proc->alive && proc->node == px_run.node && !proc->stopped &&
            !stopped_itself(proc->pid)) {
            (void) kill(proc->pid, SIGCONT);
        }
    }
}

/* If there are more processes than processors, each is held in its first instructions until the
 * last is started. Otherwise the first ones delay the start of the others, for which MPI libraries
 * then wait in a loop (docs/decisions/0051). */
int px_run_job_launch(struct px_run_job *job)
{
    bool hold = job->n_procs > 1 && px_run_oversubscribed(job);
    uint32_t started = 0;
    int report_fd = px_run.options.report ? px_run_report_open() : -1;
    uint64_t since_ns = px_run_trace_now();
    uint32_t n = 0;

    for (uint32_t i = 0; i < job->n_procs; i++) {
        n += job->procs[i].node == px_run.node;
    }
    int error = files_suffice(job, n);
    for (uint32_t i = 0; error == 0 && i < job->n_procs; i++) {
        if (job->procs[i].node == px_run.node) {
            started++;
            error = launch_one(&job->procs[i], report_fd, hold && started < n);
            show_progress(started, n);
            if (error != 0) {
                end_progress(n);
                say_not_started(&job->procs[i], error);
            }
        }
    }
    if (error == 0 && hold) {
        let_go(job);
    }
    px_run_trace_step("launch", job->nspace, since_ns);
    if (error == 0) {
        end_progress(n);
    }
    if (px_run.place == PX_RUN_NODE && job->n_alive > 0) {
        px_run_remote_started(job);
    }
    for (uint32_t i = 0; error != 0 && i < job->n_procs; i++) {
        job->procs[i].excused = true;
        px_run_kill(&job->procs[i], SIGKILL);
    }
    return error;
}
