/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_KEY_TYPES_H
#define PX_NSPACE_KEY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix_common.h>

/* What type a stored key's value has to have, and how hosts that use another integer type are
 * understood. */

/* The declared type, PMIX_UNDEF for unknown keys and for those that take several. *ret_per_node:
 * the key is the job's, but each node has its own value. */
pmix_data_type_t px_key_declared(const char *key, bool *ret_per_node);

/* Checks a value against the type. *ret_converted: false, the value may be used as it is; true,
 * *ret (no inner memory) takes its place. PMIX_SUCCESS, PMIX_ERR_TYPE_MISMATCH (no number where one
 * belongs, and so on), PMIX_ERR_BAD_PARAM (a number that does not fit). */
int px_value_fit(pmix_data_type_t type, const pmix_value_t *value, bool *ret_converted,
                 pmix_value_t *ret);

#endif
