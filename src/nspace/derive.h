/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_DERIVE_H
#define PX_NSPACE_DERIVE_H

struct px_job;

/* derive.c: adds to `job` what follows from its facts. */
int px_job_derive(struct px_job *job);

#endif
