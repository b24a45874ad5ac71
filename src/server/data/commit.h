/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COMMIT_H
#define PX_SERVER_COMMIT_H

/* Commits of local processes, and committed values of processes of other nodes, into the stores. */

#include <stdint.h>

#include <pmix.h>

struct px_in;
struct px_kval_reader;
struct px_nspace;
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

/* Reads the committed values of one process that another server sent, a KVAL stream to its end,
 * into the reader's batch, and notes that the process's data has changed. The batch borrows from
 * `in`. 0, or the status of unpacking. Loop thread. */
int px_modex_values_read(struct px_server *s, struct px_kval_reader *reader, struct px_nspace *ns,
                         uint32_t rank, struct px_in *in);

/* Publishes the values that were read if rc is 0, and frees the reader. The reader may be NULL if
 * rc is an error. Returns rc, or the status of px_store_publish. Loop thread. */
int px_modex_values_publish(struct px_kval_reader *reader, struct px_nspace *ns, int rc);

#endif
