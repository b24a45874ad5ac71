/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_SCALARS_H
#define PX_VALUE_SCALARS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

struct px_type;

/* Loading and ordering of elements that own nothing. Any thread. */

/* The result of a comparison from its two halves; both false means equal. */
pmix_value_cmp_t px_order(bool greater, bool less);

/* The number at an element of a signed, unsigned or real type of any size, widened. The type's
 * shape has to be the one of the function. */
int64_t px_load_signed(const struct px_type *type, const void *element);
/* For types of shape UNSIGNED and POINTER. */
uint64_t px_load_unsigned(const struct px_type *type, const void *element);
/* For PMIX_FLOAT and PMIX_DOUBLE. */
double px_load_real(const struct px_type *type, const void *element);

#endif
