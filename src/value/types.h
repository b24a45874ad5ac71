/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_TYPES_H
#define PX_VALUE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "src/base/buf.h"

/* The table of data types (types.def, members.def) and the operations on one element of any type.
 * An element is the C representation of a type: a char * for PMIX_STRING, a pmix_info_t for
 * PMIX_INFO. A type is described by four properties: where a value keeps its element (enum
 * px_where), how the element owns memory (enum px_type_shape), how it travels (enum px_wire_form),
 * and, for a structure, its members. */

/* Memory that elements own comes from plain malloc, because applications release it with free().
 * The tables are constant, and all functions may be called from any thread. */

/* Limits. PX_VALUE_MAX_DEPTH protects the stack: deeper arrays are refused. */
enum {
    PX_VALUE_MAX_DEPTH =
        64,              /* arrays inside arrays that are copied, compared, measured or printed */
    PX_VALUE_TYPES = 76, /* types are below it */
};

/* Where a value keeps its element: in its union, in memory that the union points to, or not at all
 * (types that only arrays hold). */
enum px_where { PX_INLINE, PX_BOXED, PX_ELEMENT };

/* How an element is represented and owns memory; selects the operations (shapes.h). The shapes up
 * to PX_TYPE_TIMEVAL own nothing: code compares with it. */
enum px_type_shape {
    PX_TYPE_UNSIGNED,
    PX_TYPE_SIGNED,
    PX_TYPE_REAL,
    PX_TYPE_POINTER,
    PX_TYPE_TIMEVAL,
    PX_TYPE_STRING,
    PX_TYPE_NAME,
    PX_TYPE_STRUCT,
    PX_TYPE_INFO,
    PX_TYPE_VALUE,
    PX_TYPE_ARRAY,
    PX_TYPE_BUFFER,
    PX_TYPE_OPAQUE,
    PX_TYPE_SHAPES
};

/* How an element is encoded in messages and in payloads of a segment. src/wire writes and reads
 * the forms; their names are here so that a type is described in one place. The forms up to
 * PX_WIRE_FORM_REAL own nothing. */
enum px_wire_form {
    PX_WIRE_FORM_BOOL,     /* one byte, 0 or 1 */
    PX_WIRE_FORM_BYTE,     /* one byte as it is */
    PX_WIRE_FORM_UNSIGNED, /* variable length */
    PX_WIRE_FORM_SIGNED,   /* zig-zag, variable length */
    PX_WIRE_FORM_PID,      /* type code of the number, the number */
    PX_WIRE_FORM_REAL,     /* decimal text; 8 raw bytes when exact */
    PX_WIRE_FORM_STRING,   /* length with NUL, bytes */
    PX_WIRE_FORM_SENTINEL, /* one byte that stands for a pointer */
    PX_WIRE_FORM_TIMEVAL,  /* two signed numbers */
    PX_WIRE_FORM_NAME,     /* a string */
    PX_WIRE_FORM_BYTES,    /* size, bytes */
    PX_WIRE_FORM_BUFFER,   /* the same, into a pmix_data_buffer_t */
    PX_WIRE_FORM_VALUE,    /* type code, raw value */
    PX_WIRE_FORM_ARRAY,    /* type code, size, raw elements */
    PX_WIRE_FORM_REGEX,    /* NUL-terminated text, or a blob that says its size */
    PX_WIRE_FORM_CPUSET,   /* string, by px_wire_hooks */
    PX_WIRE_FORM_TOPO,     /* string and more, by px_wire_hooks */
    PX_WIRE_FORM_MEMBERS,  /* one member after the other */
};

/* How a member lies in its structure: one element, a key in its array, a NULL-terminated vector of
 * strings, or a pointer to elements with a count beside it. */
enum px_member_how { PX_MEMBER_ONE, PX_MEMBER_KEY, PX_MEMBER_ARGV, PX_MEMBER_MANY };

/* Exceptions of single members in messages; members.def describes them. */
enum px_member_sent { PX_SENT_SAME, PX_SENT_OWN, PX_SENT_INT16, PX_SENT_FLAGS };

/* One member of a structure: a row of members.def. */
struct px_member {
    const char *name;
    enum px_member_how how;
    enum px_member_sent sent;
    pmix_data_type_t type; /* of the elements, for ONE and MANY */
    size_t at;             /* offset of the member */
    size_t count_at;       /* offset of its size_t count, for MANY */
};

