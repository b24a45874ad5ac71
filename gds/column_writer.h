/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COLUMN_WRITER_H
#define PX_GDS_COLUMN_WRITER_H

/* Writing one column: values of one key for ranks 0 to n - 1. */

#include <stddef.h>
#include <stdint.h>

struct px_datum;
struct px_writer;

/* Writes a column with these values (at least one; ascending by rank, all different from what the
 * store has) and with what the key has already for ranks below n. Becomes visible with the writer's
 * publication. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, or the status of a value that cannot be
 * encoded; the caller then rolls the publication back. */
int px_writer_column(struct px_writer *writer, uint64_t key, const struct px_datum *procs,
                     size_t n_procs, uint32_t n);

#endif
