/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_GARBAGE_H
#define PX_GDS_GARBAGE_H

/* The count of bytes that a publication replaces: what no reader of the new state can reach. It
 * ends up in the header's `dead`. */

#include <stddef.h>
#include <stdint.h>

struct px_column;
struct px_datum;
struct px_placement;
struct px_present;
struct px_writer;

/* Each adds to writer->dead; none can fail. Cell: what a reader finds now, the datum that takes its
 * place, and the record (locator, or 0) that leads to it. Column: an old column that a new one with
 * these values replaces. Placement: the old one, when a new one is written from scratch. Writer's
 * thread. */
void px_writer_count_garbage_cell(struct px_writer *writer, const struct px_present *present,
                                  const struct px_datum *datum, uint64_t record);
/* procs: the new values, of which those with a cell of their own in the old column become
 * garbage. */
void px_writer_count_garbage_column(struct px_writer *writer, const struct px_column *col,
                                    const struct px_datum *procs, size_t n_procs);
void px_writer_count_garbage_placement(struct px_writer *writer, const struct px_placement *place);

#endif
