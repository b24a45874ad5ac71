/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_SHAPES_H
#define PX_VALUE_SHAPES_H

#include "types.h"

/* The shapes of data types, private to this folder. A shape is a way in which elements are
 * represented and own memory; every type has one (types.def). The operations of types.h look up
 * the shape of a type and call its function. They get the type as well, because types of one shape
 * differ in size, members or name. */

/* The operations of one shape; contracts as at the px_type_ functions in types.h. */
struct px_shape_ops {
    /* Gets zeroed memory. NULL if the empty element is zeros. */
    void (*construct)(const struct px_type *type, void *element);
    /* Gets uninitialised memory at dst. NULL if a copy of the bytes is a copy. */
    int (*copy)(const struct px_type *type, void *dst, const void *src, unsigned depth);
    /* NULL if elements own nothing. */
    void (*fini)(const struct px_type *type, void *element);
    /* Never NULL. */
    pmix_value_cmp_t (*compare)(const struct px_type *type, const void *a, const void *b,
                                unsigned depth);
    /* Adds only what the element owns, besides its own size. NULL if elements own nothing. */
    int (*measure)(const struct px_type *type, const void *element, unsigned depth, size_t *sum);
    /* Never NULL. */
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
extern const struct px_shape_ops px_opaque_ops;

#endif
