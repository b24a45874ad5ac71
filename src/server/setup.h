/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SETUP_H
#define PX_SERVER_SETUP_H

/* What the host has to give to the processes that it starts: their environment, and settings
 * shipped to other nodes. */

#include <stddef.h>

#include <pmix_server.h>

struct px_server;

/* Arguments of PMIx_server_setup_fork: the process to be started, and its environment, which is
 * extended in place. */
struct px_fork_args {
    const pmix_proc_t *proc;
    char ***env;
};

/* PMIx_server_setup_local_support; args: struct px_nspace_args. Keeps a copy of the infos, in place
 * of an earlier one, for the environments of the namespace's processes. Loop thread. 0 or
 * PMIX_ERR_NOMEM. */
int px_local_support(struct px_server *s, void *args);

/* PMIx_server_setup_fork; args: struct px_fork_args. Sets the variables by which the process finds
 * this server; PMIX_SHMIX_INHERIT only where the host has set it to "ask" (peers/inherited.h). The
 * namespace need not be registered. Loop thread, or a forked child. 0 or the status of PMIx_Setenv.
 */
int px_setup_fork(struct px_server *s, void *args);

/* PMIx_server_setup_application: the infos that the host should ship with the application, a new
 * array, the caller's; NULL and 0 for none. Any thread. 0, PMIX_ERR_NOMEM, or PMIX_ERR_BAD_PARAM (a
 * directive of a wrong type). */
int px_setup_application(const pmix_info_t *info, size_t ninfo, pmix_info_t **ret, size_t *ret_n);

#endif
