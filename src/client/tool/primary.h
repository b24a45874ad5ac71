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

/* Drops the data of all lost servers except the primary one: unmaps their segments and stores once
 * no thread reads them, and ends standard input that is pushed to them. The data of a lost primary
 * server is kept until another server becomes primary. Loop thread. arg: the session. */
void px_session_forget_lost(void *arg);

/* Frees what a server has said. No other thread may use it. */
void px_told_fini(struct px_link_server *server);

#endif
