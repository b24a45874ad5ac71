/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_NESTED_H
#define PX_VALUE_NESTED_H

#include <stddef.h>

#include <pmix.h>

/* PMIx_Info_xfer over uninitialised storage, except that the copy owns its value even when the
 * source is marked persistent, or an info in an array of its value is: for copies that outlive the
 * call they are made in. On failure dst is zeros. */
int px_info_keep(pmix_info_t *dst, const pmix_info_t *src);

/* Makes shallow parts of copied infos, those marked persistent, their own. 0, PMIX_ERR_NOMEM, or
 * what is wrong with a value; the infos can be freed all the same. */
int px_infos_own(pmix_info_t *infos, size_t n);

/* PMIx_Value_xfer likewise. */
int px_value_keep(pmix_value_t *dst, const pmix_value_t *src);

#endif
