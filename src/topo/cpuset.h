/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_CPUSET_H
#define PX_TOPO_CPUSET_H

/* Cpusets (pmix_cpuset_t with an hwloc bitmap): text to bitmap, bitmap to text, and the binding of
 * the calling process or thread. Text has the form "hwloc:0-3,7". No function here loads the
 * topology. Any thread. Outputs are untouched on failure. */

#include <stddef.h>

#include <pmix.h>

struct hwloc_bitmap_s;

/* Reads "hwloc:0-3,7" into *ret_cpuset, whose source and bitmap are then the caller's
 * (px_topo_cpuset_destruct). PMIX_ERR_BAD_PARAM: malformed or without a source;
 * PMIX_ERR_NOT_SUPPORTED: a source other than hwloc; PMIX_ERR_NOMEM. */
int px_topo_cpuset_parse(const char *string, pmix_cpuset_t *ret_cpuset);

/* Writes the cpuset as "hwloc:0-3,7"; *ret_string is the caller's to free(). PMIX_ERR_BAD_PARAM:
 * NULL or without a bitmap; PMIX_ERR_NOT_SUPPORTED: a source other than hwloc, or none;
 * PMIX_ERR_NOMEM. */
int px_topo_cpuset_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* The CPUs to which the calling thread (PMIX_CPUBIND_THREAD) or all threads of the process
 * (PMIX_CPUBIND_PROCESS) are bound; the result is the caller's (px_topo_cpuset_destruct).
 * PMIX_ERR_BAD_PARAM: another envelope, or ret_cpuset is NULL; PMIX_ERR_NOT_FOUND: the kernel does
 * not tell; PMIX_ERR_NOMEM. */
int px_topo_cpuset_get(pmix_bind_envelope_t envelope, pmix_cpuset_t *ret_cpuset);

/* Sets `bitmap` from such a list; on failure its content is undefined if hwloc rejects the text,
 * else unchanged. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
int px_topo_list_parse(const char *list, size_t len, struct hwloc_bitmap_s *bitmap);

#endif
