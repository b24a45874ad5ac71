/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The guard: a small process that holds the read end of a pipe. Every process that pmixrun starts
 * writes its pid there before it executes its program; pmixrun writes the negative pid when it has
 * been reaped. If the pipe ends and pids are left, pmixrun was killed without a chance to clean up,
 * and the guard kills their process groups, and removes the files by which tools found their
 * servers (rendezvous.c). In both cases it then removes the directories that were made for Open MPI
 * (openmpi.c). (The processes themselves also ask the kernel to be killed when pmixrun dies; what
 * they have started does not.) */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

static int to_guard = -1;
static pid_t guard_pid;

struct pids {
    int32_t *at;
    size_t n;
    size_t cap;
};

static void add_pid(struct pids *p, int32_t pid)
{
    if (p->n == p->cap) {
        size_t cap = p->cap != 0 ? 2 * p->cap : 64;
        int32_t *at = realloc(p->at, cap * sizeof(*at));
        if (at == NULL) {
            return; /* this one is left to the kernel's parent-death signal */
        }
        p->at = at;
        p->cap = cap;
    }
    p->at[p->n++] = pid;
}

static void drop_pid(struct pids *p, int32_t pid)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->at[i] == pid) {
            p->at[i] = p->at[--p->n];
            return;
        }
    }
}

/* One message, whole: writes of four bytes to a pipe are atomic. */
static bool receive(int fd, int32_t *ret_pid)
{
    ssize_t n;

    do {
        n = read(fd, ret_pid, sizeof(*ret_pid));
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t) sizeof(*ret_pid);
}

static void watch(int fd)
{
    struct pids pids = {0};
    int32_t pid;

    while (receive(fd, &pid)) {
        if (pid > 0) {
            add_pid(&pids, pid);
        } else {
            drop_pid(&pids, -pid);
        }
    }
    for (size_t i = 0; i < pids.n; i++) {
        (void) kill(-pids.at[i], SIGKILL);
    }
    if (pids.n > 0) {
        add_pid(&pids, (int32_t) px_run.pid);
        px_run_rendezvous_sweep(pids.at, pids.n);
    }
    free(pids.at);
    px_run_openmpi_remove();
}

static void become_guard(int fd)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    (void) setsid();
    (void) prctl(PR_SET_NAME, "pmixrun-guard");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; null >= 0 && i < 3; i++) {
        (void) dup2(null, i);
    }
    watch(fd);
    _exit(0);
}

int px_run_guard_start(void)
{
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        return -1;
    }
    guard_pid = fork();
    if (guard_pid < 0) {
        close(pipe_fds[0]);
        close(pipe_fds[1]);
        return -1;
    }
    if (guard_pid == 0) {
        close(pipe_fds[1]);
        become_guard(pipe_fds[0]);
    }
    close(pipe_fds[0]);
    to_guard = pipe_fds[1];
    return 0;
}

int px_run_guard_fd(void)
{
    return to_guard;
}

void px_run_guard_drop(pid_t pid)
{
    int32_t message = -(int32_t) pid;

    if (to_guard >= 0) {
        (void) !write(to_guard, &message,
                      sizeof(message)); /* a guard that is gone guards nothing */
    }
}

void px_run_guard_stop(void)
{
    if (to_guard < 0) {
        return;
    }
    close(to_guard);
    to_guard = -1;
    while (waitpid(guard_pid, NULL, 0) < 0 && errno == EINTR) {
    }
}
