/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "quiet_write.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
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

/* Both signals are sent to the thread that writes, before writev returns. A signal that was not
 * blocked before cannot have been pending. */
ssize_t px_quiet_writev(int fd, const struct iovec *parts, int n_parts)
{
    sigset_t both;
    sigset_t before;
    sigset_t pending;
    ssize_t written;
    int error;

    (void) sigemptyset(&both);
    (void) sigaddset(&both, SIGPIPE);
    (void) sigaddset(&both, SIGXFSZ);
    (void) sigemptyset(&pending);
    (void) pthread_sigmask(SIG_BLOCK, &both, &before);
    if (sigismember(&before, SIGPIPE) == 1 || sigismember(&before, SIGXFSZ) == 1) {
        (void) sigpending(&pending);
    }
    written = writev(fd, parts, n_parts);
    error = written < 0 ? errno : 0;
    if (signal_of(error) && !sigismember(&pending, signal_of(error))) {
        take(signal_of(error));
    }
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        errno = error;
    }
    return written;
}

ssize_t px_quiet_write(int fd, const void *bytes, size_t n)
{
    const struct iovec part = {.iov_base = (void *) (uintptr_t) bytes, .iov_len = n};

    return px_quiet_writev(fd, &part, 1);
}
