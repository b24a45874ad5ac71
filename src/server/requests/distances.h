/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_DISTANCES_H
#define PX_SERVER_DISTANCES_H

/* The request for distances to devices (PMIx_Compute_distances of a client). Loop thread. */

#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* Handler (px_handler) of the command: computes the distances from the client's topology and
 * cpuset and answers with status, count and distances. PMIX_ERR_NOT_SUPPORTED is answered for a
 * required directive that is not honoured. Returns 0, or the status of unpacking. */
int px_handle_distances(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

#endif
