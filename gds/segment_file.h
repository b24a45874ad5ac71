/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_SEGMENT_FILE_H
#define PX_GDS_SEGMENT_FILE_H

/* Segments as files, for tools and tests: the bytes of a segment up to its header's `used`. */

#include "gds/store.h"

/* Makes a store over a private copy of the bytes, which can be read but not published to. The
 * caller destroys it. 0, PMIX_ERR_NOMEM, PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_NOT_SUPPORTED (another
 * format), PMIX_ERR_UNPACK_FAILURE (damaged, or shorter than it says). */
int px_store_load(const void *bytes, size_t len, struct px_store **ret);

/* Copies the bytes of a store that another process may be publishing to, in a state that its
 * readers may see: whole publications, and perhaps a part of one that has not ended. The caller
 * frees *ret. Any thread. 0, PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_RESOURCE_BUSY (it
 * grew during each of 100 attempts). */
int px_store_save(const struct px_store *store, void **ret, size_t *ret_len);

#endif
