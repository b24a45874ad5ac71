/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>

#include "src/base/param.h"
#include "src/value/types.h"
#include "src/wire/codec.h"
#include "src/wire/compress.h"
#include "src/wire/pack.h"
#include "src/wire/unpack.h"

/* Packing for applications. A pmix_data_buffer_t is plain malloc memory whose members programs of
 * other releases read directly: base_ptr to bytes_used is the content, unpack_ptr the position of
 * the reader. Such buffers travel inside values to processes that may use another implementation,
 * so the bytes are those of the wire format and carry no types, unless the parameter
 * bfrops_base_default_type asks for them. No call needs PMIx_Init. The arguments target and source
 * have no effect: every peer of the family reads the same bytes.
 *
 * The members of a buffer, in the order of memory:
 *   base_ptr     start of the memory, malloc'd; NULL: empty
 *   unpack_ptr   next byte to be unpacked
 *   pack_ptr     base_ptr + bytes_used, where packing goes on
 * bytes_allocated is the capacity. */

/* The form of buffers, from the parameter. */
static enum px_wire_kind kind(void)
{
    return px_param_int(PX_P_BFROPS_TYPE) == PX_WIRE_DESCRIBED ? PX_WIRE_DESCRIBED : PX_WIRE_PLAIN;
}

/* Position of the reader, limited to the content: an application may have set unpack_ptr itself. */
static size_t read_offset(const pmix_data_buffer_t *buffer)
{
    size_t offset = buffer->unpack_ptr ? (size_t) (buffer->unpack_ptr - buffer->base_ptr) : 0;

    return offset < buffer->bytes_used ? offset : buffer->bytes_used;
}

/* The buffer's memory as a px_buf, for appending; give_back must follow. */
static struct px_buf borrow(const pmix_data_buffer_t *buffer)
{
    return (struct px_buf){.data = (unsigned char *) buffer->base_ptr,
                           .len = buffer->bytes_used,
                           .cap = buffer->bytes_allocated > buffer->bytes_used
                                      ? buffer->bytes_allocated
                                      : buffer->bytes_used};
}

/* Writes the px_buf back into the buffer, with its content and read position: after a failure, too,
 * because the memory may have moved then. */
static void give_back(pmix_data_buffer_t *buffer, const struct px_buf *buf, size_t used,
                      size_t offset)
{
    buffer->base_ptr = (char *) buf->data;
    buffer->bytes_allocated = buf->cap;
    buffer->bytes_used = used;
    buffer->pack_ptr = buffer->base_ptr ? buffer->base_ptr + used : NULL;
    buffer->unpack_ptr = buffer->base_ptr ? buffer->base_ptr + offset : NULL;
}

/* Packs regular expressions, whose array in this call is one of char *, not of byte objects. An
 * expression contains its own length, so the size is left 0. */
static int pack_regexes(struct px_buf *buf, char *const *texts, size_t n)
{
    pmix_byte_object_t *objects = calloc(n ? n : 1, sizeof(*objects));
    int rc;

    if (!objects) {
        return PMIX_ERR_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        objects[i].bytes = texts[i];
    }
    rc = px_pack(buf, kind(), PMIX_REGEX, objects, n);
    free(objects);
    return rc;
}

