/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_COMPACT_H
#define PX_GDS_COMPACT_H

#include "gds/state.h"

/* Publishes in `to`, which is empty and which nobody reads yet, what a reader of `from` finds: the
 * newest versions and nothing else. Node indices, the sequence (it goes on from there) and the
 * flags are kept. The writer's thread. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE,
 * PMIX_ERR_UNPACK_FAILURE: `to` is of no use. Cost: what is live, and 56 bytes of memory for each
 * rank of the largest column. */
int px_compact_copy(const struct px_store *from, struct px_store *to);

#endif
