/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_CODEC_HOOKS_H
#define PX_API_CODEC_HOOKS_H

/* Lets values and the codec look into cpusets and topologies. The shared library calls it when it
 * is loaded; programs that link objects of it must call it themselves. Idempotent. */
void px_codec_hooks_install(void);

#endif
