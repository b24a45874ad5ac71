/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_ATTRIBUTES_H
#define PX_VALUE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "src/value/directives.h"

/* Which attributes which call supports, at which level: what the library itself does (a constant
 * table) and what the host has said of itself (PMIx_Register_attributes). Any thread. */

struct px_attrs;

struct px_attrs *px_attrs_create(void);        /* NULL: no memory */
void px_attrs_destroy(struct px_attrs *attrs); /* takes NULL */

/* What the host supports in a call, by the name of the call or of the upcall; names end with NULL.
 * A call and its _nb form are two functions. 0, PMIX_ERR_REPEAT_ATTR_REGISTRATION (the same
 * function again), PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. */
int px_attrs_register(struct px_attrs *attrs, const char *function, char **names);

/* Does the query ask about attributes or functions? Then its wanted levels. */
bool px_attrs_asked(const pmix_query_t *query, unsigned *ret_levels);

/* The answer for those of the wanted levels that are in `levels`, appended to *info (malloc'd,
 * PMIx_Info_free). For every call asked about and every level one element: the call's name, and an
 * array with the level, whose value is an array of pmix_regattr_t, or nothing when the level has no
 * support. attrs may be NULL. 0 (also: the query asks for nothing of this),
 * PMIX_ERR_PARTIAL_SUCCESS (some names are of no call), PMIX_ERR_NOT_FOUND (all of them),
 * PMIX_ERR_BAD_PARAM (names without PMIX_QUERY_ATTRIBUTE_SUPPORT in front), PMIX_ERR_NOMEM; with
 * the last three *info is as before. */
int px_attrs_answer(struct px_attrs *attrs, unsigned levels, const pmix_query_t *query,
                    pmix_info_t **info, size_t *ninfo);

#endif
