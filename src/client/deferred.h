/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_DEFERRED_H
#define PX_CLIENT_DEFERRED_H

/* Completions whose result is known at once, but which must be called on the loop thread and after
 * the operation has returned (src/context/role.h). Any thread. */

#include <pmix.h>

#include "src/loop/loop.h"
#include "src/request/schema.h"

/* Calls the completion with an array of infos on the loop thread. 0: the array is taken over;
 * PMIX_ERR_NOMEM: it stays the caller's. */
int px_defer_infos(struct px_loop *loop, pmix_status_t status, pmix_info_t *info, size_t ninfo,
                   const struct px_completion *to);

#endif
