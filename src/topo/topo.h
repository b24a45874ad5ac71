/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_TOPO_H
#define PX_TOPO_TOPO_H

#include <stdbool.h>

#include <pmix.h>

struct hwloc_topology;

/* The machine, as hwloc sees it: this folder is the only user of hwloc. One topology per process,
 * loaded when somebody first asks and never before; everybody reads that one. All functions are
 * thread-safe; they return 0 or a negative PMIX_ERR_*, outputs are untouched on failure, and
 * strings handed out are the caller's to free().
 *
 * Where the topology comes from, first that answers: px_topo_adopt() (the host gave its own), the
 * parameter hwloc_topo_file, px_topo_set_provider() (a client: the server's XML out of its job
 * data), discovery. */

/* What our topologies and cpusets name as their source. */
#define PX_TOPO_SOURCE "hwloc"

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

/* ---- locality */

/* ---- memory */

/* ---- devices */

/* ---- the value family's hooks: copies, releases, comparisons and text of the two opaque
 * structures */

/* The process's topology, loaded now if it was not; valid until px_topo_fini(). 0 or a negative
 * PMIX_ERR_*. */
int px_topo_machine(struct hwloc_topology **ret_topo);

/* "hwloc" or "hwloc:<anything>", in any case. */
bool px_topo_is_ours(const char *source);

/* A new topology with our filters and flags; destroyed by hwloc_topology_destroy(). At most one of
 * `xml` and `synthetic` is set; neither: discovery. here: it describes this machine. */
int px_topo_build(const char *xml, const char *synthetic, bool here,
                  struct hwloc_topology **ret_topo);

/* The topology as a malloc'd XML string. */
int px_topo_export(struct hwloc_topology *topo, char **ret_xml);

/* True for a topology that this folder lends out and nobody else may destroy. */
bool px_topo_is_lent(struct hwloc_topology *topo);

#endif
