/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* PMIx_Value_load and PMIx_Value_unload. Loading takes what programs have at hand: the text itself
 * for strings, namespaces and regexes, the pointer itself for pointers, the address of the element
 * for everything else. Unloading is the inverse: a scalar is stored where the caller says,
 * everything else is a copy in malloc memory that the caller frees. */
#include "load.h"

#include <pmix.h>

#include <stdlib.h>
#include <string.h>

#include "src/base/number.h"
#include "types.h"

/* A blob has three words, each with a NUL: the tag, the component, the size. Anything that does
 * not fit counts as the text up to its first NUL. */
size_t px_regex_len(const char *regex)
{
    static const char marker[] = "size=";
    const char *at = regex;
    size_t len = strlen(regex) + 1;
    uint64_t n;

    if (strcmp(regex, "blob:") != 0 && strcmp(regex, "blob") != 0) {
        return len;
    }
    at += len;
    at += strlen(at) + 1; /* the component */
    if (strncmp(at, marker, strlen(marker)) != 0) {
        return len;
    }
    if (px_number_read(at + strlen(marker), INT32_MAX, &n) == NULL) {
        return len;
    }
    return (size_t) (at - regex) + strlen(at) + 1 + n;
}

/* Stores a copy of the data in a value, according to the type. 0 or the status of px_type_copy;
 * then the value owns nothing. */
static int load_element(pmix_value_t *value, const struct px_type *type, const void *data)
{
    pmix_byte_object_t regex;

    if (type->type == PMIX_STRING || type->type == PMIX_POINTER) {
        return px_type_copy(type, &value->data, &data, 0);
    }
    if (type->type == PMIX_REGEX) {
        regex.bytes = (char *) (uintptr_t) data;
        regex.size = px_regex_len(data);
        return px_type_copy(type, &value->data, &regex, 0);
    }
    if (type->where == PX_INLINE) {
        return px_type_copy(type, &value->data, data, 0);
    }
    return px_type_copy_many(type, data, 1, 0, &value->data.ptr);
}

/* The value is overwritten, not released. On failure it is empty. No data give a value of the type
 * without content, except that a flag is then true. */
pmix_status_t PMIx_Value_load(pmix_value_t *val, const void *data, pmix_data_type_t type)
{
    const struct px_type *info = px_type_info(type);
    pmix_value_t loaded = {.type = PMIX_UNDEF};
    int rc = PMIX_SUCCESS;

    if (val == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (info == NULL) {
        rc = type == PMIX_UNDEF ? PMIX_SUCCESS : PMIX_ERR_UNKNOWN_DATA_TYPE;
    } else if (info->where == PX_ELEMENT) {
        rc = PMIX_ERR_NOT_SUPPORTED;
    } else if (data != NULL) {
        rc = load_element(&loaded, info, data);
    } else if (type == PMIX_BOOL) {
        loaded.data.flag = true; /* naming a flag sets it */
    }
    if (rc == PMIX_SUCCESS) {
        loaded.type = type;
    } else {
        memset(&loaded, 0, sizeof(loaded));
    }
    *val = loaded;
    return rc;
}

/* Copies text or bytes with a NUL behind them, which *ret_size does not count. NULL stays NULL.
 * The caller of PMIx_Value_unload frees the copy. */
static int unload_text(const char *bytes, size_t len, void **ret_data, size_t *ret_size)
{
    char *copy = NULL;

    if (bytes != NULL) {
        copy = malloc(len + 1);
        if (copy == NULL) {
            return PMIX_ERR_NOMEM;
        }
        memcpy(copy, bytes, len);
        copy[len] = '\0';
    }
    *ret_data = copy;
    *ret_size = bytes == NULL ? 0 : len;
    return PMIX_SUCCESS;
}

/* Copies an element into new memory, with everything it owns. */
static int unload_copy(const struct px_type *type, const void *element, void **ret_data,
                       size_t *ret_size)
{
    int rc = px_type_copy_many(type, element, 1, 0, ret_data);

    if (rc == PMIX_SUCCESS) {
        *ret_size = element == NULL ? 0 : type->size;
    }
    return rc;
}

/* By kind: text and regexes, pointers, everything that may own memory, and plain scalars, for
 * which *data has to point to the caller's storage. */
pmix_status_t PMIx_Value_unload(pmix_value_t *val, void **data, size_t *sz)
{
    const struct px_type *type = val == NULL ? NULL : px_type_info(val->type);
    size_t unused;

    if (val == NULL || data == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    if (type == NULL || type->where == PX_ELEMENT) {
        return PMIX_ERR_UNKNOWN_DATA_TYPE;
    }
    sz = sz == NULL ? &unused : sz;
    if (type->type == PMIX_STRING) {
        return unload_text(val->data.string,
                           val->data.string == NULL ? 0 : strlen(val->data.string), data, sz);
    }
    if (type->type == PMIX_REGEX) {
        return unload_text(val->data.bo.bytes, val->data.bo.size, data, sz);
    }
    if (type->type == PMIX_POINTER) {
        *data = val->data.ptr;
        *sz = sizeof(val->data.ptr);
        return PMIX_SUCCESS;
    }
    if (type->shape > PX_TYPE_TIMEVAL) {
        return unload_copy(type, px_value_element(val, type), data, sz);
    }
    if (*data == NULL) {
        return PMIX_ERR_BAD_PARAM;
    }
    memcpy(*data, &val->data, type->size);
    *sz = type->size;
    return PMIX_SUCCESS;
}
