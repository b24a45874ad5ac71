/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The NUMA placement of segments. A policy on a shared mapping belongs to the object behind it (the
 * memfd), so the policy that the one writer sets holds for the pages that all readers map. */

#include "hwloc_lib.h"
#include "interleave.h"

#include "topo.h"

int px_topo_interleave(void *at, size_t len)
{
    hwloc_topology_t topo;
    int rc = px_topo_machine(&topo);

    if (rc != 0) {
        return rc;
    }
    if (!hwloc_topology_is_thissystem(topo) || /* hwloc would succeed without effect */
        hwloc_set_area_membind(topo, at, len, hwloc_topology_get_allowed_nodeset(topo),
                               HWLOC_MEMBIND_INTERLEAVE, HWLOC_MEMBIND_BYNODESET) != 0) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    return 0;
}
