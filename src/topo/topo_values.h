/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_VALUES_H
#define PX_TOPO_VALUES_H

#include <stddef.h>

#include <pmix.h>

int px_topo_copy(const pmix_topology_t *src, pmix_topology_t *ret_dst);
void px_topo_destruct(pmix_topology_t *topo);
pmix_value_cmp_t px_topo_compare(const pmix_topology_t *one, const pmix_topology_t *two);
int px_topo_to_xml(const pmix_topology_t *topo, char **ret_xml);
int px_topo_from_xml(const char *xml, pmix_topology_t *ret_topo);
size_t px_topo_size(const pmix_topology_t *topo);

/* What hwloc says of the system that a topology comes from: three structures of the hwloc that we
 * were built with, in a row, as peers append them to the XML. ret_bytes has room for
 * px_topo_support_size(). */
size_t px_topo_support_size(void);
void px_topo_support(const pmix_topology_t *topo, void *ret_bytes);

int px_topo_cpuset_copy(const pmix_cpuset_t *src, pmix_cpuset_t *ret_dst);
void px_topo_cpuset_destruct(pmix_cpuset_t *cpuset);
pmix_value_cmp_t px_topo_cpuset_compare(const pmix_cpuset_t *one, const pmix_cpuset_t *two);
size_t px_topo_cpuset_size(const pmix_cpuset_t *cpuset);

#endif
