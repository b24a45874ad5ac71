/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_HOOKS_H
#define PX_WIRE_HOOKS_H

#include <pmix_common.h>

/* What the codec needs to know of cpusets and topologies, which only the topology layer can open. Set once, before
 * the first message (the public entry points do it), constant afterwards. Without them a cpuset that is bound, and
 * any topology, is refused with PMIX_ERR_NOT_SUPPORTED in both directions. */
struct px_wire_hooks {
    /* The set in list form ("0-3,7"), malloc'd. Not called for an unbound set. */
    int (*cpuset_text)(const pmix_cpuset_t *cpuset, char **ret_text);
    /* The opposite; NULL text never comes here. */
    int (*cpuset_parse)(const char *text, pmix_cpuset_t *ret_cpuset);
    /* Releases what a set from cpuset_parse owns. */
    void (*cpuset_release)(pmix_cpuset_t *cpuset);
    int (*topo_text)(const pmix_topology_t *topo, char **ret_xml);
    int (*topo_parse)(const char *xml, pmix_topology_t *ret_topo);
    void (*topo_release)(pmix_topology_t *topo);
    /* Sum of the sizes of the three support structures that peers append to the XML of a topology, filled by
     * topo_support (which may be NULL: zeros). */
    size_t topo_support_size;
    void (*topo_support)(const pmix_topology_t *topo, void *ret_bytes);
};

extern struct px_wire_hooks px_wire_hooks;

#endif
