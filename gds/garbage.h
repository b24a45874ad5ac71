/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GARBAGE_H
#define PX_GDS_GARBAGE_H

#include <stddef.h>
#include <stdint.h>

struct px_column;
struct px_datum;
struct px_placement;
struct px_slice;
struct px_writer;

/* Counts as dead a cell that is replaced, with what leads to it; a column, but for its cells; the
 * placement, when a new one is written from scratch. */
void px_writer_count_garbage_cell(struct px_writer *writer, const struct px_slice *now,
                                  uint64_t record);
void px_writer_count_garbage_column(struct px_writer *writer, const struct px_column *col,
                                    const struct px_datum *procs, size_t n_procs);
void px_writer_count_garbage_placement(struct px_writer *writer, const struct px_placement *place);

#endif
