/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PROC_VALUES_H
#define PX_GDS_PROC_VALUES_H

#include <stddef.h>

struct px_writer;

/* Process-level values of one key: into a column when enough ranks have one, else into
 * stage->items. */
int px_writer_procs(struct px_writer *writer, size_t key);

#endif
