/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Hosts mix int, uint16 and uint32 freely, while programs read the member of the union that the
 * Standard names. So a number is stored as the key's declared type whenever it fits; one that does
 * not fit, and a value of another kind altogether, is refused rather than reinterpreted. */

#include "key_types.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/value/infos.h"

struct key_type {
    const char *name;
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
    return strcmp(key, ((const struct key_type *) row)->name);
}

pmix_data_type_t px_key_declared(const char *key, bool *ret_per_node)
{
    const struct key_type *row = bsearch(key, key_types, sizeof(key_types) / sizeof(key_types[0]),
                                         sizeof(key_types[0]), compare);

    *ret_per_node = row && row->per_node;
    return row ? row->type : PMIX_UNDEF;
}

/* --- integers --- */

/* Largest magnitude of the type on either side of zero; false when it is no integer type. */
static bool limits_of(pmix_data_type_t type, uint64_t *ret_above, uint64_t *ret_below)
{
    *ret_below = 0;
    switch (type) {
    case PMIX_BOOL:
        *ret_above = 1;
        return true;
    case PMIX_BYTE:
    case PMIX_PROC_STATE:
    case PMIX_UINT8:
        *ret_above = UINT8_MAX;
        return true;
    case PMIX_UINT16:
        *ret_above = UINT16_MAX;
        return true;
    case PMIX_UINT:
    case PMIX_PROC_RANK:
    case PMIX_UINT32:
        *ret_above = UINT32_MAX;
        return true;
    case PMIX_SIZE:
    case PMIX_UINT64:
        *ret_above = UINT64_MAX;
        return true;
    case PMIX_INT8:
        *ret_above = INT8_MAX;
        break;
    case PMIX_INT16:
        *ret_above = INT16_MAX;
        break;
    case PMIX_INT:
    case PMIX_PID:
    case PMIX_STATUS:
    case PMIX_INT32:
        *ret_above = INT32_MAX;
        break;
    case PMIX_INT64:
        *ret_above = INT64_MAX;
        break;
    default:
        return false;
    }
    *ret_below = *ret_above + 1;
    return true;
}

static void write_number(pmix_data_type_t type, struct px_integer n, pmix_value_t *ret)
{
    int64_t v = (int64_t) (n.negative ? 0 - n.magnitude : n.magnitude);

    memset(ret, 0, sizeof(*ret));
    ret->type = type;
    switch (type) {
    case PMIX_BOOL:
        ret->data.flag = n.magnitude != 0;
        break;
    case PMIX_BYTE:
    case PMIX_PROC_STATE:
    case PMIX_INT8:
    case PMIX_UINT8:
        ret->data.uint8 = (uint8_t) v;
        break;
    case PMIX_INT16:
    case PMIX_UINT16:
        ret->data.uint16 = (uint16_t) v;
        break;
    case PMIX_UINT:
    case PMIX_INT:
    case PMIX_PID:
    case PMIX_STATUS:
    case PMIX_INT32:
    case PMIX_PROC_RANK:
    case PMIX_UINT32:
        ret->data.uint32 = (uint32_t) v;
        break;
    default:
        ret->data.uint64 = (uint64_t) v;
        break;
    }
}

static int fit_float(pmix_data_type_t type, const pmix_value_t *value, pmix_value_t *ret)
{
    struct px_integer n = {0};
    double v;

    if (value->type == PMIX_FLOAT) {
        v = value->data.fval;
    } else if (value->type == PMIX_DOUBLE) {
        v = value->data.dval;
    } else if (px_value_integer(value, &n)) {
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
    struct px_integer n;
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
    if (!limits_of(type, &above, &below) || !px_value_integer(value, &n)) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    if (n.magnitude > (n.negative ? below : above)) {
        return PMIX_ERR_BAD_PARAM;
    }
    write_number(type, n, ret);
    *ret_converted = true;
    return PMIX_SUCCESS;
}
