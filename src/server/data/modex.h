/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MODEX_H
#define PX_SERVER_MODEX_H

/* Direct modex, the end that asks: the host's direct_modex upcall for data of other nodes. Loop
 * thread. */

#include <stdint.h>

struct px_get;
struct px_server;

/* Lets the get wait for the host's data of its target (rank PMIX_RANK_WILDCARD: for the job's
 * information): puts it, by px_get.of_modex, among those that wait for one upcall. Gets for one
 * process that have the same directives share an upcall under way, those for a job's information
 * always; a get that renews data has one of its own. The answer ends the wait of these gets
 * (server_get.h), and looks at no others; the host may have given it when this returns. The
 * request of a get that begins an upcall counts until the host has answered. 0, PMIX_ERR_NOT_FOUND
 * (the host has no direct_modex) or PMIX_ERR_NOMEM; then the get waits for none. */
int px_modex_start(struct px_server *s, struct px_get *get, uint32_t rank);

/* The server stops, and no get waits any more. Upcalls under way end with px_upcalls_abandon. */
void px_modex_stop(struct px_server *s);

#endif
