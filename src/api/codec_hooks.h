/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_CODEC_HOOKS_H
#define PX_API_CODEC_HOOKS_H

/* The connection between two layers that do not know each other: values and the codec (src/value,
 * src/wire) on one side, the topology (src/topo), which alone uses hwloc, on the other. */

/* Lets values and the codec copy, pack and print cpusets and topologies. Runs when the shared
 * library is loaded; programs that link its objects call it themselves. Idempotent. */
void px_codec_hooks_install(void);

#endif
