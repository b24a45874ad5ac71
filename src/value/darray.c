/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Data arrays of any type: the functions of the interface, and the shape. Arrays are the only way
 * in which data nests, so the depth is counted here and bounded by PX_VALUE_MAX_DEPTH. Only
 * releasing is not bounded: anything that could be built must be freed. The first argument of the
 * shape functions is the type of the array itself; that of its elements comes from the array. */
#include <pmix.h>

#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "scalars.h"
#include "shapes.h"
#include "structs.h"
#include "types.h"

/* Sets an empty array without looking at what was there. */
void PMIx_Data_array_init(pmix_data_array_t *p, pmix_data_type_t type)
{
    if (p != NULL) {
        p->type = type;
        p->size = 0;
        p->array = NULL;
    }
}

/* An array of infos gets the end mark of PMIx_Info_create. Without memory, and for an unknown
 * type, the size is 0. */
void PMIx_Data_array_construct(pmix_data_array_t *p, size_t num, pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);

    PMIx_Data_array_init(p, type);
    if (p == NULL || info == NULL || num == 0) {
        return;
    }
    p->array = type == PMIX_INFO ? PMIx_Info_create(num) : px_type_create(info, num);
    p->size = p->array == NULL ? 0 : num;
}

/* For an unknown type the result is an empty array; NULL means no memory. */
pmix_data_array_t *PMIx_Data_array_create(size_t n, pmix_data_type_t type)
{
    pmix_data_array_t *array = malloc(sizeof(*array));

    if (array == NULL) {
        return NULL;
    }
    PMIx_Data_array_construct(array, n, type);
    if (n > 0 && array->array == NULL && px_type_info(type) != NULL) {
        free(array);
        return NULL;
    }
    return array;
}

/* Releases the elements with what they own; the structure stays the caller's. */
void PMIx_Data_array_destruct(pmix_data_array_t *d)
{
    if (d != NULL) {
        px_type_fini(px_type_info(PMIX_DATA_ARRAY), d);
    }
}

/* Releases the elements with what they own, and the structure. Takes NULL. */
void PMIx_Data_array_free(pmix_data_array_t *p)
{
    px_type_free(px_type_info(PMIX_DATA_ARRAY), p, 1);
}

/* --- the shape --- */

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
