/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_COMPRESS_H
#define PX_WIRE_COMPRESS_H

#include <stddef.h>

#include <pmix_common.h>

/* Compressed bytes as peers send them: 4 bytes with the original length, in the byte order of the
 * host, then a zlib stream. compress.c is the only user of zlib (zlib_lib.h). Sizes that a peer
 * claims are bounded before memory is allocated. Any thread. */

/* Limit of the original length, and of the compressed length; more is refused. */
enum { PX_INFLATE_MAX = 1 << 28 };

/* Decompresses len bytes into malloc'd memory, which the caller frees. A NUL that *ret_len does
 * not count follows the data. 0, PMIX_ERR_UNPACK_FAILURE (not in this format, or the stream does
 * not give exactly the declared length), PMIX_ERR_NOMEM, PMIX_ERR_NOT_SUPPORTED (no zlib is here);
 * on failure the outputs are unchanged. */
int px_inflate(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* As px_inflate, for a zlib stream without the length in front, as some hosts' maps have it. Reads
 * the stream twice, first to learn its length. */
int px_inflate_stream(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* The inverse of px_inflate: length and zlib stream, malloc'd, owned by the caller. 0,
 * PMIX_ERR_NOT_SUPPORTED (the result would not be smaller than the input, there is too much input,
 * or no zlib is here), PMIX_ERR_NOMEM. */
int px_deflate(const void *bytes, size_t len, void **ret, size_t *ret_len);

/* Decompresses a value in place: PMIX_COMPRESSED_STRING becomes PMIX_STRING,
 * PMIX_COMPRESSED_BYTE_OBJECT becomes PMIX_BYTE_OBJECT, also inside arrays of values and infos
 * down to PX_WIRE_MAX_DEPTH. All other values, and deeper ones, stay as they are. Statuses as
 * px_inflate. On failure the value can still be released; some members of an array may be
 * decompressed already. */
int px_inflate_value(pmix_value_t *value);

#endif