/* After a failure the content is as before: what was appended in part is cut off. */
PMIX_EXPORT pmix_status_t PMIx_Data_pack(const pmix_proc_t *target, pmix_data_buffer_t *buffer,
                                         void *src, int32_t num_vals, pmix_data_type_t type)
{
    struct px_buf buf;
    size_t n = (size_t) num_vals;
    size_t offset;
    int rc;

    (void) target;
    if (!buffer || num_vals < 0 || (!src && num_vals > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    offset = read_offset(buffer);
    buf = borrow(buffer);
    rc = type == PMIX_REGEX ? pack_regexes(&buf, src, n) : px_pack(&buf, kind(), type, src, n);
    give_back(buffer, &buf, rc == PMIX_SUCCESS ? buf.len : buffer->bytes_used, offset);
    return rc;
}

/* Unpacks at most *n expressions, each malloc'd, into an array of char *. The number is limited by
 * the bytes that are left, so a wrong one cannot allocate much. */
static int unpack_regexes(struct px_in *in, char **texts, size_t *n)
{
    pmix_byte_object_t *objects;
    int rc;

    if (*n > px_in_left(in)) {
        *n = px_in_left(in);
    }
    objects = calloc(*n ? *n : 1, sizeof(*objects));
    if (!objects) {
        return PMIX_ERR_NOMEM;
    }
    rc = px_unpack(in, PMIX_REGEX, objects, n);
    for (size_t i = 0; (rc == PMIX_SUCCESS || rc == PMIX_ERR_UNPACK_INADEQUATE_SPACE) && i < *n;
         i++) {
        texts[i] = objects[i].bytes;
    }
    free(objects);
    return rc;
}

/* The read position advances only if values were delivered; PMIX_ERR_UNPACK_INADEQUATE_SPACE
 * delivers as many as fit. */
PMIX_EXPORT pmix_status_t PMIx_Data_unpack(const pmix_proc_t *source, pmix_data_buffer_t *buffer,
                                           void *dest, int32_t *max_num_values,
                                           pmix_data_type_t type)
{
    struct px_in in;
    size_t offset;
    size_t n;
    int rc;

    (void) source;
    if (!buffer || !max_num_values || *max_num_values < 0 || (!dest && *max_num_values > 0)) {
        return PMIX_ERR_BAD_PARAM;
    }
    n = (size_t) *max_num_values;
    *max_num_values = 0;
    if (px_type_size(type) == 0) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    offset = read_offset(buffer);
    if (offset == buffer->bytes_used) {
        return PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER;
    }
    in = px_in_make(buffer->base_ptr + offset, buffer->bytes_used - offset, kind());
    in.topo = true;
    rc = type == PMIX_REGEX ? unpack_regexes(&in, dest, &n) : px_unpack(&in, type, dest, &n);
    if (rc == PMIX_SUCCESS || rc == PMIX_ERR_UNPACK_INADEQUATE_SPACE) {
        buffer->unpack_ptr = buffer->base_ptr + buffer->bytes_used - px_in_left(&in);
        *max_num_values = (int32_t) n;
    }
    return rc;
}

/* Deep copy by the table of types (src/value/types.h). */
PMIX_EXPORT pmix_status_t PMIx_Data_copy(void **dest, void *src, pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);
    void *copy;
    int rc;

    if (!dest || !src) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!info) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    if (type == PMIX_STRING) { /* src is the string, not a pointer to it */
        copy = strdup(src);
        rc = copy ? PMIX_SUCCESS : PMIX_ERR_NOMEM;
    } else {
        copy = malloc(info->size);
        rc = copy ? px_type_copy(info, copy, src, 0) : PMIX_ERR_NOMEM;
    }
    if (rc != PMIX_SUCCESS) {
        free(copy);
        return rc;
    }
    *dest = copy;
    return PMIX_SUCCESS;
}

/* The text with the prefix in front of each line, malloc'd. NULL: memory is out. */
static char *add_prefix(const char *prefix, const struct px_buf *text)
{
    struct px_buf out = {0};
    bool start = true;

    for (size_t i = 0; i < text->len; i++) {
        if (start && prefix) {
            px_buf_text(&out, prefix);
        }
        px_buf_byte(&out, text->data[i]);
        start = text->data[i] == '\n';
    }
    return px_buf_take_text(&out);
}

