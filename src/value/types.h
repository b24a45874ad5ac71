/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_TYPES_H
#define PX_VALUE_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "src/base/buf.h"

/* The table of data types (types.def, members.def) and what can be done with one element of any of
 * them. An element is the C representation: a char * for PMIX_STRING, a pmix_info_t for PMIX_INFO.
 * What elements own is plain malloc memory. All functions may be called from any thread; the tables
 * are constant. */

enum {
    PX_VALUE_MAX_DEPTH =
        64,              /* arrays inside arrays that are copied, compared, measured or printed */
    PX_VALUE_TYPES = 74, /* types are below it */
};

/* Where a value keeps an element. */
enum px_where { PX_INLINE, PX_BOXED, PX_ELEMENT };

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
    PX_TYPE_TOPO,
    PX_TYPE_CPUSET,
    PX_TYPE_SHAPES
};

/* How an element travels. src/wire writes and reads it; the names stand here so that a type is
 * described in one place. */
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

enum px_member_how { PX_MEMBER_ONE, PX_MEMBER_KEY, PX_MEMBER_ARGV, PX_MEMBER_MANY };

/* Exceptions of members on the wire: see members.def. */
enum px_member_sent { PX_SENT_SAME, PX_SENT_OWN, PX_SENT_INT16, PX_SENT_FLAGS };

struct px_member {
    const char *name;
    enum px_member_how how;
    enum px_member_sent sent;
    pmix_data_type_t type; /* of the elements, for ONE and MANY */
    size_t at;             /* offset of the member */
    size_t count_at;       /* offset of its size_t count, for MANY */
};

struct px_type {
    const char *name; /* "PMIX_STRING" */
    size_t size;      /* of an element */
    pmix_data_type_t type;
    enum px_where where;
    enum px_type_shape shape;
    enum px_wire_form form;
    bool number;
    const struct px_member *members; /* of STRUCT and INFO */
    size_t n_members;
};

extern const struct px_type px_types[PX_VALUE_TYPES] __attribute__((visibility("hidden")));

/* NULL for PMIX_UNDEF, for what nobody defines, and for PMIX_BUFFER and PMIX_KVAL. */
static inline const struct px_type *px_type_info(pmix_data_type_t type)
{
    return type < PX_VALUE_TYPES && px_types[type].name != NULL ? &px_types[type] : NULL;
}

/* Makes an element the empty one: zeros, with the exceptions that the public constructors have. */
void px_type_construct(const struct px_type *type, void *element);

/* Deep copy over uninitialised storage. 0, PMIX_ERR_NOMEM, PMIX_ERR_BAD_PARAM when nested too deep,
 * PMIX_ERR_NOT_SUPPORTED for topologies and cpusets without src/topo, PMIX_ERR_UNKNOWN_DATA_TYPE
 * for a value of no known type; on failure dst owns nothing. `depth` counts arrays around the
 * element: 0 from outside. */
int px_type_copy(const struct px_type *type, void *dst, const void *src, unsigned depth);

/* Releases what an element owns, not the element, and leaves it owning nothing. Keeps errno. Any
 * depth. An unknown type (NULL) owns nothing. */
void px_type_fini(const struct px_type *type, void *element);

/* A total order for every type: NULL before anything, fewer before more, members in their order.
 * PMIX_VALUE_TYPE_DIFFERENT when values of different types meet, PMIX_VALUE_COMPARISON_NOT_AVAIL
 * when nested too deep or of an unknown type. */
pmix_value_cmp_t px_type_compare(const struct px_type *type, const void *a, const void *b,
                                 unsigned depth);

/* Adds the memory that an element takes, with what it owns, to *sum. 0, PMIX_ERR_BAD_PARAM when
 * nested too deep. */
int px_type_measure(const struct px_type *type, const void *element, unsigned depth, size_t *sum);

/* Appends text for people, without a line end. */
void px_type_print(struct px_buf *out, const struct px_type *type, const void *element,
                   unsigned depth);

/* The element inside a value, NULL when it has none (a NULL box). The type is one that values can
 * hold. */
void *px_value_element(pmix_value_t *value, const struct px_type *type);
const void *px_value_element_const(const pmix_value_t *value, const struct px_type *type);

/* n elements in fresh malloc memory: empty ones, or copies. NULL without memory, when n is 0 or too
 * large. */
void *px_type_create(const struct px_type *type, size_t n);
int px_type_copy_many(const struct px_type *type, const void *src, size_t n, unsigned depth,
                      void **ret_elements);

/* Finishes n elements and frees the memory. Takes NULL. */
void px_type_free(const struct px_type *type, void *elements, size_t n);

/* Whether values of a type own nothing. */
extern const bool px_type_bare[PX_VALUE_TYPES] __attribute__((visibility("hidden")));
/* PMIx_Value_free of one value that owns that and nothing else. */
void px_value_free_with(pmix_value_t *v, void *owned);

#endif
