/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PUT_H
#define PX_CLIENT_PUT_H

/* PMIx_Put, PMIx_Commit and PMIx_Store_internal. */

#include <pmix.h>

struct px_ctx;
struct px_session;

/* Stores a value without bytes for this process: a pointer, or with the type PMIX_UNDEF that there
 * is none any more. 0 or PMIX_ERR_NOMEM. Any thread. */
int px_session_store_local(struct px_session *session, const pmix_proc_t *proc, const char *key,
                           const pmix_value_t *value);

/* The status with which the server refused an earlier commit, or 0. One caller gets it, then it is
 * forgotten. Any thread. */
int px_session_refused(struct px_session *session);

/* px_role_ops.put: a copy of the value waits for the next commit; with the scope PMIX_INTERNAL it
 * is stored in this process only. This process can get it at once. With a scope that deletes there
 * is no value, and what was put goes away: px_client_delete. PMIX_ERR_BAD_PARAM (key empty or too
 * long, or one of the host's), PMIX_ERR_NOT_SUPPORTED (scope), PMIX_ERR_NOMEM, or an error of
 * storing a value that is not simple. Any thread. */
pmix_status_t px_client_put(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                            const pmix_value_t *value);
/* px_role_ops.store_internal: stores a value for this process alone. proc: NULL for ourselves. A
 * pointer or a topology is not copied: it must stay valid. PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM. Any
 * thread. */
pmix_status_t px_client_store_internal(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                       const pmix_value_t *value);
/* px_role_ops.commit: sends the put values, in the order of the commits; does not wait for the
 * reply. PMIX_SUCCESS also without a server. PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOMEM, or the
 * status with which the server refused an earlier commit. Any thread. */
pmix_status_t px_client_commit(struct px_ctx *ctx);
/* The same, but the status of an earlier commit is left to others: for an operation of several
 * processes, in which this one has to take part in any case. */
pmix_status_t px_client_send_commit(struct px_ctx *ctx);

#endif
