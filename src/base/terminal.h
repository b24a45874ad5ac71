/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_TERMINAL_H
#define PX_BASE_TERMINAL_H

#include <stdbool.h>
#include <unistd.h>

/* False if the descriptor is the terminal of this process, which runs in its background: a read
 * would stop the process (SIGTTIN), or fail where the signal is blocked. That changes at any time,
 * without a notice. Any thread. */
static inline bool px_may_read(int fd)
{
    pid_t foreground = tcgetpgrp(fd); /* -1: no terminal, or that of others */

    return foreground < 0 || foreground == getpgrp();
}

#endif
