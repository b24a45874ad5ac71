/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_END_H
#define PX_SERVER_LOCAL_END_H

/* Events about the stops and ends of processes that the server of a launcher has started, and of
 * their jobs. Loop thread. */

#include <pmix_server.h>

struct px_server;

/* The first process of a job that has ended with a signal or a status. */
struct px_local_failure {
    pmix_rank_t rank;
    int status; /* as waitpid has it; 0: none has */
};

/* Tells that a process has ended; status as waitpid has it. Without memory it is lost. */
void px_local_process_ended(struct px_server *s, const pmix_proc_t *proc, int status);

/* Tells that processes of a job have stopped at their first instruction. Without memory it is lost.
 */
void px_local_job_stopped(struct px_server *s, const char *nspace);

/* Tells that a job has ended, and how. Without memory it is lost. */
void px_local_job_ended(struct px_server *s, const char *nspace,
                        const struct px_local_failure *failure);

#endif
