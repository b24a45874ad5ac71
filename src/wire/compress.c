/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Compression (zlib) of byte objects and maps. A few bytes from a peer may claim to stand for
 * gigabytes. Therefore memory is allocated only if the claimed length is within what deflate can
 * achieve at best, and the stream has to give exactly the claimed length. */
#include "compress.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "zlib_lib.h"

#include "src/base/assert.h"

enum {
    LENGTH_SIZE = sizeof(uint32_t),
    BEST_RATIO = 1040, /* deflate cannot do better than 1032 to 1 */
    SMALLEST = 64,     /* below it nothing is gained */
};

/* The status for a result of inflateInit or compress2. PMIX_ERR_NOT_SUPPORTED: this host has no
 * zlib, or (compress2 only) the result would not be smaller. */
static int status_of(int rc)
{
    switch (rc) {
    case Z_OK:
        return PMIX_SUCCESS;
    case Z_BUF_ERROR:
    case Z_VERSION_ERROR: /* zlib cannot be opened, or is an incompatible release */
        return PMIX_ERR_NOT_SUPPORTED;
    default:
        return PMIX_ERR_NOMEM;
    }
}

/* Decompresses a stream into exactly `room` bytes at `to`. PMIX_ERR_UNPACK_FAILURE if it gives
 * more or fewer, or is damaged. */
static int inflate_into(const void *bytes, size_t len, void *to, size_t room)
{
    z_stream z = {.next_in = (Bytef *) (uintptr_t) bytes,
                  .avail_in = (uInt) len,
                  .next_out = to,
                  .avail_out = (uInt) room};
    int rc = inflateInit(&z);

    if (rc != Z_OK) {
        return status_of(rc);
    }
    rc = inflate(&z, Z_FINISH);
    (void) inflateEnd(&z); /* nothing is left in it */
    if (rc == Z_MEM_ERROR) {
        return PMIX_ERR_NOMEM;
    }
    return rc == Z_STREAM_END && z.avail_out == 0 ? PMIX_SUCCESS : PMIX_ERR_UNPACK_FAILURE;
}

/* Decompresses a stream of known size into new memory, with a NUL behind it. The caller has
 * bounded size. Outputs are unchanged on failure. */
static int inflate_exactly(const void *bytes, size_t len, size_t size, void **ret, size_t *ret_len)
{
    char *plain = malloc(size + 1);
    int rc = plain ? inflate_into(bytes, len, plain, size) : PMIX_ERR_NOMEM;

    px_assert(size <= PX_INFLATE_MAX);
    if (rc != PMIX_SUCCESS) {
        free(plain);
        return rc;
    }
    plain[size] = '\0';
    *ret = plain;
    *ret_len = size;
    return PMIX_SUCCESS;
}

/* Bounds the claimed length twice, absolutely and relative to the stream, before it allocates. */
int px_inflate(const void *bytes, size_t len, void **ret, size_t *ret_len)
{
    uint32_t claimed;
    size_t stream;

    if (!bytes || len <= LENGTH_SIZE || len > PX_INFLATE_MAX) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    memcpy(&claimed, bytes, LENGTH_SIZE);
    stream = len - LENGTH_SIZE;
    if (claimed > PX_INFLATE_MAX || claimed / BEST_RATIO > stream) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    return inflate_exactly((const char *) bytes + LENGTH_SIZE, stream, claimed, ret, ret_len);
}

/* Determines the decompressed size of a stream by decompressing it into a scratch buffer. Stops
 * with PMIX_ERR_UNPACK_FAILURE beyond PX_INFLATE_MAX, so the work is bounded. */
