/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_DEFERRED_H
#define PX_CLIENT_DEFERRED_H

/* Completions whose result is known at once, but which must be called on the loop thread and after
 * the operation has returned (src/context/role.h). Any thread. */

#include <pmix.h>

#include "src/loop/loop.h"
#include "src/request/schema.h"

/* Completions that are known at once but must come by callback on the loop thread. 0 or
 * PMIX_ERR_NOMEM. */

/* `ours`: the value is freed after the callback. Untouched on failure. */
int px_defer_value(struct px_loop *loop, pmix_status_t status, pmix_value_t *value, bool ours,
                   pmix_value_cbfunc_t cbfunc, void *cbdata);

/* The array is taken over on success. */
int px_defer_infos(struct px_loop *loop, pmix_status_t status, pmix_info_t *info, size_t ninfo,
                   const struct px_completion *to);

#endif
