/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef TEST_UNIT_TOPO_USE_H
#define TEST_UNIT_TOPO_USE_H

#include <hwloc.h>
#include "src/topo/topo.h"

/* Makes the process's topology from XML or from a synthetic description. It stays the test's: kept
 * until the program ends. PMIX_ERR_BAD_PARAM: it does not parse; PMIX_ERR_EXISTS: there is one. */
static inline int use_topology(const char *xml, const char *synthetic)
{
    static hwloc_topology_t kept[8];
    static size_t n;
    pmix_topology_t topo = {.source = (char *) (uintptr_t) PX_TOPO_SOURCE};
    int rc = px_topo_build(xml, synthetic, xml != NULL, &kept[n]);

    if (rc == 0) {
        topo.topology = kept[n];
        rc = px_topo_adopt(&topo);
        if (rc != 0) {
            hwloc_topology_destroy(kept[n]);
        } else {
            n++;
        }
    }
    return rc;
}

static inline int use_synthetic(const char *description)
{
    return use_topology(NULL, description);
}

#endif
