/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_FORMER_H
#define PX_CLIENT_FORMER_H

/* Frees the servers that a tool has lost or left, so that the memory of a tool does not grow when
 * it attaches and detaches again and again. */

struct px_session;

/* Frees the former servers, or does nothing if another thread may still use one of them; the next
 * call tries again. The caller is inside a call of the application, and uses no former server. Any
 * thread but the loop thread. */
void px_former_free(struct px_session *session);

/* Waits for a px_former_free that runs in another thread; after this none frees anything. The
 * context is down already (px_ctx_peek is NULL). Any thread but the loop thread. */
void px_former_stop(struct px_session *session);

#endif
