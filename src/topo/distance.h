/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_DISTANCE_H
#define PX_TOPO_DISTANCE_H

#include <stddef.h>

#include <pmix.h>

/* PMIx_Compute_distances: topo NULL or from px_topo_load, cpuset NULL for the caller's own. Of
 * info, PMIX_DEVICE_TYPE (pmix_device_type_t) and PMIX_DEVICE_ID (string) select; several add up.
 * The array and its strings are malloc'd. PMIX_ERR_NOT_FOUND when no device matches. */
int px_topo_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset, const pmix_info_t *info,
                      size_t ninfo, pmix_device_distance_t **ret_distances, size_t *ret_n);

#endif
