/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_TOOL_WAIT_H
#define PX_CLIENT_TOOL_WAIT_H

/* What a tool waits for beside replies: that it is connected to a server, and the end of the
 * process that started it. */

#include "src/client/session.h"

/* The connected server of that name, or NULL. Any thread. */
struct px_link_server *px_tool_find_server(const struct px_session *session,
                                           const pmix_proc_t *server);

/* Waits until the server of that name is connected, at most so many seconds (PX_NOT_GIVEN or 0: for
 * ever). PMIX_ERR_TIMEOUT; PMIX_ERR_LOST_CONNECTION: the library is finalized meanwhile;
 * PMIX_ERR_NOMEM. Blocks; not on the loop thread. */
pmix_status_t px_tool_await(struct px_session *session, const pmix_proc_t *server,
                            uint32_t seconds);
/* A server has been attached: ends the waits for it. Any thread. */
void px_tool_attached(struct px_session *session);

/* If the variable PMIX_KEEPALIVE_PIPE has the descriptor of a pipe: raises PMIX_EVENT_JOB_END in
 * this process when its other end is closed. The variable and the descriptor are not for the
 * children of this process. Not on the loop thread. */
void px_tool_watch_parent(struct px_session *session);

/* Ends all waits and the watch. Not on the loop thread. */
void px_tool_wait_fini(struct px_session *session);

#endif
