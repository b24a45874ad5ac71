/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The functions of the interface for byte objects and data buffers. Loading and unloading moves
 * memory between the structure and its caller; nothing is copied. Packing is in src/api/pack.c. */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "scalars.h"
#include "shapes.h"
#include "types.h"

/* The object takes over d, and does not free what it held before. */
void PMIx_Byte_object_load(pmix_byte_object_t *b, char *d, size_t sz)
{
    if (b != NULL) {
        b->bytes = d;
        b->size = d == NULL ? 0 : sz;
    }
}

/* Does not look at what was there. */
void PMIx_Data_buffer_construct(pmix_data_buffer_t *b)
{
    if (b != NULL) {
        memset(b, 0, sizeof(*b));
    }
}

/* Frees the bytes and leaves the buffer empty, so that it can be used again. */
void PMIx_Data_buffer_destruct(pmix_data_buffer_t *b)
{
    if (b != NULL) {
        px_type_fini(px_type_info(PMIX_DATA_BUFFER), b);
    }
}

/* Zeros are an empty buffer; packing allocates the memory. */
pmix_data_buffer_t *PMIx_Data_buffer_create(void)
{
    return calloc(1, sizeof(pmix_data_buffer_t));
}

/* Frees the bytes and the structure. Takes NULL. */
void PMIx_Data_buffer_release(pmix_data_buffer_t *b)
{
    px_type_free(px_type_info(PMIX_DATA_BUFFER), b, 1);
}

/* Takes over the bytes, which have to be malloc memory, and frees those that the buffer held,
 * unless they are the same. */
void PMIx_Data_buffer_load(pmix_data_buffer_t *b, char *bytes, size_t sz)
{
    if (b == NULL) {
        return;
    }
    if (b->base_ptr != bytes) {
        free(b->base_ptr);
    }
    memset(b, 0, sizeof(*b));
    if (bytes != NULL) {
        b->base_ptr = bytes;
        b->unpack_ptr = bytes;
        b->pack_ptr = bytes + sz;
        b->bytes_allocated = sz;
        b->bytes_used = sz;
    }
}

/* Moves the bytes that are not unpacked yet to the front of the memory, so that the caller can
 * free the pointer. */
void PMIx_Data_buffer_unload(pmix_data_buffer_t *b, char **bytes, size_t *sz)
{
    size_t read = 0;

    if (bytes != NULL) {
        *bytes = NULL;
    }
    if (sz != NULL) {
        *sz = 0;
    }
    if (b == NULL || bytes == NULL || sz == NULL || b->base_ptr == NULL) {
        return;
    }
    if (b->unpack_ptr > b->base_ptr) {
        read = (size_t) (b->unpack_ptr - b->base_ptr);
    }
    read = read > b->bytes_used ? b->bytes_used : read;
    memmove(b->base_ptr, b->base_ptr + read, b->bytes_used - read);
    *bytes = b->base_ptr;
    *sz = b->bytes_used - read;
    memset(b, 0, sizeof(*b));
}

/* --- the shape of data buffers --- */

/* Copies the used bytes of a buffer and the position of unpacking, but no spare memory. */
static int copy_buffer(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    const pmix_data_buffer_t *buffer = src;
    pmix_data_buffer_t copy = {.base_ptr = NULL};

    (void) type;
    (void) depth;
    if (buffer->base_ptr != NULL && buffer->bytes_used > 0) {
        size_t read =
            buffer->unpack_ptr == NULL ? 0 : (size_t) (buffer->unpack_ptr - buffer->base_ptr);

        copy.base_ptr = malloc(buffer->bytes_used);
        if (copy.base_ptr == NULL) {
            return PMIX_ERR_NOMEM;
        }
        memcpy(copy.base_ptr, buffer->base_ptr, buffer->bytes_used);
        copy.pack_ptr = copy.base_ptr + buffer->bytes_used;
        copy.unpack_ptr = copy.base_ptr + (read > buffer->bytes_used ? buffer->bytes_used : read);
        copy.bytes_allocated = buffer->bytes_used;
        copy.bytes_used = buffer->bytes_used;
    }
    memcpy(dst, &copy, sizeof(copy));
    return PMIX_SUCCESS;
}

/* Frees the bytes of a buffer and leaves it empty. */
static void fini_buffer(const struct px_type *type, void *element)
{
    pmix_data_buffer_t *buffer = element;

    (void) type;
    free(buffer->base_ptr);
    memset(buffer, 0, sizeof(*buffer));
}

/* Orders buffers by their used bytes: fewer first, then by content. Positions do not matter. */
static pmix_value_cmp_t compare_buffer(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    const pmix_data_buffer_t *x = a;
    const pmix_data_buffer_t *y = b;
    int order;

    (void) type;
    (void) depth;
    if (x->bytes_used != y->bytes_used) {
        return px_order(x->bytes_used > y->bytes_used, true);
    }
    order = x->bytes_used == 0 ? 0 : memcmp(x->base_ptr, y->base_ptr, x->bytes_used);
    return px_order(order > 0, order < 0);
}

/* Adds the used bytes, without spare memory. */
static int measure_buffer(const struct px_type *type, const void *element, unsigned depth,
                          size_t *sum)
{
    (void) type;
    (void) depth;
    *sum += ((const pmix_data_buffer_t *) element)->bytes_used;
    return PMIX_SUCCESS;
}

/* Prints the first of the used bytes. */
static void print_buffer(struct px_buf *out, const struct px_type *type, const void *element,
                         unsigned depth)
{
    const pmix_data_buffer_t *buffer = element;

    (void) type;
    (void) depth;
    px_print_bytes(out, buffer->base_ptr, buffer->bytes_used);
}

const struct px_shape_ops px_buffer_ops = {
    .copy = copy_buffer,
    .fini = fini_buffer,
    .compare = compare_buffer,
    .measure = measure_buffer,
    .print = print_buffer,
};
