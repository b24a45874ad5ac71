/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_HWLOC_LIB_H
#define PX_TOPO_HWLOC_LIB_H

/* hwloc, opened when a topology is first asked for: most processes never ask, and loading it takes
 * longer than all else before their main. The door of hwloc: its header is included here, with the
 * functions that we use under names of ours, as hwloc's own rename.h does for embedded copies; they
 * pass their arguments on. A function that is missing here is an undefined symbol when a program is
 * linked. */

#include <stdbool.h>

#define hwloc_bitmap_alloc                 px_hwloc_bitmap_alloc
#define hwloc_bitmap_compare               px_hwloc_bitmap_compare
#define hwloc_bitmap_dup                   px_hwloc_bitmap_dup
#define hwloc_bitmap_free                  px_hwloc_bitmap_free
#define hwloc_bitmap_intersects            px_hwloc_bitmap_intersects
#define hwloc_bitmap_isset                 px_hwloc_bitmap_isset
#define hwloc_bitmap_iszero                px_hwloc_bitmap_iszero
#define hwloc_bitmap_list_asprintf         px_hwloc_bitmap_list_asprintf
#define hwloc_bitmap_list_sscanf           px_hwloc_bitmap_list_sscanf
#define hwloc_bitmap_nr_ulongs             px_hwloc_bitmap_nr_ulongs
#define hwloc_bitmap_set                   px_hwloc_bitmap_set
#define hwloc_bitmap_zero                  px_hwloc_bitmap_zero
#define hwloc_free_xmlbuffer               px_hwloc_free_xmlbuffer
#define hwloc_get_nbobjs_by_depth          px_hwloc_get_nbobjs_by_depth
#define hwloc_get_obj_by_depth             px_hwloc_get_obj_by_depth
#define hwloc_get_type_depth               px_hwloc_get_type_depth
#define hwloc_set_area_membind             px_hwloc_set_area_membind
#define hwloc_topology_abi_check           px_hwloc_topology_abi_check
#define hwloc_topology_destroy             px_hwloc_topology_destroy
#define hwloc_topology_diff_build          px_hwloc_topology_diff_build
#define hwloc_topology_diff_destroy        px_hwloc_topology_diff_destroy
#define hwloc_topology_dup                 px_hwloc_topology_dup
#define hwloc_topology_export_xmlbuffer    px_hwloc_topology_export_xmlbuffer
#define hwloc_topology_get_allowed_nodeset px_hwloc_topology_get_allowed_nodeset
#define hwloc_topology_get_support         px_hwloc_topology_get_support
#define hwloc_topology_init                px_hwloc_topology_init
#define hwloc_topology_is_thissystem       px_hwloc_topology_is_thissystem
#define hwloc_topology_load                px_hwloc_topology_load
#define hwloc_topology_refresh             px_hwloc_topology_refresh
#define hwloc_topology_set_components      px_hwloc_topology_set_components
#define hwloc_topology_set_flags           px_hwloc_topology_set_flags
#define hwloc_topology_set_io_types_filter px_hwloc_topology_set_io_types_filter
#define hwloc_topology_set_synthetic       px_hwloc_topology_set_synthetic
#define hwloc_topology_set_xmlbuffer       px_hwloc_topology_set_xmlbuffer

#include <hwloc.h>
#include <hwloc/diff.h>
#include <hwloc/export.h>

/* Opens hwloc, once; it stays open, since the program may keep what it made. False: it is not
 * installed, or another one; then each function above fails. Any thread. */
bool px_hwloc_open(void);

#endif
