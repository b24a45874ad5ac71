/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_WIRE_REGEX2_H
#define PX_WIRE_REGEX2_H

#include <pmix_common.h>

/* Maps as pmix_regex2_t (docs/wire-format.md, "Maps"). Types: "raw", the list as it is, and
 * "compress", the list as px_deflate writes it. A NUL at the end of the list is no part of it. Any
 * thread. */

/* The shorter of the two forms of a list; its members are malloc'd, released with
 * PMIx_Regex2_destruct. 0, PMIX_ERR_NOMEM; on failure *ret_map is unchanged. */
int px_regex2_make(const char *list, pmix_regex2_t *ret_map);

/* The list, malloc'd, with a NUL at its end and none before. 0, PMIX_ERR_NOT_SUPPORTED (another
 * type), PMIX_ERR_BAD_PARAM (the bytes are not of the type, or the list has a NUL inside),
 * PMIX_ERR_NOMEM; on failure *ret_list is unchanged. */
int px_regex2_list(const pmix_regex2_t *map, char **ret_list);

#endif
