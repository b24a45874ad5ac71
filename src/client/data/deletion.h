/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_DELETION_H
#define PX_CLIENT_DELETION_H

/* Deletion of posted values: by this process, with PMIx_Put and one of the scopes PMIX_DEL_LOCAL to
 * PMIX_DEL_INTERNAL; and by other processes, of whose values this one may have copies
 * (docs/decisions/0024-deletion.md). */

#include <pmix.h>
#include <stdbool.h>

struct px_ctx;
struct px_get_request;
struct px_in;
struct px_session;
struct px_store;

/* Deletes what this process has put under the key, for the processes that the scope names: its own
 * gets do not find it from now on, those of others from the next commit on. Success also if nothing
 * was put. The key is legal. PMIX_ERR_NOT_SUPPORTED (a qualified value; a server that does not know
 * of deletions), PMIX_ERR_NOMEM. Any thread. */
pmix_status_t px_client_delete(struct px_ctx *ctx, pmix_scope_t scope, const char *key);

/* True if this process has deleted its value of the key. A get must then not give the value that
 * the segment or the server may still have. held: our private store, or NULL. Any thread. */
bool px_client_has_deleted(const struct px_session *session, const struct px_store *held,
                           const char *key, size_t key_len);

/* The server has answered that a process has no such value. A copy of it, which an earlier get has
 * left in this process, is removed. Any thread. */
void px_client_note_gone(struct px_session *session, const struct px_get_request *request);

/* Takes a message with PX_TAG_DELETED, by which a server of OpenPMIx 7 says that a process has
 * deleted a key. Loop thread. */
void px_client_deleted_in(struct px_session *session, struct px_in *in);

#endif
