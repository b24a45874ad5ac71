/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_START_H
#define PX_CLIENT_START_H

/* PMIx_Init and PMIx_Finalize of a client. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* Sends REQ and waits for the reply: our job's information, or the segment that has it; by messages
 * where that cannot be used. Also takes the name that a server assigns to a tool. 0,
 * PMIX_ERR_NOT_SUPPORTED (the server insists on a segment), PMIX_ERR_UNPACK_FAILURE,
 * PMIX_ERR_TIMEOUT, PMIX_ERR_LOST_CONNECTION or PMIX_ERR_NOMEM. Not on the loop thread. */
int px_session_request_job(struct px_session *session);

/* Reads our name from the environment. False: no server started this process, or the name is
 * malformed. */
bool px_client_name_given(pmix_proc_t *ret);

/* True if the parameters allow to map segments. */
bool px_client_wants_segment(void);

/* Starts the client role on a context whose loop and parameters are ready. PMIX_SUCCESS, or
 * PMIX_ERR_UNREACH without a server, in which case the context is a working singleton. Other errors
 * (PMIX_ERR_NOMEM, a server that refuses us) leave nothing behind. Blocks. Under ctx->lock. */
pmix_status_t px_client_start(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

/* Sends FINALIZE, closes the connection and frees the role (px_session_end); the context is down
 * already. Returns the status of the goodbye. Under ctx->lock. */
pmix_status_t px_client_stop(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo);

#endif
