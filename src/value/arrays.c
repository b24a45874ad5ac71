/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shapes of data arrays and data buffers. Arrays are the only way in which data nests, so the
 * depth is counted here and bounded by PX_VALUE_MAX_DEPTH. Only releasing is not bounded: anything
 * that could be built must be freed. The first argument of the shape functions is the type of the
 * array itself; that of its elements comes from the array. */
#include <stdlib.h>
#include <string.h>

#include "shapes.h"
#include "print.h"
#include "scalars.h"
#include "structs.h"

/* Copies an array with its elements. A size without an array counts as empty. An array of an
 * unknown type cannot be copied unless it is empty: PMIX_ERR_UNKNOWN_DATA_TYPE. */
static int copy_array(const struct px_type *unused, void *dst, const void *src, unsigned depth)
{
    const pmix_data_array_t *array = src;
    const struct px_type *type = px_type_info(array->type);
    pmix_data_array_t copy = {.type = array->type, .size = array->array == NULL ? 0 : array->size};
    int rc;

    (void) unused;
    if (depth >= PX_VALUE_MAX_DEPTH) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (copy.size > 0 && type == NULL) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    if (copy.size > 0) {
        rc = px_type_copy_many(type, array->array, array->size, depth + 1, &copy.array);
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    memcpy(dst, &copy, sizeof(copy));
    return PMIX_SUCCESS;
}

/* Releases the elements and their memory. Elements of an unknown type own nothing that is known
 * here. */
static void fini_array(const struct px_type *unused, void *element)
{
    pmix_data_array_t *array = element;
    const struct px_type *type = px_type_info(array->type);

    (void) unused;
    if (type != NULL) {
        px_type_free(type, array->array, array->size);
    } else {
        free(array->array);
    }
    memset(array, 0, sizeof(*array));
}

/* Orders arrays by type, then size, then elements. Arrays of an unknown type compare by size
 * only. */
static pmix_value_cmp_t compare_array(const struct px_type *unused, const void *a, const void *b,
                                      unsigned depth)
{
    const pmix_data_array_t *x = a;
    const pmix_data_array_t *y = b;
    const struct px_type *type = px_type_info(x->type);

    (void) unused;
    if (x->type != y->type) {
        return px_order(x->type > y->type, true);
    }
    if (depth >= PX_VALUE_MAX_DEPTH) {
        return PMIX_VALUE_COMPARISON_NOT_AVAIL;
    }
    if (type == NULL) {
        return px_order(x->size > y->size, x->size < y->size);
    }
    return px_many_compare(type, x->array, x->array == NULL ? 0 : x->size, y->array,
                           y->array == NULL ? 0 : y->size, depth + 1);
}

/* Adds the memory of the elements; the array structure itself is counted by the caller. */
static int measure_array(const struct px_type *unused, const void *element, unsigned depth,
                         size_t *sum)
{
    const pmix_data_array_t *array = element;
    const struct px_type *type = px_type_info(array->type);

    (void) unused;
    if (depth >= PX_VALUE_MAX_DEPTH) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (array->array == NULL || array->size == 0) {
        return PMIX_SUCCESS;
    }
    if (type == NULL) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    return px_many_measure(type, array->array, array->size, depth + 1, sum);
}

/* Prints size, type and elements; "..." in place of elements that are too deep or of an unknown
 * type. px_print_many bounds the number of elements. */
static void print_array(struct px_buf *out, const struct px_type *unused, const void *element,
                        unsigned depth)
{
    const pmix_data_array_t *array = element;
    const struct px_type *type = px_type_info(array->type);

    (void) unused;
    px_print_format(out, "ARRAY of %zu %s ", array->size, type == NULL ? "UNKNOWN" : type->name);
    if (type == NULL || depth >= PX_VALUE_MAX_DEPTH) {
        px_print_format(out, "...");
        return;
    }
    px_print_many(out, type, array->array, array->array == NULL ? 0 : array->size, depth + 1);
}

const struct px_shape_ops px_array_ops = {
    .copy = copy_array,
    .fini = fini_array,
    .compare = compare_array,
    .measure = measure_array,
    .print = print_array,
};

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
