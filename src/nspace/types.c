/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Hosts mix int, uint16 and uint32 freely, while programs read the member of the union that the
 * Standard names. So a number is stored as the key's declared type whenever it fits; one that does
 * not fit, and a value of another kind altogether, is refused rather than reinterpreted. */

#include "types.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

struct key_type {
    const char *key;
    pmix_data_type_t type;
    bool per_node;
};

static const struct key_type key_types[] = {
#define KEY_TYPE(key, type, per_node) {key, type, per_node},
#include "types_gen.h"
#undef KEY_TYPE
};

static int compare(const void *key, const void *row)
{
    return strcmp(key, ((const struct key_type *) row)->key);
}

pmix_data_type_t px_key_declared(const char *key, bool *ret_per_node)
{
    const struct key_type *row = bsearch(key, key_types, sizeof(key_types) / sizeof(key_types[0]),
                                         sizeof(key_types[0]), compare);

    *ret_per_node = row && row->per_node;
    return row ? row->type : PMIX_UNDEF;
}

/* --- integers: sign and magnitude, so that every 64-bit value of either kind has its place --- */

struct number {
    bool negative;
    uint64_t magnitude;
};

static struct number from_signed(int64_t v)
{
    return (struct number){.negative = v < 0, .magnitude = v < 0 ? 0 - (uint64_t) v : (uint64_t) v};
}

static struct number from_unsigned(uint64_t v)
{
    return (struct number){.magnitude = v};
}

static bool read_number(const pmix_value_t *value, struct number *ret)
{
    switch (value->type) {
    case PMIX_BOOL: *ret = from_unsigned(value->data.flag); return true;
    case PMIX_BYTE: *ret = from_unsigned(value->data.byte); return true;
    case PMIX_SIZE: *ret = from_unsigned(value->data.size); return true;
    case PMIX_PID: *ret = from_signed(value->data.pid); return true;
    case PMIX_INT: *ret = from_signed(value->data.integer); return true;
    case PMIX_INT8: *ret = from_signed(value->data.int8); return true;
    case PMIX_INT16: *ret = from_signed(value->data.int16); return true;
    case PMIX_INT32: *ret = from_signed(value->data.int32); return true;
    case PMIX_INT64: *ret = from_signed(value->data.int64); return true;
    case PMIX_UINT: *ret = from_unsigned(value->data.uint); return true;
    case PMIX_UINT8: *ret = from_unsigned(value->data.uint8); return true;
    case PMIX_UINT16: *ret = from_unsigned(value->data.uint16); return true;
    case PMIX_UINT32: *ret = from_unsigned(value->data.uint32); return true;
    case PMIX_UINT64: *ret = from_unsigned(value->data.uint64); return true;
    case PMIX_STATUS: *ret = from_signed(value->data.status); return true;
    case PMIX_PROC_RANK: *ret = from_unsigned(value->data.rank); return true;
    case PMIX_PROC_STATE: *ret = from_unsigned(value->data.state); return true;
    default: return false;
    }
}

/* Largest magnitude of the type on either side of zero; false when it is no integer type. */
static bool limits_of(pmix_data_type_t type, uint64_t *ret_above, uint64_t *ret_below)
{
    *ret_below = 0;
    switch (type) {
    case PMIX_BOOL: *ret_above = 1; return true;
    case PMIX_BYTE:
    case PMIX_PROC_STATE:
    case PMIX_UINT8: *ret_above = UINT8_MAX; return true;
    case PMIX_UINT16: *ret_above = UINT16_MAX; return true;
    case PMIX_UINT:
    case PMIX_PROC_RANK:
    case PMIX_UINT32: *ret_above = UINT32_MAX; return true;
    case PMIX_SIZE:
    case PMIX_UINT64: *ret_above = UINT64_MAX; return true;
    case PMIX_INT8: *ret_above = INT8_MAX; break;
    case PMIX_INT16: *ret_above = INT16_MAX; break;
    case PMIX_INT:
    case PMIX_PID:
    case PMIX_STATUS:
    case PMIX_INT32: *ret_above = INT32_MAX; break;
    case PMIX_INT64: *ret_above = INT64_MAX; break;
    default: return false;
    }
    *ret_below = *ret_above + 1;
    return true;
}

