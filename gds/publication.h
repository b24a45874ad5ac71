/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PUBLICATION_H
#define PX_GDS_PUBLICATION_H

#include <stdbool.h>
#include <stdint.h>

struct px_batch;
struct px_datum;
struct px_key;
struct px_slice;
struct px_store;
struct px_writer;

/* Plans exactly, reserves memory, writes, publishes with one release store, bumps the sequence. A
 * key that is there already is replaced; later entries of a batch win over earlier ones. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE (the store is as before), PMIX_ERR_UNKNOWN_DATA_TYPE. */
int px_store_publish(struct px_store *store, const struct px_batch *batch);

/* A word to be stored at publication. 0 or PMIX_ERR_NOMEM. */
int px_writer_word(struct px_writer *writer, const uint64_t *at, uint64_t value);

/* A process-level value exists under this key from now on. */
int px_writer_any_rank_hint(struct px_writer *writer, const struct px_key *key, uint32_t rank);

/* Whether a value would change nothing. 0 with *ret_same, or an encoding error. */
int px_writer_same(struct px_writer *writer, const struct px_slice *now,
                   const struct px_datum *datum, bool *ret_same);

#endif
