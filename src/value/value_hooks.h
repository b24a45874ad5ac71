/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_VALUE_HOOKS_H
#define PX_VALUE_VALUE_HOOKS_H

#include <pmix.h>

/* The operations on topologies and cpusets that only src/topo can do, because the structures hold
 * objects of hwloc. Set before the first context starts, constant afterwards. While they are NULL,
 * copies are refused with PMIX_ERR_NOT_SUPPORTED unless the object is empty, comparisons go by
 * source and pointer, and a release frees the source string only.
 *
 * copy: 0 or a negative status, and then the destination is untouched. release: everything that
 * the structure owns, but not the structure. size: bytes of what the structure owns. */
extern int (*px_value_topology_copy)(const pmix_topology_t *src, pmix_topology_t *ret_dst);
extern void (*px_value_topology_release)(pmix_topology_t *topo);
extern pmix_value_cmp_t (*px_value_topology_compare)(const pmix_topology_t *one,
                                                     const pmix_topology_t *two);
/* Bytes, without the structure itself, for PMIx_Value_get_size. */
extern size_t (*px_value_topology_size)(const pmix_topology_t *topo);

extern int (*px_value_cpuset_copy)(const pmix_cpuset_t *src, pmix_cpuset_t *ret_dst);
extern void (*px_value_cpuset_release)(pmix_cpuset_t *cpuset);
extern pmix_value_cmp_t (*px_value_cpuset_compare)(const pmix_cpuset_t *one,
                                                   const pmix_cpuset_t *two);
extern size_t (*px_value_cpuset_size)(const pmix_cpuset_t *cpuset);
/* Text for people, such as "hwloc:0-3", malloc'd and the caller's. 0 or a negative status. */
extern int (*px_value_cpuset_text)(const pmix_cpuset_t *cpuset, char **ret_text);

#endif
