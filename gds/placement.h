/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PLACEMENT_H
#define PX_GDS_PLACEMENT_H

struct px_writer;

/* Writes the placement when the batch says something about it. */
int px_writer_placement(struct px_writer *writer);

#endif
