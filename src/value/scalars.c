/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#include <stdint.h>
#include <string.h>

#include "shapes.h"

/* Elements that own nothing: numbers, flags, enumerations, times, foreign pointers. */

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

double px_load_real(const struct px_type *type, const void *element)
{
    return type->size == sizeof(float) ? (double) *(const float *) element
                                       : *(const double *) element;
}

pmix_value_cmp_t px_order(bool greater, bool less)
{
    return greater ? PMIX_VALUE1_GREATER : less ? PMIX_VALUE2_GREATER : PMIX_EQUAL;
}

static pmix_value_cmp_t compare_signed(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    int64_t x = px_load_signed(type, a);
    int64_t y = px_load_signed(type, b);

    (void) depth;
    return px_order(x > y, x < y);
}

static pmix_value_cmp_t compare_unsigned(const struct px_type *type, const void *a, const void *b,
                                         unsigned depth)
{
    uint64_t x = px_load_unsigned(type, a);
    uint64_t y = px_load_unsigned(type, b);

    (void) depth;
    return px_order(x > y, x < y);
}

/* What is no number comes after all numbers and equals itself, so the order stays total. */
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

void px_no_construct(const struct px_type *type, void *element)
{
    (void) type;
    (void) element;
}

static int copy_plain(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    (void) depth;
    memcpy(dst, src, type->size);
    return PMIX_SUCCESS;
}

void px_no_fini(const struct px_type *type, void *element)
{
    (void) type;
    (void) element;
}

int px_no_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum)
{
    (void) type;
    (void) element;
    (void) depth;
    (void) sum;
    return PMIX_SUCCESS;
}

const struct px_shape_ops px_unsigned_ops = {
    .construct = px_no_construct,
    .copy = copy_plain,
    .fini = px_no_fini,
    .compare = compare_unsigned,
    .measure = px_no_measure,
    .print = px_print_scalar,
};

const struct px_shape_ops px_signed_ops = {
    .construct = px_no_construct,
    .copy = copy_plain,
    .fini = px_no_fini,
    .compare = compare_signed,
    .measure = px_no_measure,
    .print = px_print_scalar,
};

const struct px_shape_ops px_real_ops = {
    .construct = px_no_construct,
    .copy = copy_plain,
    .fini = px_no_fini,
    .compare = compare_real,
    .measure = px_no_measure,
    .print = px_print_scalar,
};

const struct px_shape_ops px_pointer_ops = {
    .construct = px_no_construct,
    .copy = copy_plain,
    .fini = px_no_fini,
    .compare = compare_unsigned,
    .measure = px_no_measure,
    .print = px_print_scalar,
};

const struct px_shape_ops px_timeval_ops = {
    .construct = px_no_construct,
    .copy = copy_plain,
    .fini = px_no_fini,
    .compare = compare_timeval,
    .measure = px_no_measure,
    .print = px_print_scalar,
};
