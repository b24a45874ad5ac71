/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_JOB_H
#define PX_SERVER_LOCAL_JOB_H

/* Jobs whose processes the server of a launcher has started itself, on this node. They are its
 * clients. What they write is passed on like output that a host delivers, if the request has asked
 * for it; those that it names have input, which others push, and all others read nothing. The end
 * of the last process is told by PMIX_EVENT_JOB_END, and the namespace is gone then. Loop thread.
 */

#include <stdbool.h>

#include <pmix_server.h>

struct px_local_push;
struct px_server;

/* The arguments of a spawn; borrowed. */
struct px_local_spawn {
    const pmix_proc_t *parent; /* who asks */
    const pmix_info_t *info;
    size_t ninfo;
    const pmix_app_t *apps;
    size_t napps;
};

/* Starts a job: all its processes, or none. 0, with the name of the job in ret_nspace;
 * PMIX_ERR_NOT_SUPPORTED (a directive that is not honoured here, and is required or would make the
 * request another one), PMIX_ERR_BAD_PARAM (a value of a wrong type, too many processes),
 * PMIX_ERR_JOB_NO_EXE_SPECIFIED, PMIX_ERR_JOB_EXE_NOT_FOUND, PMIX_ERR_JOB_APP_NOT_EXECUTABLE,
 * PMIX_ERR_JOB_WDIR_NOT_FOUND, PMIX_ERR_JOB_FAILED_TO_LAUNCH, PMIX_ERR_JOB_SYS_OP_FAILED (no
 * descriptors), PMIX_ERR_NOMEM. */
int px_local_job_start(struct px_server *s, const struct px_local_spawn *spawn,
                       pmix_nspace_t ret_nspace);

/* Tells that the job is ready for a debugger, if processes of it are stopped. After the answer to
 * the request. */
void px_local_job_announce(struct px_server *s, const char *nspace);

/* Whether input can be pushed to these processes, of which PMIX_RANK_WILDCARD means all that have
 * input. 0; PMIX_ERR_NOT_SUPPORTED: one is of no job that is, or was, here; PMIX_ERR_NOT_FOUND: the
 * request has asked for no input for it; PMIX_ERR_BAD_PARAM: there are none. */
int px_local_jobs_accept(struct px_server *s, const pmix_proc_t *procs, size_t nprocs);

/* Adds those of the processes that have input to a push (local_input.h), each once, and ends it. */
void px_local_jobs_push(struct px_server *s, const pmix_proc_t *procs, size_t nprocs,
                        struct px_local_push *push);

/* Sends a signal to those of the processes that run, and to what they have started in their process
 * groups. An empty namespace stands for all jobs, PMIX_RANK_WILDCARD for all of a job. Returns
 * whether one of these jobs is here. */
bool px_local_jobs_signal(struct px_server *s, const pmix_proc_t *procs, size_t nprocs, int number);

/* Kills what runs, waits for its end and forgets the jobs; nothing is told. When the server stops.
 */
void px_local_jobs_kill_all(struct px_server *s);

#endif
