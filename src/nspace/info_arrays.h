/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_INFO_ARRAYS_H
#define PX_NSPACE_INFO_ARRAYS_H

/* Second pass over the host's info arrays: every value goes to its level and index.
 *
 * The job has been through px_job_read_maps (names.h) then, so that session, nodes and most
 * placements are known. A value that contradicts the maps has precedence over them. */

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_job;
struct px_job_infos;

/* Reads all infos into the job: values above processes into job->values, those of processes into
 * the batch. Call px_job_read_maps before. PMIX_ERR_BAD_PARAM: a malformed key, an array without
 * its identifier or nested too deeply; PMIX_ERR_TYPE_MISMATCH: a value of a wrong type (strict jobs
 * only); PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_job_read(struct px_job *job, const struct px_job_infos *top);

/* Reads the values of one process, as they are in a PMIX_PROC_BLOB: without the array around them.
 * Errors as px_job_read. */
int px_job_read_proc(struct px_job *job, uint32_t rank, const pmix_info_t *info, size_t ninfo);

#endif
