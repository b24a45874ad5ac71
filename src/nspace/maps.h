/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_MAPS_H
#define PX_NSPACE_MAPS_H

/* The two maps of a job, as text or in a compressed form (src/wire/regex.h). */

#include <pmix.h>

struct px_job;

/* Adds the nodes of a node map, in its order; an empty map is ignored. PMIX_ERR_TYPE_MISMATCH,
 * PMIX_ERR_BAD_PARAM (malformed), PMIX_ERR_NOMEM. */
int px_job_node_map(struct px_job *job, const pmix_value_t *value);
/* Places the ranks of a process map on the nodes; read the node map before. Errors as
 * px_job_node_map; PMIX_ERR_BAD_PARAM also for ranks of a node that the node map does not have. */
int px_job_proc_map(struct px_job *job, const pmix_value_t *value);

#endif
