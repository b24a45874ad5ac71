/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_FENCE_H
#define PX_SERVER_FENCE_H

/* Fences (PMIx_Fence): a barrier of processes, with an exchange of committed data if asked for
 * (PMIX_COLLECT_DATA). Loop thread, except px_fence_needs_data. */

#include <stdbool.h>
#include <stdint.h>

struct px_coll_ops;

/* The table of the operation. */
extern const struct px_coll_ops px_fence_ops;

/* True if the host's fence waits for other nodes only when it carries data: by the parameter
 * shmix_fence_piece, or because this process is a slurmstepd (docs/decisions/0016). Any thread. */
bool px_fence_needs_data(void);

#endif
