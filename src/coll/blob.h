/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_COLL_BLOB_H
#define PX_COLL_BLOB_H

#include "src/base/buf.h"
#include "src/wire/codec.h"

/* What servers of one job give each other through the host: pieces that any host may concatenate in any order.
 * A piece is the magic "PXF1", its length (8 bytes, little endian), and for each process PROC and BYTE_OBJECT (the
 * KVALs that it posted for other nodes), all in the plain encoding. */

/* Starts a piece at the end of buf; *ret_mark is for px_blob_end. */
void px_blob_begin(struct px_buf *buf, size_t *ret_mark);
int px_blob_add(struct px_buf *buf, const pmix_proc_t *proc, const void *kvals, size_t len);
void px_blob_end(struct px_buf *buf, size_t mark);

/* Calls fn for every process of every piece; kvals is borrowed. Stops at the first that fn refuses and returns what
 * it said. PMIX_ERR_UNPACK_FAILURE when the bytes are not such pieces. */
typedef int (*px_blob_fn)(void *arg, const pmix_proc_t *proc, struct px_in kvals);
int px_blob_each(const void *bytes, size_t len, px_blob_fn fn, void *arg);

#endif
