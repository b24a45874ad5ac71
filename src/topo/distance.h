/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_DISTANCE_H
#define PX_TOPO_DISTANCE_H

/* Distances of devices from the CPUs of a process: PMIx_Compute_distances in client and server. */

#include <stddef.h>

#include <pmix.h>

/* The distance of each device from the CPUs of `cpuset` (NULL or without bitmap: those of the
 * calling process) in `topo` (NULL or without topology: this machine's). In info, PMIX_DEVICE_TYPE
 * (pmix_device_type_t) and PMIX_DEVICE_ID (string) restrict the devices; several of a kind add up.
 * Other keys are ignored.
 *
 * Arguments are borrowed. The array and its strings are malloc'd and the caller's
 * (PMIx_Device_distance_free). Any thread. PMIX_ERR_NOT_FOUND: no device matches;
 * PMIX_ERR_TYPE_MISMATCH: a value of another type; PMIX_ERR_NOT_SUPPORTED: topo or cpuset of a
 * source other than hwloc; PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, and the errors of px_topo_machine
 * and px_topo_cpuset_get. (Standard, chapter Process Management.) */
int px_topo_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset, const pmix_info_t *info,
                      size_t ninfo, pmix_device_distance_t **ret_distances, size_t *ret_n);

#endif
