/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_COMPRESS_H
#define PX_WIRE_COMPRESS_H

#include <stddef.h>

#include <pmix_common.h>

/* Compressed bytes as peers send them: 4 bytes with the original length, in the host's order, then
 * a zlib stream. This folder is the only user of zlib. Any thread. */

enum { PX_INFLATE_MAX = 1 << 28 }; /* original bytes; more is refused */

/* Makes the original bytes anew, with a NUL after them that is not counted. The result is malloc'd.
 * PMIX_ERR_UNPACK_FAILURE: not such bytes, or not of the length they declare; PMIX_ERR_NOMEM. */
int px_inflate(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* The same for a zlib stream without the length, as old maps have it. */
int px_inflate_stream(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* The opposite. PMIX_ERR_NOT_SUPPORTED when nothing would be gained, or there is too much. */
int px_deflate(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* Turns a value of type PMIX_COMPRESSED_STRING into PMIX_STRING and PMIX_COMPRESSED_BYTE_OBJECT
 * into PMIX_BYTE_OBJECT, in place; also those inside arrays of values and infos. Others are left
 * alone. On failure (as px_inflate) the value is as it was, except that some members of an array
 * may be plain already. */
int px_inflate_value(pmix_value_t *value);

#endif
