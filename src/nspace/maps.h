/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_MAPS_H
#define PX_NSPACE_MAPS_H

#include <pmix.h>

struct px_job;

/* maps.c */
int px_job_node_map(struct px_job *job, const pmix_value_t *value);
int px_job_proc_map(struct px_job *job, const pmix_value_t *value);

#endif
