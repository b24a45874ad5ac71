/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PLACEMENT_H
#define PX_GDS_PLACEMENT_H

/* Writing the placement of a store, as a step of a publication. */

struct px_writer;

/* Writes a new placement if the batch says something about nodes or ranks. Becomes visible with the
 * writer's publication. Writer's thread. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_BAD_PARAM (an index that does not exist, ranks too far apart, or a batch that another
 * one has overtaken). */
int px_writer_placement(struct px_writer *writer);

#endif
