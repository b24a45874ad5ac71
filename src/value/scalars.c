/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shapes of elements that own nothing: numbers, flags, enumerations, times, pointers of other
 * processes. They are copied and released as plain bytes, so they only need comparison and
 * printing. */
#include "scalars.h"

#include <stdint.h>

#include "shapes.h"
#include "print.h"

/* Sign-extends elements of 1, 2, 4 or 8 bytes. */
int64_t px_load_signed(const struct px_type *type, const void *element)
{
    switch (type->size) {
    case 1:
        return *(const int8_t *) element;
    case 2:
        return *(const int16_t *) element;
    case 4:
        return *(const int32_t *) element;
    default:
        return *(const int64_t *) element;
    }
}

/* Zero-extends elements of 1, 2, 4 or 8 bytes. */
uint64_t px_load_unsigned(const struct px_type *type, const void *element)
{
    switch (type->size) {
    case 1:
        return *(const uint8_t *) element;
    case 2:
        return *(const uint16_t *) element;
    case 4:
        return *(const uint32_t *) element;
    default:
        return *(const uint64_t *) element;
    }
}

/* Every float is a double, so nothing is lost. */
double px_load_real(const struct px_type *type, const void *element)
{
    return type->size == sizeof(float) ? (double) *(const float *) element
                                       : *(const double *) element;
}

/* `greater` wins if both are true. */
pmix_value_cmp_t px_order(bool greater, bool less)
{
    return greater ? PMIX_VALUE1_GREATER : less ? PMIX_VALUE2_GREATER : PMIX_EQUAL;
}

/* Orders signed numbers of any size. */
static pmix_value_cmp_t compare_signed(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    int64_t x = px_load_signed(type, a);
    int64_t y = px_load_signed(type, b);

    (void) depth;
    return px_order(x > y, x < y);
}

/* Orders unsigned numbers of any size, and pointers by their address. */
static pmix_value_cmp_t compare_unsigned(const struct px_type *type, const void *a, const void *b,
                                         unsigned depth)
{
    uint64_t x = px_load_unsigned(type, a);
    uint64_t y = px_load_unsigned(type, b);

    (void) depth;
    return px_order(x > y, x < y);
}

/* Orders real numbers. NaN comes after all numbers and equals itself, so that the order is
 * total. */
static pmix_value_cmp_t compare_real(const struct px_type *type, const void *a, const void *b,
                                     unsigned depth)
{
    double x = px_load_real(type, a);
    double y = px_load_real(type, b);
    bool x_nan = x != x;
    bool y_nan = y != y;

    (void) depth;
    if (x_nan || y_nan) {
        return px_order(x_nan && !y_nan, y_nan && !x_nan);
    }
    return px_order(x > y, x < y);
}

/* Orders times by seconds, then microseconds. */
static pmix_value_cmp_t compare_timeval(const struct px_type *type, const void *a, const void *b,
                                        unsigned depth)
{
    const struct timeval *x = a;
    const struct timeval *y = b;

    (void) type;
    (void) depth;
    if (x->tv_sec != y->tv_sec) {
        return px_order(x->tv_sec > y->tv_sec, true);
    }
    return px_order(x->tv_usec > y->tv_usec, x->tv_usec < y->tv_usec);
}

const struct px_shape_ops px_unsigned_ops = {.compare = compare_unsigned, .print = px_print_scalar};
const struct px_shape_ops px_signed_ops = {.compare = compare_signed, .print = px_print_scalar};
const struct px_shape_ops px_real_ops = {.compare = compare_real, .print = px_print_scalar};
const struct px_shape_ops px_timeval_ops = {.compare = compare_timeval, .print = px_print_scalar};