/* One data type: a row of types.def. */
struct px_type {
    const char *name; /* "PMIX_STRING" */
    size_t size;      /* of an element */
    pmix_data_type_t type;
    /* Where a value keeps its element. */
    enum px_where where;
    /* Selects the operations (shapes.h); the encoding goes by the wire form. */
    enum px_type_shape shape;
    enum px_wire_form form;
    /* PMIx_Value_get_number converts from and to the type. */
    bool number;
    /* In the order of members.def; NULL for types without members. */
    const struct px_member *members; /* of STRUCT and INFO */
    size_t n_members;
};

/* Indexed by data type; a type that does not exist has no name. */
extern const struct px_type px_types[PX_VALUE_TYPES] __attribute__((visibility("hidden")));

/* The row of a type. NULL for PMIX_UNDEF, for types that are not defined, and for PMIX_BUFFER and
 * PMIX_KVAL, which exist in messages only. */
static inline const struct px_type *px_type_info(pmix_data_type_t type)
{
    return type < PX_VALUE_TYPES && px_types[type].name != NULL ? &px_types[type] : NULL;
}

/* Makes an element empty, without looking at what is there: zeros, except where the constructors
 * of the Standard have other values. */
void px_type_construct(const struct px_type *type, void *element);

/* Deep copy into uninitialised storage. `depth` is the number of arrays around the element, 0 from
 * outside. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM (nested too deep), PMIX_ERR_NOT_SUPPORTED (a
 * topology or cpuset without src/topo, a value of a type that only arrays hold),
 * PMIX_ERR_UNKNOWN_DATA_TYPE (a value or array of an unknown type). On failure dst owns nothing.
 * The value of a persistent info is shared, not copied (nested.h). */
int px_type_copy(const struct px_type *type, void *dst, const void *src, unsigned depth);
/* The same for the interface: PMIX_ERR_BAD_PARAM without one of the two, nothing if they are the
 * same, and after another failure dst is zeros, so that a caller may destruct it. */
int px_type_xfer(const struct px_type *type, void *dst, const void *src);

/* Releases what an element owns, but not the element, which owns nothing afterwards. Keeps errno.
 * At any depth. A NULL type owns nothing. */
void px_type_fini(const struct px_type *type, void *element);

/* A total order for every type: NULL first, fewer elements before more, members in their order.
 * PMIX_VALUE_TYPE_DIFFERENT if values of different types meet, PMIX_VALUE_COMPARISON_NOT_AVAIL if
 * nested too deep or for a value of an unknown type. */
pmix_value_cmp_t px_type_compare(const struct px_type *type, const void *a, const void *b,
                                 unsigned depth);

/* Adds the memory of an element, with what it owns, to *sum. 0, PMIX_ERR_BAD_PARAM (nested too
 * deep), PMIX_ERR_UNKNOWN_DATA_TYPE (a value or array of an unknown type). */
int px_type_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum);

/* Appends text for people, without a line end. A lack of memory is left in the status of `out`. */
void px_type_print(struct px_buf *out, const struct px_type *type, const void *element,
                   unsigned depth);

/* The element in a value, borrowed; NULL if it has none (a NULL pointer in place of a boxed
 * element). The type has to be the value's and one that values can hold. */
const void *px_value_element(const pmix_value_t *value, const struct px_type *type);

/* n empty elements in new malloc memory, released with px_type_free. NULL without memory, if n is
 * 0 or too large. */
void *px_type_create(const struct px_type *type, size_t n);
/* Copies of n elements in new malloc memory; *ret_elements is NULL if there are none. Statuses as
 * px_type_copy; *ret_elements is unchanged on failure. */
int px_type_copy_many(const struct px_type *type, const void *src, size_t n, unsigned depth,
                      void **ret_elements);

/* True if elements of the type have no memory of their own; a structure, if none of its members
 * has. */
bool px_type_owns_nothing(const struct px_type *type);

/* Releases what n elements own, and the memory of the elements. Takes NULL. Keeps errno. */
void px_type_free(const struct px_type *type, void *elements, size_t n);

/* Indexed by data type: true if a value of the type owns nothing. */
extern const bool px_type_bare[PX_VALUE_TYPES] __attribute__((visibility("hidden")));

/* True if the value is of such a type: then its bytes are its copy, and releasing it is nothing. */
static inline bool px_value_is_bare(const pmix_value_t *value)
{
    return value->type < PX_VALUE_TYPES && px_type_bare[value->type];
}

#endif
