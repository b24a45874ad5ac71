/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_TOOLS_FIELD_VALUE_H
#define PX_TOOLS_FIELD_VALUE_H

#include <pmix_tool.h>
#include <stddef.h>

/* Prints values in the form that was chosen (src/tools/out.h). They come from servers and other
 * processes, and may hold anything. name is NULL in lists. */

void px_field_print_value(const char *name, const pmix_value_t *value);

/* A list of objects with "key", "name" (of the constant), "type" and "value"; PLAIN "name: value"
 * in the object that is open. */
void px_field_print_infos(const char *name, const pmix_info_t *infos, size_t n);

/* "namespace:rank"; a JSON object. */
void px_field_print_proc(const char *name, const pmix_proc_t *proc);
void px_field_print_rank(const char *name, pmix_rank_t rank);

#endif
