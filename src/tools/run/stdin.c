/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Our standard input goes to rank 0 of the first job; nothing is read before the former bytes have
 * been taken. */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "run.h"

static struct {
    int to; /* non-blocking; -1: none */
    char bytes[16384];
    size_t start;
    size_t end;
    bool at_end;
} in = {.to = -1};

void px_run_stdin_open(int fd)
{
    in.to = fd;
}

static void stdin_finish(void)
{
    close(in.to);
    in.to = -1;
}

/* A background job that reads from its terminal would be stopped. */
static bool may_read(void)
{
    return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int px_run_stdin_poll_fd(short *ret_events)
{
    if (in.to < 0) {
        return -1;
    }
    if (in.start < in.end) {
        *ret_events = POLLOUT;
        return in.to;
    }
    *ret_events = POLLIN;
    return may_read() ? STDIN_FILENO : -1;
}

static void write_some(void)
{
    ssize_t n = write(in.to, in.bytes + in.start, in.end - in.start);

    if (n > 0) {
        in.start += (size_t) n;
    } else if (errno != EAGAIN && errno != EINTR) {
        stdin_finish(); /* rank 0 does not read, or has ended */
        return;
    }
    if (in.start == in.end && in.at_end) {
        stdin_finish();
    }
}

void px_run_stdin_move(void)
{
    if (in.to < 0) {
        return;
    }
    if (in.start == in.end) {
        ssize_t n = read(STDIN_FILENO, in.bytes, sizeof(in.bytes));
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            return;
        }
        if (n <= 0) {
            stdin_finish();
            return;
        }
        in.start = 0;
        in.end = (size_t) n;
    }
    write_some();
}
