/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_DERIVE_H
#define PX_NSPACE_DERIVE_H

/* The last step of a registration: values that follow from those that the host gave. */

struct px_job;

/* Adds derived values to the job: sizes, local peers, leaders, ranks. Called once, after everything
 * was read; sets job->whole. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE. */
int px_job_derive(struct px_job *job);

#endif
