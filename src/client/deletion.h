/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_DELETION_H
#define PX_CLIENT_DELETION_H

/* Values that go away: PMIx_Put with one of the scopes PMIX_DEL_LOCAL to PMIX_DEL_INTERNAL, and
 * copies of what other processes have deleted (docs/decisions/0024-deletion.md). */

#include <pmix.h>
#include <stdbool.h>

struct px_ctx;
struct px_get_request;
struct px_in;
struct px_session;
struct px_store;

/* True for a scope that says that a key goes away. */
static inline bool px_scope_deletes(pmix_scope_t scope)
{
    return scope >= PMIX_DEL_LOCAL && scope <= PMIX_DEL_INTERNAL;
}

/* Deletes what this process has put under the key, of the audience that the scope names: at once
 * for its own gets, for others with the next commit. What was never put is gone already. The key is
 * legal. PMIX_ERR_NOT_SUPPORTED (qualified values; a server that does not know of deletions),
 * PMIX_ERR_NOMEM. Any thread. */
pmix_status_t px_client_delete(struct px_ctx *ctx, pmix_scope_t scope, const char *key);

/* True if this process has deleted what it had put under the key, so that nothing of it that is
 * found elsewhere counts any more. held: our private store, or NULL. Any thread. */
bool px_client_has_deleted(const struct px_session *session, const struct px_store *held,
                           const char *key, size_t key_len);

/* The server has answered that there is no such value. If it is one of ours, a copy that came
 * before goes. Any thread. */
void px_client_note_gone(struct px_session *session, const struct px_get_request *request);

/* A message with PX_TAG_DELETED: a server of OpenPMIx 7 says that a key of a process is gone. Loop
 * thread. */
void px_client_deleted_in(struct px_session *session, struct px_in *in);

#endif
