/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Hosts use int, uint16 and uint32 interchangeably, while programs read the member of the union
 * that the Standard names. So a number is stored as the declared type of its key whenever it fits.
 * A number that does not fit, and a value of another kind, is refused and not reinterpreted.
 *
 * A converted value has no inner memory, so it needs no destructor. Unknown keys, and keys that
 * the Standard gives several types, have no declared type: their values are stored unchanged. */

#include "key_types.h"

#include <stdlib.h>
#include <string.h>

#include <pmix.h>

#include "src/value/number.h"
#include "src/value/types.h"

/* One row of the table, which is generated from tables/attributes.tsv and sorted by name. */
struct key_type {
    const char *name;
    pmix_data_type_t type;
    bool per_node;
};

/* Sorted by name, for bsearch. types_gen.h is made from the table of attributes. */
static const struct key_type key_types[] = {
#define KEY_TYPE(key, type, per_node) {key, type, per_node},
#include "types_gen.h"
#undef KEY_TYPE
};

/* Order of bsearch. */
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

/* Converts between integer and floating-point types. A floating-point number becomes no integer. */
static int fit_number(const struct px_type *type, const pmix_value_t *value, pmix_value_t *ret)
{
    bool real = value->type == PMIX_FLOAT || value->type == PMIX_DOUBLE;
    pmix_value_t fitted = {.type = type->type};
    struct px_integer n = {0};
    double v;

    if ((!real && !px_value_integer(value, &n)) ||
        (type->shape != PX_TYPE_REAL && (real || !px_type_is_integer(type)))) {
        return PMIX_ERR_TYPE_MISMATCH;
    }
    v = value->type == PMIX_FLOAT    ? value->data.fval
        : value->type == PMIX_DOUBLE ? value->data.dval
        : n.negative                 ? -(double) n.magnitude
                                     : (double) n.magnitude;
    if (type->type == PMIX_FLOAT) {
        fitted.data.fval = (float) v;
    } else if (type->type == PMIX_DOUBLE) {
        fitted.data.dval = v;
    } else if (px_integer_store(n, type, &fitted.data)) {
        return PMIX_ERR_BAD_PARAM;
    }
    *ret = fitted;
    return PMIX_SUCCESS;
}

/* True if a value of the type may be stored where a string is declared: text has several forms, and
 * a list of cpusets may be an array. */
static bool text_will_do(pmix_data_type_t type)
{
    return type == PMIX_REGEX || type == PMIX_REGEX2 || type == PMIX_COMPRESSED_STRING ||
           type == PMIX_DATA_ARRAY;
}

/* A declared string accepts every form of text; all other conversions are between numbers. */
int px_value_fit(pmix_data_type_t type, const pmix_value_t *value, bool *ret_converted,
                 pmix_value_t *ret)
{
    const struct px_type *info = px_type_info(type);
    int rc;

    *ret_converted = false;
    if (type == PMIX_UNDEF || value->type == type) {
        return PMIX_SUCCESS;
    }
    if (!info || type == PMIX_STRING) {
        return info && text_will_do(value->type) ? PMIX_SUCCESS : PMIX_ERR_TYPE_MISMATCH;
    }
    rc = fit_number(info, value, ret);
    *ret_converted = !rc;
    return rc;
}
