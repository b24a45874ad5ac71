/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SUCCESSION_H
#define PX_CLIENT_SUCCESSION_H

/* An invitation whose leader is lost before its outcome (docs/decisions/0025). Each invitee that
 * waits asks its own handlers of PMIX_GROUP_LEADER_FAILED and tells all others what they say
 * (votes.h), by events PMIX_GROUP_LEADER_FAILED of the library's own (PX_KEY_SUCCESSION). When all
 * have been heard, or have ended, each comes to the same end: the invitation is given up, nobody
 * leads and the calls end with PMIX_GROUP_LEADER_FAILED, or the first who wants to lead invites
 * anew, by an invitation that names the one that it continues (PX_KEY_SUCCEEDS), which the others
 * answer as their calls have answered before. Loop thread. */

#include <stdbool.h>
#include <stdint.h>

#include <pmix.h>

struct px_invitation_event;
struct px_invited;
struct px_session;

/* True if a new leader of the invitation can be found: its leader has named the others. */
bool px_succession_possible(const struct px_invited *invited);

/* The leader is lost, and a call of this process waits: takes part in the election, once. Calls may
 * have ended when it returns. */
void px_succession_begin(struct px_invited *invited);

/* The last call of this process that waited has given up: it does not lead. */
void px_succession_withdraw(struct px_invited *invited);

/* PMIX_GROUP_LEADER_FAILED. True: it is what another invitee says, and is not for the
 * application. */
bool px_succession_event(struct px_session *session, const struct px_invitation_event *at);

/* PMIX_GROUP_INVITED, which has been noted in `next`: true if it continues an invitation that this
 * process knows. Then it is answered, now or when this process knows of the loss, too, and is not
 * for the application. */
bool px_succession_invited(struct px_invited *next, const struct px_invitation_event *at);

/* A process, or all of a namespace, has ended. */
void px_succession_lost(struct px_session *session, const pmix_proc_t *proc);

#endif
