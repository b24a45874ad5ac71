/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_LEVEL_H
#define PX_GDS_LEVEL_H

/* Reading a store by level and index, without the rules of PMIx_Get: what is stored there, and
 * nothing that follows from it. Any thread; where the store may be unmapped meanwhile, inside a
 * read-side critical section. */

#include "gds/slice.h"

/* Finds the unqualified value of a key at one level and index. *ret borrows from the store and is
 * set only with 0. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_EXISTS_OUTSIDE_SCOPE (the value is hidden),
 * PMIX_ERR_UNPACK_FAILURE (damaged segment). */
int px_store_find(const struct px_store *store, enum px_level level, uint32_t index,
                  const char *key, size_t key_len, struct px_slice *ret);

/* True, with the scope of the deletion, if the unqualified value of a rank under this key was
 * deleted here and nothing has been published in its place. A store that moves (struct
 * px_store_opts) forgets it with the generation. */
bool px_store_is_deleted(const struct px_store *store, uint32_t rank, const char *key,
                         size_t key_len, pmix_scope_t *ret_scope);

/* True if the segment knows the key. If false, nothing has ever been published under it, at any
 * level. */
bool px_store_has_key(const struct px_store *store, const char *key, size_t key_len);

/* Calls fn with each value at one level and index, as described at px_each_fn (gds/slice.h). 0,
 * what fn returned to stop, or PMIX_ERR_UNPACK_FAILURE (damaged segment). */
int px_store_each(const struct px_store *store, enum px_level level, uint32_t index, px_each_fn fn,
                  void *arg);

/* Where an enumeration goes on; of one generation of a store. Zeros: at its beginning. */
struct px_each_at {
    int stage;    /* of level.c */
    uint64_t loc; /* of the next record or column */
};

/* The same in parts: looks at the next n keys, and moves *at behind them. *ret_more, if 0 is
 * returned: there are others. A value that is published between two parts is passed once,
 * twice, or not at all. */
int px_store_each_part(const struct px_store *store, enum px_level level, uint32_t index,
                       struct px_each_at *at, size_t n, px_each_fn fn, void *arg, bool *ret_more);

#endif
