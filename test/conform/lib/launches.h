/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* A launcher without a server, and the jobs that it starts itself. What their processes write is
 * told as steps, "out: ..." or "err: ..." for each line, and the end of a job as "end JOB: HOW". */

#ifndef PX_CONFORM_LIB_LAUNCHES_H
#define PX_CONFORM_LIB_LAUNCHES_H

#include "conform.h"

/* Directives of a launcher that connects to no server. */
struct infos *launcher_alone(void);
/* Begins one that hears what its jobs write, and of their ends. */
void begin_alone(void);
/* Tells of ends from now on: "end NAME: STATUS", and ", RANK with CODE" if a process has failed. */
void hear_ends(void);
/* Tells each line of what comes; for PMIx_IOF_pull. */
void hear_output(size_t id, pmix_iof_channel_t channel, pmix_proc_t *source,
                 pmix_byte_object_t *bytes, pmix_info_t info[], size_t ninfo);

/* Spawns n processes of a program with one argument or two, or (NULL) of this one, which are of
 * the kind that `text` names (children.h). list: of the job, or NULL. The name of the job, or the
 * status; the text is the case's. */
const char *launch_job(struct infos *list, int n, const char *what, const char *option,
                       const char *text);
const char *launch(int n, const char *what, const char *option, const char *text);
/* Waits for the end of a job. */
void await_end(const char *job, const char *how);

/* Our standard output goes elsewhere, until it is restored: what was written, as text, until the
 * next call. */
void divert_output(void);
const char *restored_output(void);

#endif
