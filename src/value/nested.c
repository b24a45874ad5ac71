/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shapes of values, and of infos, which contain one. A value holds an element of another type,
 * in its union (PX_INLINE) or in memory of its own (PX_BOXED). An info that is marked persistent
 * does not own its value: the mark is the caller's promise that the value stays valid. */
#include "nested.h"

#include <string.h>

#include "shapes.h"
#include "print.h"
#include "scalars.h"
#include "structs.h"

/* Copies a value with its element. The depth does not grow here: only arrays count. On failure dst
 * is unchanged. PMIX_ERR_UNKNOWN_DATA_TYPE for an unknown type, PMIX_ERR_NOT_SUPPORTED for one
 * that values cannot hold. */
static int copy_value(const struct px_type *unused, void *dst, const void *src, unsigned depth)
{
    const pmix_value_t *value = src;
    pmix_value_t copy = {.type = value->type};
    const struct px_type *type = px_type_info(value->type);
    int rc;

    (void) unused;
    if (value->type != PMIX_UNDEF && type == NULL) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    if (type != NULL && type->where == PX_ELEMENT) {
        return PMIX_ERR_NOT_SUPPORTED;
    }
    if (type != NULL && type->where == PX_INLINE) {
        rc = px_type_copy(type, &copy.data, &value->data, depth);
    } else {
        rc = type == NULL ? PMIX_SUCCESS
                          : px_type_copy_many(type, value->data.ptr, 1, depth, &copy.data.ptr);
    }
    if (rc != PMIX_SUCCESS) {
        return rc;
    }
    memcpy(dst, &copy, sizeof(copy));
    return PMIX_SUCCESS;
}

/* Releases the element and empties the value. An unknown type owns nothing, so its union is not
 * followed. */
static void fini_value(const struct px_type *unused, void *element)
{
    pmix_value_t *value = element;
    const struct px_type *type = px_type_info(value->type);

    (void) unused;
    if (type != NULL && type->where == PX_INLINE) {
        px_type_fini(type, &value->data);
    } else if (type != NULL && type->where == PX_BOXED) {
        px_type_free(type, value->data.ptr, 1);
    }
    memset(value, 0, sizeof(*value));
}

/* Orders values of one type by their elements, a missing element first. The statuses for values
 * that cannot be compared end a comparison of the structures around them, too. */
static pmix_value_cmp_t compare_value(const struct px_type *unused, const void *a, const void *b,
                                      unsigned depth)
{
    const pmix_value_t *x = a;
    const pmix_value_t *y = b;
    const struct px_type *type = px_type_info(x->type);
    const void *element_x;
    const void *element_y;

    (void) unused;
    if (x->type != y->type) {
        return PMIX_VALUE_TYPE_DIFFERENT;
    }
    if (x->type == PMIX_UNDEF) {
        return PMIX_EQUAL;
    }
    if (type == NULL || type->where == PX_ELEMENT) {
        return PMIX_VALUE_COMPARISON_NOT_AVAIL;
    }
    element_x = px_value_element(x, type);
    element_y = px_value_element(y, type);
    if (element_x == NULL || element_y == NULL) {
        return px_order(element_x != NULL && element_y == NULL,
                        element_y != NULL && element_x == NULL);
    }
    return px_type_compare(type, element_x, element_y, depth);
}

