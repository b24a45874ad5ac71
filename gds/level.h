/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_LEVEL_H
#define PX_GDS_LEVEL_H

#include "gds/slice.h"

/* One level, one key, no rules. 0, PMIX_ERR_NOT_FOUND, PMIX_ERR_EXISTS_OUTSIDE_SCOPE,
 * PMIX_ERR_UNPACK_FAILURE (damaged segment); *ret is of use only with 0. */
int px_store_find(const struct px_store *store, enum px_level level, uint32_t index,
                  const char *key, size_t key_len, struct px_slice *ret);

/* False when nobody has ever had a value under the key. */
bool px_store_has_key(const struct px_store *store, const char *key, size_t key_len);

int px_store_each(const struct px_store *store, enum px_level level, uint32_t index, px_each_fn fn,
                  void *arg);

#endif
