/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_BASE_PROCESS_H
#define PX_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel says of a process of this machine. */

struct px_process {
    pid_t parent;
    uint64_t started; /* clock ticks between the machine's start and its own: with the pid it names
                         one process */
    bool ended;       /* a zombie */
};

/* 0; PX_ERR_NOT_FOUND when there is none of that pid, or the kernel does not tell. */
int px_process_look(pid_t pid, struct px_process *ret);

/* In which namespace of pids this process is: numbers of two of them have nothing to do with each
 * other. 0: the kernel does not tell. */
uint64_t px_process_space(void);

/* When it started, in seconds of the wall clock as that is set now. */
int64_t px_process_start_time(const struct px_process *process);

#endif
