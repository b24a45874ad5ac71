/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_NUMBER_H
#define PX_VALUE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stdint.h>

#include <pmix.h>

struct px_type;

/* An integer as sign and magnitude, so that every 64-bit value of either kind has its place. */
struct px_integer {
    bool negative;
    uint64_t magnitude;
};

/* Any integer type but PMIX_TIME, PMIX_PROC_RANK, PMIX_PROC_STATE, PMIX_STATUS or PMIX_BOOL; false:
 * none. */
bool px_value_integer(const pmix_value_t *value, struct px_integer *ret);

int px_integer_store(struct px_integer n, const struct px_type *type, void *dest);

/* The lower `size` bytes of a number, which are an integer of that size: 1, 2, 4 or 8. */
void px_store_bits(uint64_t bits, size_t size, void *element);

/* What px_value_integer reads. */
bool px_type_is_integer(const struct px_type *type);

#endif
