/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_DATA_H
#define PX_SERVER_SELF_DATA_H

/* Data calls by the server process itself: the entries of px_server_ops (self_ops.c) for store,
 * get, commit and resolve; struct px_role_ops describes each. Any thread of the host; the work
 * is done on the loop thread. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_server.h>

struct px_completion;
struct px_ctx;
struct px_reply;

/* True if the namespace is registered with this server. Any thread; false in a forked child. */
bool px_self_hosts(struct px_ctx *ctx, const char *nspace);

/* PMIx_Store_internal: stores a value of `proc` (NULL: this process) for readers of this
 * process. Rank wildcard stores it as job information. PMIX_SUCCESS, PMIX_ERR_NOMEM, or a status
 * of the store; PMIX_ERR_UNREACH in a forked child. */
pmix_status_t px_self_store(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_value_t *value);
/* PMIx_Commit: always PMIX_SUCCESS, since a server puts no values that need one. */
pmix_status_t px_self_commit(struct px_ctx *ctx);
/* PMIx_Get; without a key, all that is here of one process. Blocks until the value is found, not
 * available, or the host has answered; on the loop thread and in a forked child it answers from the
 * stores or returns the status of px_ctx_may_block. *value is the caller's. PMIX_ERR_INIT,
 * PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, or the get's result. */
pmix_status_t px_self_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t ninfo, pmix_value_t **value);
/* PMIx_Get_nb: the completion is ended on the loop thread. After an error, which is returned, it is
 * not. PMIX_ERR_BAD_PARAM, PMIX_ERR_NOMEM, or PMIX_ERR_NOT_SUPPORTED for a get into the caller's
 * storage. */
pmix_status_t px_self_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                             const pmix_info_t *info, size_t ninfo, const struct px_completion *to);
/* px_role_ops.resolve: the host is asked first, unless the caller cannot wait (see
 * px_resolve_call). */
pmix_status_t px_self_resolve(struct px_ctx *ctx, bool peers, const char *node, const char *nspace,
                              struct px_reply *ret);

#endif
