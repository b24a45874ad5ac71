/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_SHAPES_H
#define PX_VALUE_SHAPES_H

#include "types.h"

/* The rules of one shape; contracts as at the px_type_ functions. `construct` gets zeroed memory;
 * `measure` adds only what the element owns. NULL: elements start as zeros, are copied as bytes,
 * own nothing; `compare` and `print` are never NULL. Private to this folder. */
struct px_shape_ops {
    void (*construct)(const struct px_type *type, void *element);
    int (*copy)(const struct px_type *type, void *dst, const void *src, unsigned depth);
    void (*fini)(const struct px_type *type, void *element);
    pmix_value_cmp_t (*compare)(const struct px_type *type, const void *a, const void *b,
                                unsigned depth);
    int (*measure)(const struct px_type *type, const void *element, unsigned depth, size_t *sum);
    void (*print)(struct px_buf *out, const struct px_type *type, const void *element,
                  unsigned depth);
};

extern const struct px_shape_ops px_unsigned_ops;
extern const struct px_shape_ops px_signed_ops;
extern const struct px_shape_ops px_real_ops;
extern const struct px_shape_ops px_timeval_ops;
extern const struct px_shape_ops px_string_ops;
extern const struct px_shape_ops px_name_ops;
extern const struct px_shape_ops px_struct_ops;
extern const struct px_shape_ops px_info_ops;
extern const struct px_shape_ops px_value_ops;
extern const struct px_shape_ops px_array_ops;
extern const struct px_shape_ops px_buffer_ops;
extern const struct px_shape_ops px_topo_ops;
extern const struct px_shape_ops px_cpuset_ops;

/* Greater, less, or neither. */
pmix_value_cmp_t px_order(bool greater, bool less);

/* structs.c: by members.def. */
void px_struct_construct(const struct px_type *type, void *element);
int px_struct_copy(const struct px_type *type, void *dst, const void *src, unsigned depth);
void px_struct_fini(const struct px_type *type, void *element);
pmix_value_cmp_t px_struct_compare(const struct px_type *type, const void *a, const void *b,
                                   unsigned depth);
int px_struct_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum);
void px_struct_print(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);

/* An array: type, count, elements. */
pmix_value_cmp_t px_many_compare(const struct px_type *type, const void *a, size_t n_a,
                                 const void *b, size_t n_b, unsigned depth);

int px_many_measure(const struct px_type *type, const void *elements, size_t n, unsigned depth,
                    size_t *sum);

/* Text order, NULL first. */
pmix_value_cmp_t px_string_compare(const char *a, const char *b);

/* strings.c: the name of an enumerated value, or NULL when the type has no names. */
const char *px_name_of(pmix_data_type_t type, uint64_t value);

/* print.c */
void px_print_format(struct px_buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void px_print_scalar(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);
void px_print_string(struct px_buf *out, const char *s);
void px_print_bytes(struct px_buf *out, const void *bytes, size_t n);
void px_print_many(struct px_buf *out, const struct px_type *type, const void *elements, size_t n,
                   unsigned depth);

#endif
