/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_KEYS_H
#define PX_SERVER_SERVER_KEYS_H

/* Directives of collectives that servers and hosts give each other. They speak of other processes
 * than the caller, so a caller's own are dropped. Loop thread. */

struct px_coll_args;

/* Drops from a caller's directives those that only servers give. 0; PMIX_ERR_NOT_SUPPORTED: one of
 * them is required (PMIX_INFO_REQD), and no host honours it for a client. */
int px_server_keys_drop(struct px_coll_args *args);

#endif
