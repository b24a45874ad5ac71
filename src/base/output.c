/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quiet_write.h"
#include "status.h"

/* Waits at most `ms` milliseconds (-1: without limit) until the descriptor takes bytes. */
static bool wait_writable(int fd, int ms)
{
    struct pollfd at = {.fd = fd, .events = POLLOUT};
    int n = poll(&at, 1, ms);

    while (n < 0 && errno == EINTR) {
        n = poll(&at, 1, ms);
    }
    return n > 0 && (at.revents & POLLNVAL) == 0;
}

int px_output_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n > 0) {
        ssize_t done = px_quiet_write(fd, at, n);
        bool full = done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);

        if (done < 0 && errno != EINTR && (!full || !wait_writable(fd, -1))) {
            return PX_ERR_UNREACH;
        }
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t) done : 0;
    }
    return 0;
}

/* Makes the directories that lead to a file. If one cannot be made, opening the file fails. */
static void make_dirs(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void) mkdir(path, 0777);
        *at = '/';
    }
}

int px_output_open(char *path, bool anew)
{
    if (anew) {
        make_dirs(path);
    }
    return open(path, O_WRONLY | O_APPEND | O_CREAT | (anew ? O_TRUNC : 0) | O_CLOEXEC | O_NOCTTY,
                0666);
}

/* A pipe that poll reports as writable takes PIPE_BUF bytes without waiting. */
size_t px_output_now(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    size_t left = n;

    while (left > 0 && wait_writable(fd, 0)) {
        ssize_t done = px_quiet_write(fd, at, left < PIPE_BUF ? left : PIPE_BUF);

        if (done < 0 && errno != EINTR) {
            break;
        }
        at += done > 0 ? done : 0;
        left -= done > 0 ? (size_t) done : 0;
    }
    return n - left;
}
