/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_API_DEBUG_STOP_H
#define PX_API_DEBUG_STOP_H

/* PMIX_DEBUG_STOP_IN_INIT: a process that is held in PMIx_Init for a debugger. */

#include <pmix_common.h>

struct px_ctx;

/* Returns at once unless the host has registered PMIX_DEBUG_STOP_IN_INIT for this process.
 * Otherwise tells the host (PMIX_READY_FOR_DEBUG) and blocks until PMIX_DEBUGGER_RELEASE comes. 0,
 * PMIX_ERR_LOST_CONNECTION (the server is lost meanwhile), or the status of the registration or the
 * notification. The context is up; under ctx->lock, not on the loop thread. */
pmix_status_t px_api_stop_in_init(struct px_ctx *ctx);

#endif
