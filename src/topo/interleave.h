/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_INTERLEAVE_H
#define PX_TOPO_INTERLEAVE_H

#include <stddef.h>

/* Sets the memory policy of a range of the caller's address space: pages that it gets from now on
 * are taken from all NUMA nodes in turn. Pages that it has already stay where they are. Any thread.
 * PMIX_ERR_NOT_SUPPORTED: the topology is another machine's, or the kernel refuses; also the errors
 * of px_topo_machine. */
int px_topo_interleave(void *at, size_t len);

#endif
