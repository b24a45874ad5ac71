/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_ALL_COLLECTIVES_H
#define PX_SERVER_ALL_COLLECTIVES_H

/* What is done with all collectives of a server at once, because something has changed. Loop
 * thread. */

struct px_peer;
struct px_server;

/* A peer's connection has ended: it gets no reply any more, and collectives may now be complete. */
void px_colls_peer_disconnected(struct px_server *s, const struct px_peer *peer);
/* Checks every open collective for completeness. Called when a namespace or client is
 * registered, a process terminates, or a peer connects: each may change who is waited for. */
void px_colls_recount(struct px_server *s);
/* For the server's end: ends all collectives with PMIX_ERR_LOST_CONNECTION. */
void px_colls_drop_all(struct px_server *s);

#endif
