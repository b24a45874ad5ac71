/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Conversion between the number types (PMIx_Value_get_number). A number that fits the other type
 * is converted, another one is refused with the status that says why. The fraction of a real
 * number is dropped if an integer is wanted. */
#include "number.h"

#include <pmix.h>

#include <float.h>
#include <math.h>

#include "types.h"
#include "scalars.h"

#include "src/base/assert.h"

/* Wider than the column `number` of types.def, which lists the types that the interface
 * converts. */
bool px_type_is_integer(const struct px_type *type)
{
    return (type->number && type->shape != PX_TYPE_REAL && type->type != PMIX_TIME) ||
           type->type == PMIX_BOOL || type->type == PMIX_PROC_STATE;
}

/* The integer at an element of an integer type. The smallest negative number needs the unsigned
 * subtraction: its magnitude is no int64_t. */
static struct px_integer integer_at(const struct px_type *type, const void *element)
{
    int64_t v;

    if (type->shape == PX_TYPE_UNSIGNED) {
        return (struct px_integer){.magnitude = px_load_unsigned(type, element)};
    }
    v = px_load_signed(type, element);
    return (struct px_integer){.negative = v < 0,
                               .magnitude = v < 0 ? 0 - (uint64_t) v : (uint64_t) v};
}

/* Integers lie in the union of a value, so no pointer is followed. */
bool px_value_integer(const pmix_value_t *value, struct px_integer *ret)
{
    const struct px_type *type = px_type_info(value->type);

    if (type == NULL || !px_type_is_integer(type)) {
        return false;
    }
    *ret = integer_at(type, &value->data);
    return true;
}

/* The element has the alignment of its type. */
void px_store_bits(uint64_t bits, size_t size, void *element)
{
    px_assert(size == 1 || size == 2 || size == 4 || size == 8);
    switch (size) {
    case 1:
        *(uint8_t *) element = (uint8_t) bits;
        break;
    case 2:
        *(uint16_t *) element = (uint16_t) bits;
        break;
    case 4:
        *(uint32_t *) element = (uint32_t) bits;
        break;
    default:
        *(uint64_t *) element = bits;
    }
}

/* The largest number that an integer type represents: 1 for PMIX_BOOL, else by size and sign. */
static uint64_t largest(const struct px_type *type)
{
    uint64_t max = UINT64_MAX >> (64 - 8 * type->size);

    return type->type == PMIX_BOOL ? 1 : type->shape == PX_TYPE_SIGNED ? max >> 1 : max;
}

/* The magnitude of the smallest negative number is one more than that of the largest positive
 * one. */
int px_integer_store(struct px_integer n, const struct px_type *type, void *dest)
{
    uint64_t bits = n.negative ? 0 - n.magnitude : n.magnitude;

    if (n.negative && type->shape == PX_TYPE_UNSIGNED) {
        return PMIX_ERR_CHANGE_SIGN;
    }
    if (n.magnitude > largest(type) + (n.negative ? 1 : 0)) {
        return PMIX_ERR_LOST_PRECISION;
    }
    px_store_bits(bits, type->size, dest);
    return PMIX_SUCCESS;
}

/* The integer part of a real number. PMIX_ERR_LOST_PRECISION if it does not fit 64 bits or is not
 * a number. */
static int integer_part(double real, struct px_integer *ret)
{
    double whole = fabs(real);

    if (!(whole < 18446744073709551616.0)) {
        return PMIX_ERR_LOST_PRECISION; /* also what is no number */
    }
    *ret = (struct px_integer){.negative = real < 0, .magnitude = (uint64_t) whole};
    return PMIX_SUCCESS;
}

/* Stores a real number. A float may lose digits, but PMIX_ERR_LOST_PRECISION is returned for a
 * finite number beyond its range; infinity and NaN are stored. */
static int store_real(double v, const struct px_type *type, void *dest)
{
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

/* Integers go through px_integer; only a real number that is wanted as a real stays a double. */
pmix_status_t PMIx_Value_get_number(const pmix_value_t *value, void *dest, pmix_data_type_t type)
{
    const struct px_type *to = px_type_info(type);
    const struct px_type *from = value == NULL ? NULL : px_type_info(value->type);
    struct px_integer n = {0};
    bool is_real;
    double real;
    int rc;

    if (dest == NULL || to == NULL || from == NULL || !to->number || !from->number) {
        return PMIX_ERR_BAD_PARAM;
    }
    is_real = from->shape == PX_TYPE_REAL;
    if (!is_real) {
        n = integer_at(from, &value->data);
    }
    if (to->shape == PX_TYPE_REAL) {
        real = n.negative ? -(double) n.magnitude : (double) n.magnitude;
        return store_real(is_real ? px_load_real(from, &value->data) : real, to, dest);
    }
    rc = is_real ? integer_part(px_load_real(from, &value->data), &n) : PMIX_SUCCESS;
    return rc != PMIX_SUCCESS ? rc : px_integer_store(n, to, dest);
}
