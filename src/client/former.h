/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_FORMER_H
#define PX_CLIENT_FORMER_H

/* The memory of servers that a tool has lost or left, so that a tool may attach and detach as often
 * as it likes. */

struct px_session;

/* Frees former servers, unless somebody may still use one: then a later call does. By a call of the
 * application that uses none of them. Not on the loop thread. */
void px_former_free(struct px_session *session);
/* Nothing is freed any more, and nobody is about to: the context went down before. Not on the loop
 * thread. */
void px_former_stop(struct px_session *session);

#endif
