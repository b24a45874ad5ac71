/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_READ_H
#define PX_TOOLS_FIELD_READ_H

#include <pmix_tool.h>
#include <stddef.h>

#include "field.h"

/* Text of the command line as values. All return 0, or PX_USAGE_ERROR after a complaint, which
 * leaves the result alone. */

/* Adds a directive of a known type. */
int px_field_add_info(const struct px_field *field, struct px_field_infos *infos, const char *key,
                      const void *value, pmix_data_type_t type);

/* Adds "[!]KEY[:TYPE][=VALUE]". KEY is a string or the name of its constant; without TYPE the value
 * has the type that the attribute has in the Standard, or is text; without VALUE it is true. "!"
 * makes it required. */
int px_field_add_text(const struct px_field *field, struct px_field_infos *infos, const char *text);

/* An option that stands for an attribute: a flag for true, text for a value of the attribute's
 * type. */
struct px_field_attribute {
    size_t offset; /* in the command's options: a bool, or a const char * */
    bool is_flag;
    bool required;
    const char *name; /* of the constant */
};

/* Adds those that are given. */
int px_field_add_options(const struct px_field *field, struct px_field_infos *infos,
                         const struct px_field_attribute *attributes, size_t n);

void px_field_infos_free(struct px_field_infos *infos);

/* Options of several commands: --info, which adds to the command's infos, and --targets, which adds
 * to its targets. `options` is a struct px_field. */
int px_field_read_info(const char *text, void *options);
int px_field_read_targets(const char *text, void *options);

/* A number, or the name of a constant, with or without "PMIX_". */
int px_field_read_status(const struct px_field *field, const char *text, pmix_status_t *ret);
int px_field_read_range(const struct px_field *field, const char *text, pmix_data_range_t *ret);

/* A number, or a name with or without "SIG". */
int px_field_read_signal(const struct px_field *field, const char *text, int *ret);

/* The next item of a list with commas: a copy for free(3), and *rest moves behind it. NULL: there
 * is none left. Commas in brackets separate nothing. */
char *px_field_next(const char **rest);

#endif
