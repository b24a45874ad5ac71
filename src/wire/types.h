/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_TYPES_H
#define PX_WIRE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* The table of codec.def as data, for the packer and the unpacker. Constant; any thread. Sizes
 * and places agree with src/value/types.def; test/unit/wire/types.c holds them together. */

enum px_shape {
    PX_SHAPE_NOTHING,  /* no bytes */
    PX_SHAPE_BOOL,     /* one byte, 0 or 1 */
    PX_SHAPE_BYTE,     /* one byte as it is */
    PX_SHAPE_UNSIGNED, /* variable length */
    PX_SHAPE_SIGNED,   /* zig-zag, variable length */
    PX_SHAPE_PID,      /* type code of the number, the number */
    PX_SHAPE_REAL,     /* decimal text; 8 raw bytes when exact */
    PX_SHAPE_STRING,   /* length with NUL, bytes */
    PX_SHAPE_BYTES,    /* size, bytes */
    PX_SHAPE_BUFFER,   /* the same, into a pmix_data_buffer_t */
    PX_SHAPE_VALUE,    /* type code, raw value */
    PX_SHAPE_ARRAY,    /* type code, size, raw elements */
    PX_SHAPE_REGEX,    /* NUL-terminated text, or a blob that says its size */
    PX_SHAPE_SENTINEL, /* one byte that stands for a pointer */
    PX_SHAPE_CPUSET,   /* string, by px_wire_hooks */
    PX_SHAPE_TOPO,     /* string and more, by px_wire_hooks */
    PX_SHAPE_FIELDS,   /* composite */
};

enum px_place { PX_PLACE_NONE, PX_PLACE_INLINE, PX_PLACE_POINTER };

enum px_field_op {
    PX_FIELD_END,
    PX_FIELD_TYPE,  /* raw value of `type` at `at` */
    PX_FIELD_EXACT, /* the same, only in exact encodings: peers do not carry it */
    PX_FIELD_FLAGS, /* the flags of an info but PMIX_INFO_PERSISTENT, which tells of memory of one
                       process */
    PX_FIELD_FIXED, /* string in a char array of `more` bytes at `at` */
    PX_FIELD_ARRAY, /* size_t count at `more`, pointer to elements of `type` at `at` */
    PX_FIELD_ARGV,  /* signed count, strings; NULL-terminated array at `at` */
};

struct px_field {
    uint8_t op;
    uint8_t type;
    uint16_t at;
    uint16_t more;
};

struct px_wire_type {
    const struct px_field *fields; /* ended by PX_FIELD_END; NULL for what is no composite */
    uint16_t size;                 /* of the C representation */
    uint8_t shape;
    uint8_t place;
};

enum { PX_WIRE_TYPES = 74 };

/* NULL for codes that nobody defines, and for BUFFER and KVAL, which have functions of their own.
 */
const struct px_wire_type *px_wire_type(pmix_data_type_t type);

#endif
