/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_NESTED_H
#define PX_VALUE_NESTED_H

#include <stddef.h>

#include <pmix.h>

/* Copies of infos and values that outlive the call in which they are made. The public copy
 * functions share the value of an info that is marked persistent, since the caller promises that
 * it stays valid; that promise does not reach beyond the call, so the functions here copy such
 * values too. Any thread. */

/* PMIx_Info_xfer over uninitialised storage, except that the copy owns its value even if the
 * source, or an info in an array of its value, is marked persistent. 0, PMIX_ERR_NOMEM, or the
 * status of a value that cannot be copied; dst is zeros then. */
int px_info_keep(pmix_info_t *dst, const pmix_info_t *src);

/* Replaces the shallow parts of copied infos, those marked persistent, by copies of their own. 0,
 * PMIX_ERR_NOMEM, or the status of a value that cannot be copied; the infos can be freed then,
 * too. */
int px_infos_keep(pmix_info_t *infos, size_t n);

/* PMIx_Value_xfer with the same exception. On failure dst is empty. */
int px_value_keep(pmix_value_t *dst, const pmix_value_t *src);

#endif
