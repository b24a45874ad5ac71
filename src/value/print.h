/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_PRINT_H
#define PX_VALUE_PRINT_H

#include <stddef.h>

struct px_buf;
struct px_type;

/* Text for people: the print functions of the shapes and their helpers. All append to `out` and
 * leave a lack of memory in its `failed`, so callers check once at the end; none ends a line.
 * `depth` counts the arrays around an element, as in types.h. Programs must not parse the text.
 * Any thread. */

/* Appends text as printf() makes it, of any length. */
void px_print_format(struct px_buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a number, flag, enumeration or time, by name if its type has names. */
void px_print_scalar(struct px_buf *out, const struct px_type *type, const void *element,
                     unsigned depth);
/* Appends a string with its control characters escaped, "NULL" for NULL. */
void px_print_string(struct px_buf *out, const char *s);
/* Appends the number of bytes and the first of them in hexadecimal; bytes may be NULL. */
void px_print_bytes(struct px_buf *out, const void *bytes, size_t n);
/* Appends the elements of an array in brackets, at most 256 of them; bytes as px_print_bytes. */
void px_print_many(struct px_buf *out, const struct px_type *type, const void *elements, size_t n,
                   unsigned depth);

#endif
