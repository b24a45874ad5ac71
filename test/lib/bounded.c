// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The shmix authors

// bounded COMMAND [ARG...]: runs a test and passes on its exit status. make check starts every test
// under it.
//
// A test that runs for more than PX_TEST_SECONDS seconds (600; 7200 with PX_LONG) is ended: what
// its processes were doing is printed as TAP comments (not with PX_TEST_STACKS=no), then "Bail
// out!". Processes that a test
// started and that outlive it by GRACE seconds are named and ended, and the test counts as failed.
// This process is the reaper of all that the test started, so nothing escapes by a double fork, a
// session or a process group of its own.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    GRACE = 10,      // seconds for what is still running after the test itself ended
    GENTLE = 2,      // and for a test that was told to end
    HARD_ERROR = 99, // automake's exit status of a test that could not be carried out
};

static double now(void)
{
    struct timespec t;

    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static double limit(void)
{
    const char *seconds = getenv("PX_TEST_SECONDS");
    double n = seconds == NULL ? 0 : strtod(seconds, NULL);

    if (n > 0) {
        return n;
    }
    return getenv("PX_LONG") != NULL ? 7200 : 600;
}

// The first line of /proc/PID/NAME, with spaces for the zeros of a command line; "" when there is
// none.
static void proc_line(pid_t pid, const char *name, char *line, size_t size)
{
    char path[64];
    int fd;
    ssize_t n = 0;

    (void) snprintf(path, sizeof path, "/proc/%d/%s", (int) pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, line, size - 1);
        (void) close(fd);
    }
    line[n > 0 ? n : 0] = '\0';
    for (ssize_t i = 0; i + 1 < n; i++) {
        line[i] = (char) (line[i] == '\0' || line[i] == '\n' ? ' ' : line[i]);
    }
}

// The parent of a process, 0 when it is gone.
static pid_t parent_of(pid_t pid)
{
    char stat[512];
    const char *end;
    int parent = 0;

    proc_line(pid, "stat", stat, sizeof stat);
    end = strrchr(stat, ')'); // a name may hold anything
    if (end == NULL || sscanf(end + 1, " %*c %d", &parent) != 1) {
        return 0;
    }
    return parent;
}

static bool descends(pid_t pid)
{
    for (int depth = 0; pid > 1 && depth < 64; depth++) {
        pid = parent_of(pid);
        if (pid == getpid()) {
            return true;
        }
    }
    return false;
}

// Calls act for each process that descends from this one; returns how many there were.
static int each_descendant(void (*act)(pid_t pid))
{
    DIR *proc = opendir("/proc");
    int count = 0;

    if (proc == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
        pid_t pid = (pid_t) strtol(entry->d_name, NULL, 10);

        if (pid > 1 && descends(pid)) {
            act(pid);
            count++;
        }
    }
    (void) closedir(proc);
    return count;
}

static void show(pid_t pid)
{
    char command[400];
    char wchan[64];

    proc_line(pid, "cmdline", command, sizeof command);
    proc_line(pid, "wchan", wchan, sizeof wchan);
    (void) printf("# pid %d, child of %d, waits in %s: %s\n", (int) pid, (int) parent_of(pid),
                  wchan, command);
    (void) fflush(stdout);
}

static void show_stacks(pid_t pid)
{
    char script[256];

    show(pid);
    (void) snprintf(script, sizeof script,
                    "[ \"$PX_TEST_STACKS\" != no ] && command -v gdb >/dev/null && "
                    "timeout 20 gdb -batch -p %d -ex 'thread apply "
                    "all bt 20' 2>&1 "
                    "</dev/null | grep -E '^(Thread|#)' | sed 's/^/#   /'",
                    (int) pid);
    (void) !system(script); // no debugger, no stacks
}

static pid_t spared; // the process that end() leaves alone; 0: none

static void end(pid_t pid)
{
    if (pid != spared) {
        (void) kill(pid, SIGKILL);
    }
}

// Takes the status of every child that ended; true when none is left.
static bool reap(pid_t test, int *status)
{
    int s;
    pid_t pid;

    while ((pid = waitpid(-1, &s, WNOHANG)) > 0) {
        if (pid == test) {
            *status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
        }
    }
    return pid < 0 && errno == ECHILD;
}

// Waits until nothing is left, or, with until_test, until the test itself ended. False when the
// time is over first.
static bool wait_until(double end_time, const sigset_t *set, pid_t test, bool until_test,
                       int *status)
{
    while (!reap(test, status)) {
        double left = end_time - now();
        struct timespec t;

        if (until_test && *status >= 0) {
            return true;
        }
        if (left <= 0) {
            return false;
        }
        t.tv_sec = (time_t) left;
        t.tv_nsec = (long) ((left - (double) t.tv_sec) * 1e9);
        (void) sigtimedwait(set, NULL, &t);
    }
    return true;
}

// A killed process leaves its children to us: again, until there is none.
static void end_all(const sigset_t *set, pid_t test, int *status)
{
    do {
        (void) each_descendant(end);
    } while (!wait_until(now() + 0.2, set, test, false, status));
}

// Sends the test SIGTERM and kills its descendants, for which it may be waiting: its trap then
// removes the test's files.
static void end_gently(const sigset_t *set, pid_t test, int *status)
{
    (void) kill(test, SIGTERM);
    spared = test;
    (void) each_descendant(end);
    spared = 0;
    (void) wait_until(now() + GENTLE, set, test, true, status);
}

static int run(char **command, const sigset_t *set, const sigset_t *before)
{
    int status = -1;
    pid_t test = fork();

    if (test == 0) {
        (void) sigprocmask(SIG_SETMASK, before, NULL);
        (void) execvp(command[0], command);
        (void) fprintf(stderr, "bounded: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    if (test < 0) {
        perror("bounded: fork");
        return HARD_ERROR;
    }
    if (!wait_until(now() + limit(), set, test, true, &status)) {
        (void) printf("# no end after %.0f seconds; these were running:\n", limit());
        (void) each_descendant(show_stacks);
        end_gently(set, test, &status);
        end_all(set, test, &status);
        (void) printf("Bail out! no end after %.0f seconds\n", limit());
        return HARD_ERROR;
    }
    if (!wait_until(now() + GRACE, set, test, false, &status)) {
        (void) printf("# left behind %d seconds after the end:\n", GRACE);
        (void) each_descendant(show);
        end_all(set, test, &status);
        (void) printf("Bail out! processes left behind\n");
        return HARD_ERROR;
    }
    return status;
}

int main(int argc, char **argv)
{
    sigset_t set;
    sigset_t before;

    if (argc < 2) {
        (void) fprintf(stderr, "usage: bounded COMMAND [ARG...]\n");
        return HARD_ERROR;
    }
    (void) sigemptyset(&set);
    (void) sigaddset(&set, SIGCHLD);
    (void) sigprocmask(SIG_BLOCK, &set, &before);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
        perror("bounded: PR_SET_CHILD_SUBREAPER");
        return HARD_ERROR;
    }
    return run(argv + 1, &set, &before);
}
