/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMMIT_H
#define PX_SERVER_COMMIT_H

/* Commits of local processes into the stores of their namespaces. */

#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_peer;
struct px_reply_to;
struct px_server;

/* PX_CMD_COMMIT, a px_handler: publishes the values, answers, and serves the gets that waited for
 * them. Those of a tool go to a record of its own (src/server/tools/tool_data.h). 0,
 * PMIX_ERR_NOT_SUPPORTED (a scope that servers are not told of, or a peer that is neither a process
 * nor a tool), PMIX_ERR_BAD_PARAM (values for everybody beside values for some), PMIX_ERR_NOMEM,
 * PMIX_ERR_OUT_OF_RESOURCE, the status of unpacking, or that of px_store_publish. A long commit is
 * handled in pieces: after success with peer->commit the message has to stay, and
 * px_commit_go_on is to be called in another turn. Its values become visible piece by piece, in
 * the order in which they were put. */
int px_handle_commit(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);

/* Handles another piece of peer->commit, which is NULL again when it has ended. *ret is whom the
 * status concerns. Statuses as px_handle_commit. Loop thread. */
int px_commit_go_on(struct px_server *s, struct px_peer *peer, struct px_reply_to *ret);

/* Frees peer->commit, if there is one: it is not going to be ended, nor answered. Pieces that were
 * handled stay. */
void px_commit_drop(struct px_peer *peer);

#endif
