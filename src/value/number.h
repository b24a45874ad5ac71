/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Integers of any width and sign in one representation, and the conversion to and from the types
 * of values. A number that does not fit its destination is refused with a status that says why,
 * and never cut off. Any thread. */
#ifndef PX_VALUE_NUMBER_H
#define PX_VALUE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_type;

/* An integer as sign and magnitude, which represents every signed and unsigned 64-bit value. */
struct px_integer {
    bool negative;
    uint64_t magnitude;
};

/* True if the value has an integer type: any that px_type_is_integer accepts. *ret is set then. */
bool px_value_integer(const pmix_value_t *value, struct px_integer *ret);

/* Stores a number as an element of an integer type. 0, PMIX_ERR_CHANGE_SIGN (negative, and the
 * type is unsigned), PMIX_ERR_LOST_PRECISION (too large); *dest is set on success only. */
int px_integer_store(struct px_integer n, const struct px_type *type, void *dest);

/* Stores the lower `size` bytes of a number as an integer of that size: 1, 2, 4 or 8. */
void px_store_bits(uint64_t bits, size_t size, void *element);

/* True if elements of the type are integers: any number type but reals and PMIX_TIME; also
 * PMIX_BOOL and PMIX_PROC_STATE. */
bool px_type_is_integer(const struct px_type *type);

#endif
