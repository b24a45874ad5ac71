/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "quiet_write.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* The signal that comes with an error of write; 0: none. */
static int signal_of(int error)
{
    return error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
}

/* Takes a signal of this thread that is pending and blocked. */
static void take(int signal)
{
    static const struct timespec at_once = {0};
    sigset_t one;

    (void) sigemptyset(&one);
    (void) sigaddset(&one, signal);
    while (sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR) {
    }
}

/* The signals of a thread before a write. */
struct quiet {
    sigset_t blocked;
    sigset_t pending; /* of both signals; one that was not blocked cannot have been pending */
};

/* Blocks both signals, which the kernel sends to the thread that writes, before the write
 * returns. */
static void begin(struct quiet *quiet)
{
    sigset_t both;

    (void) sigemptyset(&both);
    (void) sigaddset(&both, SIGPIPE);
    (void) sigaddset(&both, SIGXFSZ);
    (void) sigemptyset(&quiet->pending);
    (void) pthread_sigmask(SIG_BLOCK, &both, &quiet->blocked);
    if (sigismember(&quiet->blocked, SIGPIPE) == 1 || sigismember(&quiet->blocked, SIGXFSZ) == 1) {
        (void) sigpending(&quiet->pending);
    }
}

/* Removes the signal that the write has raised, and restores the signal mask. It returns `written`
 * and leaves the write's errno. */
static ssize_t end(const struct quiet *quiet, ssize_t written)
{
    int error = written < 0 ? errno : 0;

    if (signal_of(error) && !sigismember(&quiet->pending, signal_of(error))) {
        take(signal_of(error));
    }
    (void) pthread_sigmask(SIG_SETMASK, &quiet->blocked, NULL);
    if (error) {
        errno = error;
    }
    return written;
}

ssize_t px_quiet_write(int fd, const void *bytes, size_t n)
{
    struct quiet quiet;

    begin(&quiet);
    return end(&quiet, write(fd, bytes, n));
}

ssize_t px_quiet_writev(int fd, const struct iovec *parts, int n_parts)
{
    struct quiet quiet;

    begin(&quiet);
    return end(&quiet, writev(fd, parts, n_parts));
}
