/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_STOPPED_H
#define PX_SERVER_LOCAL_STOPPED_H

/* Starting a process that stops at the first instruction of its program (PMIX_DEBUG_STOP_ON_EXEC),
 * for a debugger to attach to. */

#include <sys/types.h>

#include "local_process.h"

/* Starts the program, which is looked for along PATH, and waits until it has stopped by SIGSTOP; it
 * goes on with SIGCONT. Any thread. 0 with the process id, else an errno: that of the step that
 * failed in the child, EPERM if the system lets nobody trace, ECHILD if the process ended before it
 * stopped. */
int px_local_process_stopped(const struct px_local_process *what, const char *cmd, char **argv,
                             char **env, pid_t *ret);

#endif
