/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_PUBLICATION_H
#define PX_GDS_PUBLICATION_H

/* Publishing a batch, and what the files that write its objects need for that: words to be stored
 * at the end. */

#include <stdint.h>

struct px_batch;
struct px_key;
struct px_store;
struct px_writer;

/* Publishes a batch in a writer's store: readers see all of it or nothing. A later entry of the
 * batch wins over an earlier one, a new value replaces the one that is there, and equal values
 * change nothing. May move the store to a larger generation. The batch is only read. Writer's
 * thread. After any failure readers see what they saw before. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_UNKNOWN_DATA_TYPE (a value that cannot be stored),
 * PMIX_ERR_BAD_PARAM (a reader's store, or a placement that does not fit). */
int px_store_publish(struct px_store *store, const struct px_batch *batch);

/* Registers a store to a word, to be done when nothing can fail any more. `at` points into the
 * segment. 0, PMIX_ERR_NOMEM. */
int px_writer_word(struct px_writer *writer, const uint64_t *at, uint64_t value);

/* Notes that the key has a value for this rank, if it is the first one. 0, PMIX_ERR_NOMEM. */
int px_writer_any_rank_hint(struct px_writer *writer, const struct px_key *key, uint32_t rank);

#endif
