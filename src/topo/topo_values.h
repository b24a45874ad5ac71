/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_VALUES_H
#define PX_TOPO_VALUES_H

/* Operations of the value family on its two opaque structures, pmix_topology_t and pmix_cpuset_t:
 * copy, release, comparison, size, and for the wire the topology's text. Any thread. Copies belong
 * to the caller; outputs are untouched on failure. The hooks of the value family
 * (src/value/value_hooks.h) take both structures as pointers to void, and so do these functions.
 * Arguments are not NULL unless said otherwise. */

#include <stddef.h>

#include <pmix.h>

/* A deep copy, without topology if src has none; released by px_topo_destruct.
 * PMIX_ERR_NOT_SUPPORTED: a source other than hwloc, or none; PMIX_ERR_NOMEM. */
int px_topo_copy(const void *src, void *ret_dst);

/* Frees the source, and the topology if it is of hwloc and not one lent by px_topo_load; empties
 * the structure. Takes NULL. */
void px_topo_destruct(void *topo);

/* PMIX_EQUAL for the same hardware, else the order of the XML texts.
 * PMIX_VALUE_COMPARISON_NOT_AVAIL: one cannot be exported. */
pmix_value_cmp_t px_topo_compare(const void *one, const void *two);

/* The topology as a malloc'd XML string. PMIX_ERR_BAD_PARAM: there is none; PMIX_ERR_NOT_SUPPORTED:
 * a source other than hwloc, or none; else as px_topo_export. */
int px_topo_to_xml(const pmix_topology_t *topo, char **ret_xml);

/* A topology from XML, with source "hwloc", not taken for this machine; released by
 * px_topo_destruct. Errors of px_topo_build. */
int px_topo_from_xml(const char *xml, pmix_topology_t *ret_topo);

/* Length of the topology's XML text in bytes, as a measure of its size; 0 if it cannot be
 * exported. */
size_t px_topo_size(const void *topo);

/* For people: the machine and how many packages, cores and processing units it has, malloc'd.
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOT_SUPPORTED as px_topo_to_xml; PMIX_ERR_NOMEM. */
int px_topo_text(const void *topo, char **ret_text);

/* hwloc's flags for what discovery and binding can do on the topology's system: three structures of
 * the hwloc that we were built with, in a row, as peers append them to the XML. px_topo_support
 * writes px_topo_support_size() bytes; `topo` must hold a topology. */
size_t px_topo_support_size(void);
void px_topo_support(const pmix_topology_t *topo, void *ret_bytes);

/* A deep copy, without bitmap if src has none; released by px_topo_cpuset_destruct.
 * PMIX_ERR_NOT_SUPPORTED: a source other than hwloc, or none; PMIX_ERR_NOMEM. */
int px_topo_cpuset_copy(const void *src, void *ret_dst);

/* Frees the source, and the bitmap if the source is hwloc; empties the structure. Takes NULL. */
void px_topo_cpuset_destruct(void *cpuset);

/* The order of hwloc_bitmap_compare; a cpuset without bitmap is the smaller one. */
pmix_value_cmp_t px_topo_cpuset_compare(const void *one, const void *two);

/* Bytes of the bitmap; 0 if there is none or it is infinite. */
size_t px_topo_cpuset_size(const void *cpuset);

#endif
