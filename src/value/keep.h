/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_VALUE_KEEP_H
#define PX_VALUE_KEEP_H

#include <pmix_common.h>

/* PMIx_Info_xfer over uninitialised storage, except that the copy owns its value even when the
 * source is marked persistent, or an info in an array of its value is: for copies that outlive the
 * call they are made in. On failure dst is zeros. */
int px_info_keep(pmix_info_t *dst, const pmix_info_t *src);
/* PMIx_Value_xfer likewise. */
int px_value_keep(pmix_value_t *dst, const pmix_value_t *src);

#endif
