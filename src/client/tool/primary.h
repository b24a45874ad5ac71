/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PRIMARY_H
#define PX_CLIENT_PRIMARY_H

/* The primary server, and what each of a tool's servers has said. Gets and queries of a tool are
 * about what its primary server knows, so each server has its own spaces, ages and answers
 * (px_told). Those of the primary one are where all reads look: in the session. A client has one
 * server, and nothing moves. */

#include <stdbool.h>

struct px_link_server;
struct px_session;

/* Makes a server (NULL: none) the one to which requests go, and what it has said what is read.
 * Session lock. */
void px_session_set_primary_locked(struct px_session *session, struct px_link_server *server);

/* Hands a new server the empty spaces of one that is gone, so that their number does not grow with
 * the number of connections. Session lock; before the server is in the list. */
void px_server_reuse_locked(struct px_session *session, struct px_link_server *server);

/* True if what the message under way says may be stored: a tool keeps nothing of a server that is
 * not its primary one by now. Loop thread. */
bool px_session_is_heard(const struct px_session *session);

/* Drops what lost servers have said, except the primary one. Their segments and stores are unmapped
 * when nobody reads them, and standard input that was pushed to them ends. What a lost primary
 * server has said stays until another server is primary. Loop thread; the argument is the session.
 */
void px_session_forget_lost(void *arg);

/* Frees what a server has said. No other thread may use it. */
void px_told_fini(struct px_link_server *server);

#endif
