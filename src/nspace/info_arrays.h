/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_INFO_ARRAYS_H
#define PX_NSPACE_INFO_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_job;
struct px_job_infos;

int px_job_read(struct px_job *job, const struct px_job_infos *top);

/* The values of one process, as in a PMIX_PROC_BLOB. */
int px_job_read_proc(struct px_job *job, uint32_t rank, const pmix_info_t *info, size_t ninfo);

#endif
