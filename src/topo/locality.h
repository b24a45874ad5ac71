/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_LOCALITY_H
#define PX_TOPO_LOCALITY_H

#include <pmix.h>

/* "hwloc:SK0:L30:L20:L10:CR0:HT0-1:NM0": per level, the numbers of the objects that the cpuset
 * touches. One that is unset or touches nothing gives NULL, with 0. */
int px_topo_locality_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* What two processes of one node share: PMIX_LOCALITY_SHARE_NODE and each level at which both touch
 * one object. PMIX_ERR_BAD_PARAM when either is NULL or malformed, PMIX_ERR_NOT_SUPPORTED for a
 * source other than hwloc. Needs no topology. */
int px_topo_relative_locality(const char *one, const char *two, pmix_locality_t *ret_locality);

#endif
