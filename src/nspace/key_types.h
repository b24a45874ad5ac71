/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_KEY_TYPES_H
#define PX_NSPACE_KEY_TYPES_H

/* The declared type of each stored key, and the conversion of a host's value to it. Any thread.
 *
 * Example: PMIX_LOCAL_RANK is declared as uint16. A host that gives it as the int 3 has it stored
 * as the uint16 3; the int 70000 is PMIX_ERR_BAD_PARAM, the string "3" PMIX_ERR_TYPE_MISMATCH. */

#include <stdbool.h>

#include <pmix_common.h>

/* The declared type of a key; PMIX_UNDEF for unknown keys and those of several types.
 * *ret_per_node: the key is the job's, but each node has its own value. */
pmix_data_type_t px_key_declared(const char *key, bool *ret_per_node);

/* Checks a value against a type. *ret_converted: false if the value may be used as it is; true if
 * *ret, which has no inner memory, replaces it. PMIX_SUCCESS, PMIX_ERR_TYPE_MISMATCH (for example a
 * string where a number belongs), PMIX_ERR_BAD_PARAM (a number that does not fit). */
int px_value_fit(pmix_data_type_t type, const pmix_value_t *value, bool *ret_converted,
                 pmix_value_t *ret);

#endif
