/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PSET_H
#define PX_SERVER_PSET_H

/* Process sets that the host defines (PMIx_server_define_process_set), and the removal of sets
 * whose processes are gone. Loop thread. */

#include "src/server/state.h"

struct px_server;

/* The arguments of the two functions below, borrowed until they return. A deletion uses the name
 * only. */
struct px_pset_args {
    const char *name;
    const pmix_proc_t *members;
    size_t n;
};

/* For px_server_run: defines a process set and raises PMIX_PROCESS_SET_DEFINE. PMIX_SUCCESS,
 * PMIX_ERR_EXISTS, PMIX_ERR_NOMEM, or the status of raising the event. */
int px_pset_define(struct px_server *s, void *args);
/* For px_server_run: deletes a process set and raises PMIX_PROCESS_SET_DELETE. PMIX_SUCCESS,
 * PMIX_ERR_NOT_FOUND, PMIX_ERR_NOMEM, or the status of raising the event. */
int px_pset_delete(struct px_server *s, void *args);

/* A namespace was removed: removes groups and connected sets of which no namespace is left.
 * Process sets stay until the host deletes them. */
void px_proc_sets_nspace_removed(struct px_server *s);

#endif