/* Adds the memory of the element. PMIX_ERR_UNKNOWN_DATA_TYPE unless the type is PMIX_UNDEF. */
static int measure_value(const struct px_type *unused, const void *element, unsigned depth,
                         size_t *sum)
{
    const pmix_value_t *value = element;
    const struct px_type *type = px_type_info(value->type);
    const void *inner;

    (void) unused;
    if (type == NULL || type->where == PX_ELEMENT) {
        return value->type == PMIX_UNDEF ? PMIX_SUCCESS : PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    inner = px_value_element(value, type);
    if (inner == NULL) {
        return PMIX_SUCCESS;
    }
    return px_type_measure(type, inner, depth, sum);
}

/* Prints the name of the type and the element. */
static void print_value(struct px_buf *out, const struct px_type *unused, const void *element,
                        unsigned depth)
{
    const pmix_value_t *value = element;
    const struct px_type *type = px_type_info(value->type);
    const void *inner;

    (void) unused;
    if (type == NULL || type->where == PX_ELEMENT) {
        px_print_format(out, "Data type: %s", value->type == PMIX_UNDEF ? "PMIX_UNDEF" : "UNKNOWN");
        return;
    }
    px_print_format(out, "Data type: %s\tValue: ", type->name);
    inner = px_value_element(value, type);
    if (inner == NULL) {
        px_print_format(out, "NULL");
        return;
    }
    px_type_print(out, type, inner, depth);
}

const struct px_shape_ops px_value_ops = {
    .copy = copy_value,
    .fini = fini_value,
    .compare = compare_value,
    .measure = measure_value,
    .print = print_value,
};

/* True if the info does not own its value. */
static bool is_persistent(const pmix_info_t *info)
{
    return (info->flags & PMIX_INFO_PERSISTENT) != 0;
}

/* Copies an info; the copy of a persistent one shares its value, and is marked as persistent
 * too. */
static int copy_info(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    if (is_persistent(src)) {
        memcpy(dst, src, type->size);
        return PMIX_SUCCESS;
    }
    return px_struct_copy(type, dst, src, depth);
}

static int keep_array(const pmix_data_array_t *array);

/* Copies the parts that a copied value still shares with its source. Only arrays can have such
 * parts. */
static int keep_value(const pmix_value_t *value)
{
    return value->type == PMIX_DATA_ARRAY && value->data.darray != NULL
               ? keep_array(value->data.darray)
               : PMIX_SUCCESS;
}

/* Makes a copied info the owner of its value. On failure a part that has not been copied is still
 * marked persistent, and stays its owner's. */
static int keep_info(pmix_info_t *info)
{
    pmix_info_t copy;
    int rc;

    if (!is_persistent(info)) {
        return keep_value(&info->value);
    }
    rc = px_info_keep(&copy, info);
    if (rc == PMIX_SUCCESS) {
        *info = copy;
    }
    return rc;
}

/* Does the same for the infos and values of an array, at any depth: the copy that it is called on
 * was bounded. */
static int keep_array(const pmix_data_array_t *array)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; array->array != NULL && rc == PMIX_SUCCESS && i < array->size; i++) {
        if (array->type == PMIX_INFO) {
            rc = keep_info((pmix_info_t *) array->array + i);
        } else if (array->type == PMIX_VALUE) {
            rc = keep_value((const pmix_value_t *) array->array + i);
        } else if (array->type == PMIX_DATA_ARRAY) {
            rc = keep_array((const pmix_data_array_t *) array->array + i);
        } else {
            break;
        }
    }
    return rc;
}

/* Stops at the first failure; the infos behind it keep their marks. */
int px_infos_keep(pmix_info_t *infos, size_t n)
{
    int rc = PMIX_SUCCESS;

    for (size_t i = 0; rc == PMIX_SUCCESS && i < n; i++) {
        rc = keep_info(&infos[i]);
    }
    return rc;
}

/* Copies the info member by member, which always copies the value, then the persistent infos in
 * the arrays of that copy. */
int px_info_keep(pmix_info_t *dst, const pmix_info_t *src)
{
    int rc = px_struct_copy(px_type_info(PMIX_INFO), dst, src, 0);

    if (rc != PMIX_SUCCESS) {
        memset(dst, 0, sizeof(*dst));
        return rc;
    }
    dst->flags &= ~(pmix_info_directives_t) PMIX_INFO_PERSISTENT;
    rc = keep_value(&dst->value);
    if (rc != PMIX_SUCCESS) {
        PMIx_Value_destruct(&dst->value);
        memset(dst, 0, sizeof(*dst));
    }
    return rc;
}

/* A value has no mark of its own, so only arrays in it need a second look. */
int px_value_keep(pmix_value_t *dst, const pmix_value_t *src)
{
    int rc;

    if (px_value_is_bare(src)) {
        *dst = *src;
        return PMIX_SUCCESS;
    }
    rc = PMIx_Value_xfer(dst, src);
    rc = rc != PMIX_SUCCESS ? rc : keep_value(dst);
    if (rc != PMIX_SUCCESS) {
        PMIx_Value_destruct(dst);
    }
    return rc;
}

/* Releases the value of an info, unless it is somebody else's. */
static void fini_info(const struct px_type *type, void *element)
{
    pmix_info_t *info = element;

    if (is_persistent(info)) {
        memset(&info->value, 0, sizeof(info->value));
        return;
    }
    px_struct_fini(type, element);
}

/* Orders infos by key, flags and value. The flags for the end of an array and for the owner of the
 * value do not count: they are no part of the content. */
static pmix_value_cmp_t compare_info(const struct px_type *type, const void *a, const void *b,
                                     unsigned depth)
{
    const pmix_info_t *x = a;
    const pmix_info_t *y = b;
    const pmix_info_directives_t says =
        ~(pmix_info_directives_t) (PMIX_INFO_ARRAY_END | PMIX_INFO_PERSISTENT);
    int order = strncmp(x->key, y->key, PMIX_MAX_KEYLEN);

    (void) type;
    if (order != 0) {
        return px_order(order > 0, order < 0);
    }
    if ((x->flags & says) != (y->flags & says)) {
        return px_order((x->flags & says) > (y->flags & says), true);
    }
    return compare_value(NULL, &x->value, &y->value, depth);
}

const struct px_shape_ops px_info_ops = {
    .construct = px_struct_construct,
    .copy = copy_info,
    .fini = fini_info,
    .compare = compare_info,
    .measure = px_struct_measure,
    .print = px_struct_print,
};
