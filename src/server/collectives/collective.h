/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_COLLECTIVE_H
#define PX_SERVER_COLLECTIVE_H

#include "src/server/requests/host_upcall.h"
#include "tracker.h"

struct px_in;
struct px_peer;
struct px_server;

/* What all collectives have in common: gathering the local members, the time limit, members that
 * die, the upcall, and the end. What one kind does is its table, struct px_coll_ops. Loop thread.
 */

/* A member has come. Completes the collective when it is the last local one. 0 (it is answered
 * later), or an error with nothing changed. */
int px_coll_enter(struct px_server *s, struct px_peer *peer, uint32_t tag,
                  struct px_coll_call *call);

/* Reads SIZE n; PROC[n]; SIZE m; INFO[m] and enters. As px_coll_enter, or what is wrong with the
 * bytes. */
int px_coll_handle(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in,
                   const struct px_coll_ops *ops);

/* Is the host to be done without? Then this is what is wrong: a local member, or a directive that
 * somebody requires and this library does not honour. */
pmix_status_t px_coll_local_status(const struct px_coll *coll);

void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer);
void px_colls_recount(struct px_server *s);
void px_colls_drop_all(struct px_server *s);

/* Hands the processes and directives, and what is wrong with local members, to the host, by the
 * table's `ask`. The collective may be over when this returns. */
void px_coll_ask_host(struct px_coll *coll);

/* Ends the collective of an upcall with a status, if it is not over. */
void px_coll_answered(struct px_upcall *up, pmix_status_t status);

/* Tells every member the status and frees the collective. An upcall under way is detached. */
void px_coll_finish(struct px_coll *coll, pmix_status_t status);

#endif