static void write_number(pmix_data_type_t type, struct number n, pmix_value_t *ret)
{
    int64_t v = (int64_t) (n.negative ? 0 - n.magnitude : n.magnitude);

    memset(ret, 0, sizeof(*ret));
    ret->type = type;
    switch (type) {
    case PMIX_BOOL: ret->data.flag = n.magnitude != 0; break;
    case PMIX_BYTE:
    case PMIX_PROC_STATE:
    case PMIX_INT8:
    case PMIX_UINT8: ret->data.uint8 = (uint8_t) v; break;
    case PMIX_INT16:
    case PMIX_UINT16: ret->data.uint16 = (uint16_t) v; break;
    case PMIX_UINT:
    case PMIX_INT:
    case PMIX_PID:
    case PMIX_STATUS:
    case PMIX_INT32:
    case PMIX_PROC_RANK:
    case PMIX_UINT32: ret->data.uint32 = (uint32_t) v; break;
    default: ret->data.uint64 = (uint64_t) v; break;
    }
}

static int fit_float(pmix_data_type_t type, const pmix_value_t *value, pmix_value_t *ret)
{
    struct number n = {0};
    double v;

    if (value->type == PMIX_FLOAT) {
        v = value->data.fval;
    } else if (value->type == PMIX_DOUBLE) {
        v = value->data.dval;
    } else if (read_number(value, &n)) {
        v = n.negative ? -(double) n.magnitude : (double) n.magnitude;
    } else {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    memset(ret, 0, sizeof(*ret));
    ret->type = type;
    if (type == PMIX_FLOAT) {
        ret->data.fval = (float) v;
    } else {
        ret->data.dval = v;
    }
    return PMIX_SUCCESS;
}

/* Text has three carriers, and a list of cpusets may come as an array. */
static bool text_will_do(pmix_data_type_t type)
{
    return type == PMIX_REGEX || type == PMIX_COMPRESSED_STRING || type == PMIX_DATA_ARRAY;
}

int px_value_fit(pmix_data_type_t type, const pmix_value_t *value, bool *ret_converted,
                 pmix_value_t *ret)
{
    struct number n;
    uint64_t above;
    uint64_t below;
    int rc;

    *ret_converted = false;
    if (type == PMIX_UNDEF || value->type == type) {
        return PMIX_SUCCESS;
    }
    if (type == PMIX_FLOAT || type == PMIX_DOUBLE) {
        rc = fit_float(type, value, ret);
        *ret_converted = rc == PMIX_SUCCESS;
        return rc;
    }
    if (type == PMIX_STRING) {
        return text_will_do(value->type) ? PMIX_SUCCESS : PMIX_ERR_TYPE_MISMATCH;
    }
    if (!limits_of(type, &above, &below) || !read_number(value, &n)) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    if (n.magnitude > (n.negative ? below : above)) {
        return PMIX_ERR_BAD_PARAM;
    }
    write_number(type, n, ret);
    *ret_converted = true;
    return PMIX_SUCCESS;
}

int px_value_u32(const pmix_value_t *value, uint32_t *ret)
{
    struct number n;

    if (!read_number(value, &n)) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    if (n.negative || n.magnitude > UINT32_MAX) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = (uint32_t) n.magnitude;
    return PMIX_SUCCESS;
}

/* --- looking into infos --- */

const pmix_value_t *px_info_find(const pmix_info_t *info, size_t ninfo, const char *key)
{
    for (size_t i = 0; i < ninfo; i++) {
        if (strncmp(info[i].key, key, PMIX_MAX_KEYLEN) == 0) {
            return &info[i].value;
        }
    }
    return NULL;
}

int px_info_open(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n)
{
    const pmix_data_array_t *array = value->data.darray;

    if (value->type != PMIX_DATA_ARRAY) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    *ret_info = NULL;
    *ret_n = 0;
    if (!array || !array->size) {
        return PMIX_SUCCESS;
    }
    if (array->type != PMIX_INFO || !array->array) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    *ret_info = array->array;
    *ret_n = array->size;
    return PMIX_SUCCESS;
}

const char *px_value_text(const pmix_value_t *value)
{
    return value && value->type == PMIX_STRING && value->data.string && value->data.string[0]
               ? value->data.string
               : NULL;
}
