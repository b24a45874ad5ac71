/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOPO_INTERLEAVE_H
#define PX_TOPO_INTERLEAVE_H

#include <stddef.h>

/* Memory that a range of the caller's address space gets from now on comes from all NUMA nodes in
 * turn; what it has already stays. Takes a topology of this machine: PMIX_ERR_NOT_SUPPORTED for
 * another, or when the system cannot. */
int px_topo_interleave(void *at, size_t len);

#endif
