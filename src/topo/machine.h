/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_MACHINE_H
#define PX_TOPO_MACHINE_H

#include <hwloc.h>
#include <stdbool.h>

/* Inside src/topo only: what its files share. */

#define PX_TOPO_SOURCE "hwloc"

/* The process's topology, loaded now if it was not; valid until px_topo_fini(). 0 or a negative
 * PMIX_ERR_*. */
int px_topo_machine(hwloc_topology_t *ret_topo);

/* "hwloc" or "hwloc:<anything>", in any case. */
bool px_topo_is_ours(const char *source);

/* A list such as "0-3,7" or "" or, at the end only, "4-": digits bounded, so that hwloc's parser
 * cannot be made to allocate much. len bytes, which need no terminator. */
bool px_topo_list_is_sane(const char *list, size_t len);

/* Sets `bitmap` from a sane list. 0, PMIX_ERR_BAD_PARAM or PMIX_ERR_NOMEM. */
int px_topo_list_parse(const char *list, size_t len, hwloc_bitmap_t bitmap);

/* A new topology with our filters and flags; destroyed by hwloc_topology_destroy(). At most one of
 * `xml` and `synthetic` is set; neither: discovery. here: it describes this machine. */
int px_topo_build(const char *xml, const char *synthetic, bool here, hwloc_topology_t *ret_topo);

/* The topology as a malloc'd XML string. */
int px_topo_export(hwloc_topology_t topo, char **ret_xml);

/* True for a topology that this folder lends out and nobody else may destroy. */
bool px_topo_is_lent(hwloc_topology_t topo);

#endif
