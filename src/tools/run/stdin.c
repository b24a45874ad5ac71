/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Our standard input goes to rank 0 of the first job. The next bytes are read when that process has
 * taken the last ones. */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "nodes.h"

static struct px_run_input *to; /* NULL: no process reads, or all has been read */

void px_run_stdin_open(struct px_run_input *in)
{
    to = in;
}

void px_run_stdin_forget(const struct px_run_input *in)
{
    if (to == in) {
        to = NULL;
    }
}

/* A background job that reads from its terminal would be stopped. */
static bool may_read(void)
{
    return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

int px_run_stdin_poll_fd(void)
{
    return to != NULL && px_run_input_is_empty(to) && may_read() ? STDIN_FILENO : -1;
}

void px_run_stdin_move(void)
{
    static char bytes[16384];

    if (to == NULL || !px_run_input_is_empty(to)) {
        return;
    }
    ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    /* An input that ends, or fails, is the end of the process's, too. */
    (void) px_run_input_put(to, bytes, n > 0 ? (size_t) n : 0, n <= 0, NULL);
}
