/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_NAMES_H
#define PX_NSPACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_job;
struct px_job_infos;

/* The readers' own node among job->nodes, made when nobody named it but its values are there.
 * PX_NO_NODE: nobody knows which it is. */
int px_job_local_node(struct px_job *job, uint32_t *ret_index);

struct px_job_infos px_job_infos_make(const pmix_info_t *info, size_t ninfo);

/* The first value under the key beside the run, or NULL. */
const pmix_value_t *px_job_infos_find(const struct px_job_infos *top, const char *key);

/* names.c: the readers' own node by its number or its processes, if it is not known yet. */
int px_job_own_node(struct px_job *job, const struct px_job_infos *top);

/* Reads info arrays and loose values: maps first (names.c), then everything (info_arrays.c). */
int px_job_read_maps(struct px_job *job, const struct px_job_infos *top);

#endif
