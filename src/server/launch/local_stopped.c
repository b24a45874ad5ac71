/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The kernel stops a traced process when it has become its program. The tracer is the thread that
 * has forked, so it waits for that stop and lets the process go with a stop signal, before it does
 * anything else. posix_spawn cannot ask to be traced. The child runs in our memory (vfork) until it
 * is the program: it calls what is safe there only, and no handler of ours runs in it. */

#include "local_stopped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Read by the child, but for `error`, which it writes. */
struct plan {
    const struct px_local_process *what;
    const char *cmd;
    char **argv;
    char **env;
    volatile int error; /* errno of the step that failed; 0: none */
};

/* Makes a descriptor that of the program. False with errno. */
static bool give(int fd, int to)
{
    return fd < 0 || (fd == to ? fcntl(fd, F_SETFD, 0) : dup2(fd, to)) >= 0;
}

/* Handled signals do what they do by default, as after exec; those that are ignored stay so, but
 * for SIGPIPE. */
static void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;

        if (sigaction(number, NULL, &action) == 0 &&
            (action.sa_handler != SIG_IGN || number == SIGPIPE)) {
            (void) signal(number, SIG_DFL);
        }
    }
}

/* The child. Does not return. */
static void become(struct plan *plan)
{
    const struct px_local_process *what = plan->what;
    int in = what->in >= 0 ? what->in : open("/dev/null", O_RDONLY | O_CLOEXEC);
    sigset_t none;

    (void) sigemptyset(&none);
    reset_signals();
    if (in >= 0 && give(in, STDIN_FILENO) && give(what->out[0], STDOUT_FILENO) &&
        give(what->out[1], STDERR_FILENO) && setpgid(0, 0) == 0 &&
        (!what->dir || chdir(what->dir) == 0) && sigprocmask(SIG_SETMASK, &none, NULL) == 0 &&
        ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
        (void) execvpe(plan->cmd, plan->argv, plan->env);
    }
    plan->error = errno;
    _exit(127);
}

/* Waits for the stop or the end of a child. True if it has stopped. */
static bool has_stopped(pid_t pid)
{
    int status = 0;
    pid_t done;

    do {
        done = waitpid(pid, &status, WUNTRACED);
    } while (done < 0 && errno == EINTR);
    return done == pid && WIFSTOPPED(status);
}

/* Without a tracer the process stops by itself, as soon as it has a processor. 0 or an errno; then
 * the process has ended. */
static int leave(pid_t pid)
{
    if (!has_stopped(pid)) {
        return ECHILD;
    }
    if (ptrace(PTRACE_DETACH, pid, NULL, (void *) (uintptr_t) SIGSTOP) != 0) {
        int error = errno;

        (void) kill(pid, SIGKILL);
        (void) has_stopped(pid);
        return error;
    }
    return has_stopped(pid) ? 0 : ECHILD;
}

int px_local_process_stopped(const struct px_local_process *what, const char *cmd, char **argv,
                             char **env, pid_t *ret)
{
    struct plan plan = {what, cmd, argv, env, 0};
    sigset_t all;
    sigset_t before;
    int error = 0;
    pid_t pid;

    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = vfork();
    if (pid == 0) {
        become(&plan);
    }
    error = pid < 0 ? errno : plan.error;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && error) {
        (void) has_stopped(pid); /* it ends */
    } else if (pid > 0) {
        error = leave(pid);
    }
    if (!error) {
        *ret = pid;
    }
    return error;
}
