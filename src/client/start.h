/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_START_H
#define PX_CLIENT_START_H

#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* REQ: job information, or the segment that holds it. Not on the loop thread. */
int px_session_request_job(struct px_session *session);

/* The client role on a context whose loop and parameters are ready. Under ctx->lock. PMIX_SUCCESS,
 * or PMIX_ERR_UNREACH when no server launched us: the context is then a working singleton. Other
 * errors leave nothing behind. */
pmix_status_t px_client_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

/* Says goodbye, closes the connection and frees the role (px_session_end). The context is down
 * already. Under ctx->lock. The result is that of the goodbye. */
pmix_status_t px_client_stop(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

#endif
