/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_TOPO_H
#define PX_TOPO_TOPO_H

#include <pmix.h>

/* The machine, as hwloc sees it: this folder is the only user of hwloc. One topology per process,
 * loaded when somebody first asks and never before; everybody reads that one. All functions are
 * thread-safe; they return 0 or a negative PMIX_ERR_*, outputs are untouched on failure, and
 * strings handed out are the caller's to free().
 *
 * Where the topology comes from, first that answers: px_topo_adopt() (the host gave its own), the
 * parameter hwloc_topo_file, px_topo_set_provider() (a client: the server's XML out of its job
 * data), discovery. */

/* Asked once, under no lock of ours, when the topology is first needed: a malloc'd XML string that
 * px_topo takes, or NULL to go on with discovery. */
typedef char *(*px_topo_xml_fn)(void *arg);
void px_topo_set_provider(px_topo_xml_fn fn, void *arg);

/* Uses the host's loaded topology (source "hwloc" or "hwloc:<version>"; PMIX_TOPOLOGY2 of
 * PMIx_server_init). It is borrowed until px_topo_fini(). PMIX_ERR_NOT_SUPPORTED for another
 * source, PMIX_ERR_BAD_PARAM without topology, PMIX_ERR_EXISTS when one was loaded before. */
int px_topo_adopt(const pmix_topology_t *topo);

/* Forgets provider and topology (at the library's last finalize). Topologies handed out by
 * px_topo_load are dead then. */
void px_topo_fini(void);

/* PMIx_Load_topology: topo->source NULL or any case of "hwloc[:version]", else
 * PMIX_ERR_NOT_SUPPORTED. The result is read-only and shared: px_topo_destruct() on it frees the
 * source string only. */
int px_topo_load(pmix_topology_t *topo);

/* The topology as XML of hwloc 2 (PMIX_HWLOC_XML_V2, PMIX_LOCAL_TOPO), made once and kept until
 * px_topo_fini(). */
int px_topo_xml_peek(const char **ret_xml);

/* ---- cpusets; strings have the form "hwloc:0-3,7" */

/* PMIX_ERR_BAD_PARAM when malformed or without a source, PMIX_ERR_NOT_SUPPORTED for another source.
 * The bitmap is released by px_topo_cpuset_destruct(). */
int px_topo_cpuset_parse(const char *string, pmix_cpuset_t *ret_cpuset);
int px_topo_cpuset_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* Where the calling process or thread is bound. PMIX_ERR_NOT_FOUND when the system cannot tell. */
int px_topo_cpuset_get(pmix_bind_envelope_t envelope, pmix_cpuset_t *ret_cpuset);

/* ---- locality */

/* "hwloc:SK0:L30:L20:L10:CR0:HT0-1:NM0": per level, the numbers of the objects that the cpuset
 * touches. One that is unset or touches nothing gives NULL, with 0. */
int px_topo_locality_string(const pmix_cpuset_t *cpuset, char **ret_string);

/* What two processes of one node share: PMIX_LOCALITY_SHARE_NODE and each level at which both touch
 * one object. PMIX_ERR_BAD_PARAM when either is NULL or malformed, PMIX_ERR_NOT_SUPPORTED for a
 * source other than hwloc. Needs no topology. */
int px_topo_relative_locality(const char *one, const char *two, pmix_locality_t *ret_locality);

/* ---- memory */

/* Memory that a range of the caller's address space gets from now on comes from all NUMA nodes in
 * turn; what it has already stays. Takes a topology of this machine: PMIX_ERR_NOT_SUPPORTED for
 * another, or when the system cannot. */
int px_topo_interleave(void *at, size_t len);

/* ---- devices */

/* PMIx_Compute_distances: topo NULL or from px_topo_load, cpuset NULL for the caller's own. Of
 * info, PMIX_DEVICE_TYPE (pmix_device_type_t) and PMIX_DEVICE_ID (string) select; several add up.
 * The array and its strings are malloc'd. PMIX_ERR_NOT_FOUND when no device matches. */
int px_topo_distances(pmix_topology_t *topo, pmix_cpuset_t *cpuset, const pmix_info_t *info,
                      size_t ninfo, pmix_device_distance_t **ret_distances, size_t *ret_n);

/* ---- the value family's hooks: copies, releases, comparisons and text of the two opaque
 * structures */

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

/* Gives the functions above to src/value/value_hooks.h. Idempotent; called before the first context
 * starts. */
void px_topo_install_hooks(void);

#endif
