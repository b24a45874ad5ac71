/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_SHAPES_H
#define PX_VALUE_SHAPES_H

#include "types.h"

/* The shapes of data types, private to this folder. A shape is a way in which elements are
 * represented and own memory; every type has one (types.def). */

/* The operations of one shape; contracts as at the px_type_ functions in types.h. `construct` gets
 * zeroed memory; `copy` uninitialised memory; `measure` adds only what the element owns, besides
 * its own size. NULL means that elements start as zeros, are copied as bytes, or own nothing;
 * `compare` and `print` are never NULL. */
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

/* One for each shape; POINTER shares that of UNSIGNED. The files are named in types.def. */
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

#endif
