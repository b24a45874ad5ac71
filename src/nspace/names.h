/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_NAMES_H
#define PX_NSPACE_NAMES_H

/* First pass over the host's infos: session, maps and sizes, which the homes of other values
 * depend on, and the readers' own node. */

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_job;
struct px_job_infos;

/* The readers' own node in job->nodes: the known one, else that of the store, else a new one with
 * the readers' host name. *ret_index is PX_NO_NODE if none of them is known. 0 or
 * PMIX_ERR_NOMEM. */
int px_job_local_node(struct px_job *job, uint32_t *ret_index);

/* Describes the host's info array, which is borrowed. */
struct px_job_infos px_job_infos_make(const pmix_info_t *info, size_t ninfo);

/* The first value under the key outside of the run of process arrays, borrowed; NULL: there is
 * none. */
const pmix_value_t *px_job_infos_find(const struct px_job_infos *top, const char *key);

/* Identifies the readers' own node by the number or the local peers that the host gives outside of
 * arrays, unless it is known already. 0 or PMIX_ERR_NOMEM. */
int px_job_own_node(struct px_job *job, const struct px_job_infos *top);

/* The first pass; px_job_read (info_arrays.h) is the second. 0, PMIX_ERR_BAD_PARAM,
 * PMIX_ERR_TYPE_MISMATCH, PMIX_ERR_NOMEM. */
int px_job_read_maps(struct px_job *job, const struct px_job_infos *top);

#endif
