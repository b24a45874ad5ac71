/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_STRUCTS_H
#define PX_VALUE_STRUCTS_H

#include <stddef.h>

#include <pmix.h>

struct px_buf;
struct px_type;

/* structs.c: by members.def. */
void px_struct_construct(const struct px_type *type, void *element);
int px_struct_copy(const struct px_type *type, void *dst, const void *src, unsigned depth);
void px_struct_fini(const struct px_type *type, void *element);
int px_struct_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum);
void px_struct_print(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);

/* An array: type, count, elements. */
pmix_value_cmp_t px_many_compare(const struct px_type *type, const void *a, size_t n_a,
                                 const void *b, size_t n_b, unsigned depth);

int px_many_measure(const struct px_type *type, const void *elements, size_t n, unsigned depth,
                    size_t *sum);

#endif
