/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_TOPO_H
#define PX_TOPO_TOPO_H

/* The topology of the machine, from hwloc; this folder is the only user of hwloc. One topology per
 * process, loaded at the first call that needs one and shared by all. The functions are
 * thread-safe; they return 0 or a negative PMIX_ERR_*, outputs are untouched on failure, and
 * strings handed out are the caller's to free().
 *
 * The first of these sources that gives a topology is taken: px_topo_adopt() (the host's own), the
 * parameter hwloc_topo_file, px_topo_set_provider() (in a client: the server's XML from the job
 * data), discovery by hwloc. If hwloc rejects the text of the file or of the provider, it
 * discovers. */

#include <stdbool.h>

#include <pmix.h>

struct hwloc_topology;

/* The source that our topologies and cpusets name. */
#define PX_TOPO_SOURCE "hwloc"

/* Returns a malloc'd XML string, which px_topo takes, or NULL to have discovery done. Called
 * without a lock of ours when the topology is first needed, by several threads at once if several
 * need it. `arg` is the one given with the function, and must stay valid until px_topo_fini(). */
typedef char *(*px_topo_xml_fn)(void *arg);

/* Sets the provider, in place of an earlier one. Without effect once a topology is loaded. */
void px_topo_set_provider(px_topo_xml_fn fn, void *arg);

/* Uses the host's loaded topology (source "hwloc" or "hwloc:<version>"; PMIX_TOPOLOGY2 of
 * PMIx_server_init). It is borrowed until px_topo_fini() and never destroyed here.
 * PMIX_ERR_NOT_SUPPORTED: another source, or built with another hwloc ABI; PMIX_ERR_BAD_PARAM: no
 * topology; PMIX_ERR_EXISTS: one was loaded before. */
int px_topo_adopt(const pmix_topology_t *topo);

/* Forgets provider and topology, at the library's last finalize. A topology that px_topo_load lent
 * to the application is not destroyed: it stays until the process ends, unless it is the host's. */
void px_topo_fini(void);

/* PMIx_Load_topology: gives the process's topology. topo->source is NULL (then set to a malloc'd
 * "hwloc"), "hwloc" or "hwloc:<version>" in any case. The topology is read-only and shared:
 * px_topo_destruct() on it frees the source string only. PMIX_ERR_NOT_SUPPORTED: another source;
 * PMIX_ERR_BAD_PARAM: topo is NULL; PMIX_ERR_NOMEM, and the errors of px_topo_machine. */
int px_topo_load(pmix_topology_t *topo);

/* The topology as XML of hwloc 2 (PMIX_HWLOC_XML_V2, PMIX_LOCAL_TOPO). Exported once; *ret_xml is
 * borrowed until px_topo_fini(). Errors of px_topo_machine and px_topo_export. */
int px_topo_xml_peek(const char **ret_xml);

/* The process's topology, loaded now if it was not. Borrowed until px_topo_fini(), read-only.
 * Errors are those of px_topo_build. Discovery takes tens of milliseconds. */
int px_topo_machine(struct hwloc_topology **ret_topo);

/* True for "hwloc" or "hwloc:<anything>", in any case. */
bool px_topo_is_ours(const char *source);

/* Makes a topology with our filters and flags; the caller destroys it by hwloc_topology_destroy().
 * At most one of `xml` and `synthetic` is set; with neither, hwloc discovers. here: it describes
 * this machine, so bindings by it have effect. PMIX_ERR_BAD_PARAM: hwloc rejects the text;
 * PMIX_ERR_NOT_SUPPORTED: it refuses the flags, or there is no library of hwloc here;
 * PMIX_ERR_NOMEM. */
int px_topo_build(const char *xml, const char *synthetic, bool here,
                  struct hwloc_topology **ret_topo);

/* The topology as a malloc'd XML string. PMIX_ERROR: hwloc failed; PMIX_ERR_NOMEM. */
int px_topo_export(struct hwloc_topology *topo, char **ret_xml);

/* True for a topology that belongs to this folder, now or from an earlier life of the library:
 * nobody else may destroy it. */
bool px_topo_is_lent(struct hwloc_topology *topo);

#endif
