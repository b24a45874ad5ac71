/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_LOCAL_PROCESS_H
#define PX_SERVER_LOCAL_PROCESS_H

/* Starting one process on this node. */

#include <stdbool.h>
#include <sys/types.h>

#include <pmix_server.h>

struct px_server;

/* What is to be started; borrowed. */
struct px_local_process {
    const pmix_proc_t *proc;
    const pmix_app_t *app;
    const char *dir;         /* or NULL: that of this process */
    const pmix_info_t *info; /* of the job, for its environment */
    size_t ninfo;
    int in;     /* a descriptor for its standard input; -1: it reads nothing */
    int out[2]; /* descriptors for its standard output and error; -1: those of this process */
    bool stop;  /* at its first instruction (local_stopped.h) */
};

/* Starts a process that leads a process group of its own. Its environment is that
 * of this process with the app's, the settings among the infos of the job and the app, and what
 * lets it find this server. Loop thread. 0 with the process id, PMIX_ERR_JOB_NO_EXE_SPECIFIED,
 * PMIX_ERR_JOB_EXE_NOT_FOUND, PMIX_ERR_JOB_APP_NOT_EXECUTABLE, PMIX_ERR_JOB_WDIR_NOT_FOUND,
 * PMIX_ERR_JOB_FAILED_TO_LAUNCH, PMIX_ERR_BAD_PARAM (a setting that is none), PMIX_ERR_NOMEM,
 * PMIX_ERR_NOT_SUPPORTED (the system does not let it be stopped). */
int px_local_process_start(struct px_server *s, const struct px_local_process *what, pid_t *ret);

#endif
