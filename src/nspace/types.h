/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_NSPACE_TYPES_H
#define PX_NSPACE_TYPES_H

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

/* Reads any integer type, PMIX_PROC_RANK, PMIX_STATUS or PMIX_BOOL. 0, PMIX_ERR_TYPE_MISMATCH,
 * PMIX_ERR_BAD_PARAM (over 32 bits or negative). */
int px_value_u32(const pmix_value_t *value, uint32_t *ret);

/* The value of the first info with the key, or NULL. */
const pmix_value_t *px_info_find(const pmix_info_t *info, size_t ninfo, const char *key);

/* The elements of a value that has to be an array of infos. 0 or PMIX_ERR_TYPE_MISMATCH. */
int px_info_open(const pmix_value_t *value, const pmix_info_t **ret_info, size_t *ret_n);

/* The string of a value that has one, and not an empty one; else NULL. Takes NULL. */
const char *px_value_text(const pmix_value_t *value);

#endif
