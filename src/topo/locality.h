/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_LOCALITY_H
#define PX_TOPO_LOCALITY_H

/* Locality strings and their comparison: what PMIx_server_generate_locality_string and
 * PMIx_Get_relative_locality return (Standard, chapter Process Management). Any thread; outputs are
 * untouched on failure. */

#include <pmix.h>

/* The locality string of a cpuset on this machine, such as "hwloc:SK0:L30:L20:L10:CR0:HT0-1:NM0":
 * per level, the logical numbers of the objects that the cpuset touches. *ret_string is the
 * caller's to free(); NULL, with 0, for a cpuset without bitmap or one that touches nothing.
 * PMIX_ERR_BAD_PARAM: a NULL argument; PMIX_ERR_NOT_SUPPORTED: a source other than hwloc, or none;
 * PMIX_ERR_NOMEM, and the errors of px_topo_machine. */
int px_topo_locality_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* What two processes of one node share, from their locality strings: PMIX_LOCALITY_SHARE_NODE and
 * the bit of each level at which both touch one object. Needs no topology. PMIX_ERR_BAD_PARAM: a
 * NULL argument, or malformed; PMIX_ERR_NOT_SUPPORTED: a source other than hwloc;
 * PMIX_ERR_NOMEM. */
int px_topo_relative_locality(const char *one, const char *two, pmix_locality_t *ret_locality);

#endif