static int inflated_size(const void *bytes, size_t len, size_t *ret)
{
    z_stream z = {.next_in = (Bytef *) (uintptr_t) bytes, .avail_in = (uInt) len};
    unsigned char scratch[4096];
    int rc = inflateInit(&z);

    if (rc != Z_OK) {
        return status_of(rc);
    }
    while (rc == Z_OK && z.total_out <= PX_INFLATE_MAX) {
        z.next_out = scratch;
        z.avail_out = sizeof(scratch);
        rc = inflate(&z, Z_NO_FLUSH);
    }
    (void) inflateEnd(&z); /* nothing is left in it */
    if (rc != Z_STREAM_END || z.total_out > PX_INFLATE_MAX) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    *ret = z.total_out;
    return PMIX_SUCCESS;
}

/* No length is declared, so the first of two passes only counts. That pass needs no memory in
 * proportion to its result. */
int px_inflate_stream(const void *bytes, size_t len, void **ret, size_t *ret_len)
{
    size_t size;
    int rc;

    if (!bytes || len == 0 || len > PX_INFLATE_MAX) {
        return PMIX_ERR_UNPACK_FAILURE;
    }
    rc = inflated_size(bytes, len, &size);
    return rc ? rc : inflate_exactly(bytes, len, size, ret, ret_len);
}

/* Gives zlib one byte less than the input has: a result that does not fit is not worth sending. */
int px_deflate(const void *bytes, size_t len, void **ret, size_t *ret_len)
{
    uint32_t original = (uint32_t) len;
    uLongf room;
    unsigned char *out;
    int rc;

    if (!bytes || len < SMALLEST || len > PX_INFLATE_MAX) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    room = (uLongf) len - LENGTH_SIZE - 1; /* one byte less than it was, or it is not worth it */
    out = malloc(len);
    if (!out) {
        return PMIX_ERR_NOMEM;
    }
    memcpy(out, &original, LENGTH_SIZE);
    rc = compress2(out + LENGTH_SIZE, &room, bytes, (uLong) len, Z_BEST_COMPRESSION);
    if (rc != Z_OK) {
        free(out);
        return status_of(rc);
    }
    *ret = out;
    *ret_len = LENGTH_SIZE + (size_t) room;
    return PMIX_SUCCESS;
}

/* Replaces one compressed value by its plain form and frees the compressed bytes. A string with a
 * NUL inside is refused, since its type promises text that ends at the first NUL. */
static int inflate_one(pmix_value_t *value)
{
    bool text = value->type == PMIX_COMPRESSED_STRING;
    void *plain;
    size_t len;
    int rc = px_inflate(value->data.bo.bytes, value->data.bo.size, &plain, &len);

    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    if (text && strlen(plain) != len) {
        free(plain);
        return PMIX_ERR_UNPACK_FAILURE;
    }
    free(value->data.bo.bytes);
    if (text) {
        value->type = PMIX_STRING;
        value->data.string = plain;
    } else {
        value->type = PMIX_BYTE_OBJECT;
        value->data.bo = (pmix_byte_object_t){.bytes = plain, .size = len};
    }
    return PMIX_SUCCESS;
}

/* px_inflate_value at a depth of nested arrays. The value comes out of px_unpack, which bounds the
 * depth by the same limit, so nothing is left compressed. */
static int inflate_nested(pmix_value_t *value, unsigned depth)
{
    const pmix_data_array_t *array;
    int rc = PMIX_SUCCESS;

    if (value->type == PMIX_COMPRESSED_STRING || value->type == PMIX_COMPRESSED_BYTE_OBJECT) {
        return inflate_one(value);
    }
    array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
    if (!array || !array->array || depth >= PX_WIRE_MAX_DEPTH) {
        return PMIX_SUCCESS;
    }
    for (size_t i = 0; i < array->size && rc == PMIX_SUCCESS; i++) {
        if (array->type == PMIX_INFO) {
            rc = inflate_nested(&((pmix_info_t *) array->array)[i].value, depth + 1);
        } else if (array->type == PMIX_VALUE) {
            rc = inflate_nested(&((pmix_value_t *) array->array)[i], depth + 1);
        }
    }
    return rc;
}

/* The outermost value is at depth 0. */
int px_inflate_value(pmix_value_t *value)
{
    return inflate_nested(value, 0);
}