/* The text is "TYPE: value", printed by the table of types. */
PMIX_EXPORT pmix_status_t PMIx_Data_print(char **output, char *prefix, void *src,
                                          pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);
    struct px_buf text = {0};
    char *printed;

    if (!output) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (!info) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    px_buf_text(&text, info->name);
    px_buf_text(&text, ": ");
    if (type == PMIX_STRING) { /* src is the string, not a pointer to it */
        px_type_print(&text, info, &src, 0);
    } else if (src) {
        px_type_print(&text, info, src, 0);
    } else {
        px_buf_text(&text, "NULL");
    }
    printed = px_buf_ok(&text) ? add_prefix(prefix, &text) : NULL;
    px_buf_fini(&text);
    if (!printed) {
        return PMIX_ERR_NOMEM;
    }
    *output = printed;
    return PMIX_SUCCESS;
}

/* Appends the unread bytes of src; its read position does not change. */
PMIX_EXPORT pmix_status_t PMIx_Data_copy_payload(pmix_data_buffer_t *dest, pmix_data_buffer_t *src)
{
    struct px_buf buf;
    size_t offset;
    size_t read;

    if (!dest || !src || dest == src) {
        return PMIX_ERR_BAD_PARAM;
    }
    offset = read_offset(src);
    if (offset == src->bytes_used) {
        return PMIX_SUCCESS;
    }
    read = read_offset(dest);
    buf = borrow(dest);
    px_buf_append(&buf, src->base_ptr + offset, src->bytes_used - offset);
    give_back(dest, &buf, buf.len, read);
    return buf.status;
}

/* Moves the unread bytes to payload and empties the buffer. */
PMIX_EXPORT pmix_status_t PMIx_Data_unload(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload)
{
    if (!buffer || !payload) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Data_buffer_unload(buffer, &payload->bytes, &payload->size);
    return PMIX_SUCCESS;
}

/* Moves the bytes of payload into the buffer; payload is empty afterwards. */
PMIX_EXPORT pmix_status_t PMIx_Data_load(pmix_data_buffer_t *buffer, pmix_byte_object_t *payload)
{
    if (!buffer || !payload) {
        return PMIX_ERR_BAD_PARAM;
    }
    PMIx_Data_buffer_load(buffer, payload->bytes, payload->size);
    *payload = (pmix_byte_object_t){0};
    return PMIX_SUCCESS;
}

/* As PMIx_Data_load with a copy: payload stays the caller's. */
PMIX_EXPORT pmix_status_t PMIx_Data_embed(pmix_data_buffer_t *buffer,
                                          const pmix_byte_object_t *payload)
{
    char *copy = NULL;
    size_t size;

    if (!buffer || !payload) {
        return PMIX_ERR_BAD_PARAM;
    }
    size = payload->bytes ? payload->size : 0;
    if (size > 0) {
        copy = malloc(size);
        if (!copy) {
            return PMIX_ERR_NOMEM;
        }
        memcpy(copy, payload->bytes, size);
    }
    PMIx_Data_buffer_load(buffer, copy, size);
    return PMIX_SUCCESS;
}

/* Runs a compression function and reports its result. False: it failed, or has no gain; the outputs
 * are then NULL and 0. */
static bool transform(int (*how)(const void *, size_t, void **, size_t *), const uint8_t *inbytes,
                      size_t size, uint8_t **outbytes, size_t *nbytes)
{
    void *out = NULL;
    size_t len = 0;
    bool done;

    if (!outbytes || !nbytes) {
        return false;
    }
    done = how(inbytes, size, &out, &len) == PMIX_SUCCESS;
    *outbytes = done ? out : NULL;
    *nbytes = done ? len : 0;
    return done;
}

/* The original length and a zlib stream, as compressed strings travel on the wire. */
PMIX_EXPORT bool PMIx_Data_compress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                    size_t *nbytes)
{
    return transform(px_deflate, inbytes, size, outbytes, nbytes);
}

/* The original length in front is checked against the content; more than PX_INFLATE_MAX bytes are
 * refused. */
PMIX_EXPORT bool PMIx_Data_decompress(const uint8_t *inbytes, size_t size, uint8_t **outbytes,
                                      size_t *nbytes)
{
    return transform(px_inflate, inbytes, size, outbytes, nbytes);
}
