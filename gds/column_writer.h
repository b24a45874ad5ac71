/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COLUMN_WRITER_H
#define PX_GDS_COLUMN_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct px_datum;
struct px_writer;

/* Writes a column with these values (at least two, ascending by rank, all of them news), and what
 * the key has already, for ranks below n. */
int px_writer_column(struct px_writer *writer, uint64_t key, const struct px_datum *procs,
                     size_t n_procs, uint32_t n);

#endif
