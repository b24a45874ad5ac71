/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_GDS_SEGMENT_FILE_H
#define PX_GDS_SEGMENT_FILE_H

#include "gds/store.h"

/* Segments as files, for tools: the bytes of a segment up to its header's `used`. */

/* A store over a private copy of the bytes; it can be read, not published to. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, PMIX_ERR_NOT_SUPPORTED (another format), PMIX_ERR_UNPACK_FAILURE
 * (damaged, or shorter than it says). */
int px_store_load(const void *bytes, size_t len, struct px_store **ret);

/* The bytes of a store that another process may be writing to, as its readers may see them at one
 * moment: whole publications, and perhaps one that has not ended. The caller frees them. 0,
 * PMIX_ERR_NOMEM, PMIX_ERR_UNPACK_FAILURE, PMIX_ERR_RESOURCE_BUSY (it changes all the time). */
int px_store_save(const struct px_store *store, void **ret, size_t *ret_len);

#endif
