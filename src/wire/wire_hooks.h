/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The codec's hooks for cpusets and topologies. src/wire does not depend on hwloc; src/topo, which
 * does, fills them. */
#ifndef PX_WIRE_WIRE_HOOKS_H
#define PX_WIRE_WIRE_HOOKS_H

#include <pmix_common.h>

/* Source name in front of the list of CPUs in the text of a cpuset. */
#define PX_CPUSET_SOURCE "hwloc:"

/* How to encode and decode cpusets and topologies; functions of src/topo. Set once, before the
 * first message, constant afterwards. While they are NULL, a bound cpuset and any topology are
 * refused with PMIX_ERR_NOT_SUPPORTED in both directions. Texts are malloc'd and the caller's; the
 * functions return 0 or a negative status, outputs unset then. */
struct px_wire_hooks {
    int (*cpuset_text)(const pmix_cpuset_t *cpuset, char **ret_text); /* "hwloc:0-3,7", malloc'd */
    int (*cpuset_parse)(const char *text, pmix_cpuset_t *ret_cpuset);
    int (*topo_text)(const pmix_topology_t *topo, char **ret_xml);
    int (*topo_parse)(const char *xml, pmix_topology_t *ret_topo);
    /* Together, the bytes of the three structures of hwloc that peers send after the XML of a
     * topology: what the machine supports. topo_support fills them; when it is NULL they are
     * zeros. */
    size_t topo_support_size;
    void (*topo_support)(const pmix_topology_t *topo, void *ret_bytes);
};

extern struct px_wire_hooks px_wire_hooks;

#endif
