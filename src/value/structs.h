/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_STRUCTS_H
#define PX_VALUE_STRUCTS_H

#include <stddef.h>

#include <pmix.h>

struct px_buf;
struct px_type;

/* Structures and arrays of elements, by the table of members (members.def). Private to this
 * folder. Any thread. */

/* The operations of the shape STRUCT, also used for infos; contracts as in types.h.
 * px_struct_construct gets zeroed memory. */
void px_struct_construct(const struct px_type *type, void *element);
/* Needs no zeroed memory. */
int px_struct_copy(const struct px_type *type, void *dst, const void *src, unsigned depth);
/* Leaves members that own nothing as they are. */
void px_struct_fini(const struct px_type *type, void *element);
int px_struct_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum);
void px_struct_print(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);

/* The order of two arrays of n_a and n_b elements: fewer elements first, then by the first
 * elements that differ. */
pmix_value_cmp_t px_many_compare(const struct px_type *type, const void *a, size_t n_a,
                                 const void *b, size_t n_b, unsigned depth);

/* Adds the memory of n elements, with what they own, to *sum. Statuses as px_type_measure. */
int px_many_measure(const struct px_type *type, const void *elements, size_t n, unsigned depth,
                    size_t *sum);

#endif
