/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PROC_VALUES_H
#define PX_GDS_PROC_VALUES_H

/* The process-level values of a batch on their way into a segment. */

#include <stddef.h>

struct px_writer;

/* Writes the values of the batch's key with this number: into a column if enough ranks have one,
 * else into writer->items as pending records. Writer's thread. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, or the status of a value that cannot be encoded. */
int px_writer_procs(struct px_writer *writer, size_t key);

#endif
