/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SINGLETON_H
#define PX_CLIENT_SINGLETON_H

/* Processes that no server has named or described: singletons, and tools that do not connect. Both
 * before other threads use the session. */

struct px_session;

/* Gives this process a name of its own, unique on the node while it lives: rank 0 of the namespace
 * "<kind>.<host name>.<process id>". */
void px_singleton_name(struct px_session *session, const char *kind);

/* Stores the job information of a process that is alone in its namespace, on this node: a job of
 * one process. 0, PMIX_ERR_NOMEM, or an error of storing it. */
int px_singleton_describe(struct px_session *session);

#endif
