/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The shapes of strings (a char * that the element owns) and of names (a namespace in its fixed
 * array, which owns nothing). */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "shapes.h"
#include "print.h"
#include "scalars.h"

/* Copies a string; NULL stays NULL. */
static int copy_string(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    const char *s = *(char *const *) src;
    char *copy = NULL;

    (void) type;
    (void) depth;
    if (s != NULL) {
        copy = strdup(s);
        if (copy == NULL) {
            return PMIX_ERR_NOMEM;
        }
    }
    *(char **) dst = copy;
    return PMIX_SUCCESS;
}

/* Frees the string and leaves NULL. */
static void fini_string(const struct px_type *type, void *element)
{
    char **s = element;

    (void) type;
    free(*s);
    *s = NULL;
}

/* Two NULLs are equal: px_order gets true for neither. */
pmix_value_cmp_t px_string_compare(const char *a, const char *b)
{
    int order;

    if (a == NULL || b == NULL) {
        return px_order(a != NULL, b != NULL);
    }
    order = strcmp(a, b);
    return px_order(order > 0, order < 0);
}

/* Orders strings, NULL first. */
static pmix_value_cmp_t compare_string(const struct px_type *type, const void *a, const void *b,
                                       unsigned depth)
{
    (void) type;
    (void) depth;
    return px_string_compare(*(char *const *) a, *(char *const *) b);
}

/* Adds the characters with their NUL. */
static int measure_string(const struct px_type *type, const void *element, unsigned depth,
                          size_t *sum)
{
    const char *s = *(char *const *) element;

    (void) type;
    (void) depth;
    *sum += s == NULL ? 0 : strlen(s) + 1;
    return PMIX_SUCCESS;
}

/* Prints the string with its control characters escaped. */
static void print_string(struct px_buf *out, const struct px_type *type, const void *element,
                         unsigned depth)
{
    (void) type;
    (void) depth;
    px_print_string(out, *(char *const *) element);
}

/* Copies a name, which may lack its NUL, and fills the rest of the array with NULs. */
static int copy_name(const struct px_type *type, void *dst, const void *src, unsigned depth)
{
    (void) depth;
    px_name_copy(dst, src, type->size - 1);
    return PMIX_SUCCESS;
}

/* Orders names as text; the last byte of the array does not count. */
static pmix_value_cmp_t compare_name(const struct px_type *type, const void *a, const void *b,
                                     unsigned depth)
{
    int order = strncmp(a, b, type->size - 1);

    (void) depth;
    return px_order(order > 0, order < 0);
}

/* Prints a name, which may lack its NUL, as it is. */
static void print_name(struct px_buf *out, const struct px_type *type, const void *element,
                       unsigned depth)
{
    (void) depth;
    px_print_format(out, "%.*s", (int) type->size - 1, (const char *) element);
}

const struct px_shape_ops px_string_ops = {
    .copy = copy_string,
    .fini = fini_string,
    .compare = compare_string,
    .measure = measure_string,
    .print = print_string,
};

const struct px_shape_ops px_name_ops = {
    .copy = copy_name,
    .compare = compare_name,
    .print = print_name,
};
