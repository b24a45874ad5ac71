/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PROCESS_H
#define PX_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Information of the kernel about a process of this machine, from /proc. Any thread. */

/* One process as /proc shows it. */
struct px_process {
    pid_t parent;
    uint64_t started; /* clock ticks from the boot of the machine to the start of the process;
                         together with the pid it identifies one process */
    bool ended;       /* it has exited and was not reaped yet */
};

/* Reads the state of a process. 0, or PX_ERR_NOT_FOUND: there is none with that pid, or the kernel
 * does not show it; *ret is unchanged. */
int px_process_look(pid_t pid, struct px_process *ret);

/* True if the process is `from`, or descends from it in at most 64 generations. */
bool px_process_descends(pid_t pid, pid_t from);

/* The process itself or an ancestor of it, whichever is a child of `from`. 0: it does not descend
 * from that one. */
pid_t px_process_branch(pid_t pid, pid_t from);

/* Identifies the pid namespace of the calling process. Pids of two namespaces are not comparable.
 * 0: the kernel does not show it. */
uint64_t px_process_space(void);

/* Start of the process in seconds of the wall clock, as the clock is set now. */
int64_t px_process_start_time(const struct px_process *process);

#endif
