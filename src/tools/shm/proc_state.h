/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_SHM_PROC_STATE_H
#define PX_TOOLS_SHM_PROC_STATE_H

#include <stdint.h>
#include <sys/types.h>

/* What the kernel says of a process's first thread. */
struct px_proc_state {
    char state;       /* as in proc(5): R, S, D, T, t, Z; 0: there is no such process */
    char wchan[64];   /* the kernel's function that it sleeps in; "": none, or not told */
    char syscall[32]; /* the system call that it is in; "": none, or not told */
};

/* pid 0 is no process. */
void px_proc_state(pid_t pid, struct px_proc_state *ret);

/* The first process that was started as this rank of the namespace, by its environment; 0: there is
 * none that one may look into. */
pid_t px_proc_find(const char *nspace, uint32_t rank);

/* The state in a word: "sleeping", "stopped", "gone"... */
const char *px_proc_state_text(char state);

#endif
