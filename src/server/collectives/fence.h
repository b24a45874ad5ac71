/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_FENCE_H
#define PX_SERVER_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct px_in;
struct px_peer;
struct px_server;

/* Loop thread. */

int px_handle_fence(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

/* Whether the host waits for other nodes only when a fence carries something: as the parameter
 * shmix_fence_piece says, or as this process is one of Slurm's. */
bool px_fence_needs_data(void);

#endif
