/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_RESOLVE_H
#define PX_CLIENT_RESOLVE_H

/* PMIx_Resolve_peers and PMIx_Resolve_nodes, and gets of dynamic keys: keys whose value changes
 * while a job runs, so that no store has them. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_reply;
struct px_session;

/* True for PMIX_LOCAL_PROCS, PMIX_PSET_NAMES and PMIX_GROUP_NAMES, which the server is always asked
 * for. */
bool px_key_is_dynamic(const char *key);

/* Gets the value of a dynamic key from the server. timeout_ms: whole seconds, 0: no limit. 0:
 * cbfunc is called once on the loop thread, with PMIX_ERR_TIMEOUT if there was no answer in time;
 * the value is borrowed for the callback. PMIX_ERR_NOT_FOUND (an old server), PMIX_ERR_NOMEM, or no
 * server (PMIX_ERR_UNREACH, PMIX_ERR_LOST_CONNECTION): it is not called. */
pmix_status_t px_client_get_dynamic_nb(struct px_session *session, const pmix_proc_t *proc,
                                       const char *key, uint64_t timeout_ms,
                                       pmix_value_cbfunc_t cbfunc, void *cbdata);

/* px_role_ops.resolve. Answered from the segment if it is complete and the host does not answer
 * such calls itself, else by the server, or by what is here if the server has no answer.
 * PMIX_ERR_WOULD_BLOCK on the loop thread if the server has to be asked, PMIX_ERR_NOMEM, or the
 * status of the server. */
pmix_status_t px_client_resolve(struct px_ctx *ctx, bool peers, const char *node,
                                const char *nspace, struct px_reply *ret);

#endif
