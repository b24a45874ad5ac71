/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SUCCESSION_H
#define PX_CLIENT_SUCCESSION_H

/* An invitation whose leader is lost before its outcome (docs/decisions/0025). Each invitee that
 * waits calls its own handlers of PMIX_GROUP_LEADER_FAILED and sends their vote to the others
 * (votes.h), by events PMIX_GROUP_LEADER_FAILED of the library's own (PX_KEY_SUCCESSION). When each
 * other invitee has voted or has ended, there are three outcomes: the invitation is given up; no
 * process leads, and the calls end with PMIX_GROUP_LEADER_FAILED; or the first process that claims
 * to lead invites anew. Its invitation names the one that it continues (PX_KEY_SUCCEEDS), and the
 * others answer it as their calls have answered the first. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

struct px_invitation_event;
struct px_invited;
struct px_session;

/* True if a new leader of the invitation can be found: its first leader has named the invitees. */
bool px_succession_possible(const struct px_invited *invited);

/* The leader is lost, and a call of this process waits: takes part in the election, once. Calls may
 * have ended when it returns. */
void px_succession_begin(struct px_invited *invited);

/* The last waiting call of this process has given up: the process does not lead. */
void px_succession_withdraw(struct px_invited *invited);

/* Takes an event PMIX_GROUP_LEADER_FAILED. True: it is the vote of another invitee, and is not for
 * the application. */
bool px_succession_event(struct px_session *session, const struct px_invitation_event *at);

/* Takes an event PMIX_GROUP_INVITED, which has been noted in `next`. True: it continues an
 * invitation that this process knows. Then it is answered, at once or when this process knows of
 * the loss, and is not for the application. */
bool px_succession_invited(struct px_invited *next, const struct px_invitation_event *at);

/* A process, or all of a namespace, has ended. */
void px_succession_lost(struct px_session *session, const pmix_proc_t *proc);

#endif
