/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_ATTRIBUTES_H
#define PX_VALUE_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

#include "src/value/directives.h"

/* The support of attributes: which call honours which attribute, at the level of client, server,
 * host or tool (Std, query of PMIX_QUERY_ATTRIBUTE_SUPPORT). The library's own support is a
 * constant table; the host registers its own with PMIx_Register_attributes. Any thread. */

/* The registrations of the host. One per context, with its own lock; owned by the context. */
struct px_attrs;

/* Makes and releases the registrations; nobody else may use them while they are released. */
struct px_attrs *px_attrs_create(void);        /* NULL: no memory */
void px_attrs_destroy(struct px_attrs *attrs); /* takes NULL */

/* Registers the attributes that the host supports in one function, given by the name of the call
 * or of the upcall; a call and its _nb form are two functions. The names, NULL-terminated (or NULL
 * for none), are copied.
 *
 * 0, PMIX_ERR_REPEAT_ATTR_REGISTRATION (the function has been registered), PMIX_ERR_BAD_PARAM (no
 * function), PMIX_ERR_NOMEM. */
int px_attrs_register(struct px_attrs *attrs, const char *function, char **names);

/* True if a query asks about attributes or functions. *ret_levels: the levels (enum px_attr_level)
 * that it names, all four if it names none. */
bool px_attrs_asked(const pmix_query_t *query, unsigned *ret_levels);

/* Appends to *info (malloc'd, PMIx_Info_free) the answer for those levels that the query asks for
 * and that are in `levels`. The answer has one element for every call and level: its key is the
 * name of the call, its value an array of one info; that has the level as its key, and an array of
 * pmix_regattr_t as its value, or no value if the level has no support. attrs may be NULL. 0 (also
 * if the query asks for none of this), PMIX_ERR_PARTIAL_SUCCESS (some names are not calls),
 * PMIX_ERR_NOT_FOUND (none is), PMIX_ERR_BAD_PARAM (names of calls without
 * PMIX_QUERY_ATTRIBUTE_SUPPORT as the first key), PMIX_ERR_NOMEM. With the last three, *info is
 * unchanged. The query has at least one key. */
int px_attrs_answer(struct px_attrs *attrs, unsigned levels, const pmix_query_t *query,
                    pmix_info_t **info, size_t *ninfo);

#endif
