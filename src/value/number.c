/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <pmix.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "shapes.h"
#include "types.h"

/* Conversion between the number types: what fits is converted, what does not is refused by name;
 * the fraction of a real number is dropped when an integer is asked for. */

/* A number of any type: real, or a sign and a magnitude. */
struct number {
    bool is_real;
    double real;
    bool negative;
    uint64_t magnitude;
};

static struct number number_of(const struct px_type *type, const void *element)
{
    struct number number = {.is_real = type->shape == PX_TYPE_REAL};
    int64_t v;

    if (number.is_real) {
        number.real = px_load_real(type, element);
    } else if (type->shape == PX_TYPE_UNSIGNED) {
        number.magnitude = px_load_unsigned(type, element);
    } else {
        v = px_load_signed(type, element);
        number.negative = v < 0;
        number.magnitude = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;
    }
    return number;
}

/* The integer part of a real number as sign and magnitude. */
static int integer_part(struct number *number)
{
    double whole = fabs(number->real);

    if (!(whole < 18446744073709551616.0)) {
        return PMIX_ERR_LOST_PRECISION; /* also what is no number */
    }
    number->negative = number->real < 0;
    number->magnitude = (uint64_t) whole;
    return PMIX_SUCCESS;
}

static int store_unsigned(const struct px_type *type, const struct number *number, void *dest)
{
    uint64_t max = UINT64_MAX >> (64 - 8 * type->size);

    if (number->negative) {
        return PMIX_ERR_CHANGE_SIGN;
    }
    if (number->magnitude > max) {
        return PMIX_ERR_LOST_PRECISION;
    }
    switch (type->size) {
    case 1:
        *(uint8_t *) dest = (uint8_t) number->magnitude;
        break;
    case 2:
        *(uint16_t *) dest = (uint16_t) number->magnitude;
        break;
    case 4:
        *(uint32_t *) dest = (uint32_t) number->magnitude;
        break;
    default:
        *(uint64_t *) dest = number->magnitude;
    }
    return PMIX_SUCCESS;
}

static int store_signed(const struct px_type *type, const struct number *number, void *dest)
{
    uint64_t max = (UINT64_MAX >> (64 - 8 * type->size)) >> 1;
    int64_t v;

    if (number->magnitude > max + (number->negative ? 1 : 0)) {
        return PMIX_ERR_LOST_PRECISION;
    }
    v = (int64_t) (number->negative ? 0 - number->magnitude : number->magnitude);
    switch (type->size) {
    case 1:
        *(int8_t *) dest = (int8_t) v;
        break;
    case 2:
        *(int16_t *) dest = (int16_t) v;
        break;
    case 4:
        *(int32_t *) dest = (int32_t) v;
        break;
    default:
        *(int64_t *) dest = v;
    }
    return PMIX_SUCCESS;
}

static int store_real(const struct px_type *type, const struct number *number, void *dest)
{
    double v = number->is_real ? number->real : (double) number->magnitude;

    if (number->negative) {
        v = -v;
    }
    if (type->size == sizeof(double)) {
        *(double *) dest = v;
        return PMIX_SUCCESS;
    }
    if (isfinite(v) && fabs(v) > (double) FLT_MAX) {
        return PMIX_ERR_LOST_PRECISION;
    }
    *(float *) dest = (float) v;
    return PMIX_SUCCESS;
}

pmix_status_t PMIx_Value_get_number(const pmix_value_t *value, void *dest, pmix_data_type_t type)
{
    const struct px_type *to = px_type_info(type);
    const struct px_type *from = value == NULL ? NULL : px_type_info(value->type);
    struct number number;
    int rc;

    if (dest == NULL || to == NULL || from == NULL || !to->number || !from->number) {
        return PMIX_ERR_BAD_PARAM;
    }
    number = number_of(from, &value->data);
    if (to->shape == PX_TYPE_REAL) {
        return store_real(to, &number, dest);
    }
    if (number.is_real) {
        rc = integer_part(&number);
        if (rc != PMIX_SUCCESS) {
            return rc;
        }
    }
    return to->shape == PX_TYPE_SIGNED ? store_signed(to, &number, dest)
                                       : store_unsigned(to, &number, dest);
}
