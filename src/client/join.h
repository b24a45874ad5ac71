/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_JOIN_H
#define PX_CLIENT_JOIN_H

/* An invitee of a group by invitation (Std. chapter Process Sets and Groups). Loop thread, except
 * the call itself. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_completion;
struct px_ctx;
struct px_infos;
struct px_invitation_event;
struct px_invited;
struct px_reply;
struct px_session;

/* px_role_ops.group_join_nb: answers the newest invitation of `leader` to the group. One that
 * declines is done at once; one that accepts waits for the outcome: PMIX_SUCCESS with the members,
 * PMIX_GROUP_CONSTRUCT_ABORT (also: the invitation is over, or there is none), PMIX_ERR_EXISTS (the
 * name is a group's or a namespace's here; the leader is told that this process declines),
 * PMIX_GROUP_LEADER_FAILED, PMIX_ERR_TIMEOUT, PMIX_ERR_LOST_CONNECTION or PMIX_ERR_NOMEM. Returns
 * PMIX_ERR_UNREACH (no server), PMIX_ERR_BAD_PARAM (a directive of a wrong type; the leader is this
 * process, whose call is the invitation itself) or PMIX_ERR_NOMEM: there is no reply. */
pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      const struct px_completion *to);

/* PMIX_GROUP_INVITED: notes the identity of the invitation for a later call. False: the event is
 * for the application, too. */
bool px_join_invited(struct px_session *session, const struct px_invitation_event *at);
/* PMIX_GROUP_CONSTRUCT_COMPLETE and PMIX_GROUP_CONSTRUCT_ABORT: ends the calls that wait for it. A
 * copy of an old event has no effect. True: the event is the library's own. */
bool px_join_outcome(struct px_session *session, const struct px_invitation_event *at);
/* A process, or all of a namespace, has ended: who waits for it as the leader waits in vain. */
void px_join_lost(struct px_session *session, const pmix_proc_t *proc);

/* For an invitation that has lost its leader (succession.h): true if a call of this process waits
 * for it, and has not given up; what such a call, which must be there, gives to the group. */
bool px_join_waits(const struct px_invited *invited);
const struct px_infos *px_join_given(const struct px_invited *invited);
/* Ends its calls with a status. */
void px_joins_finish(const struct px_invited *invited, pmix_status_t status);
/* Its calls wait for the invitation of its successor from now on; those that have given up are
 * forgotten. */
void px_joins_move(const struct px_invited *invited);
/* For px_completion, whose cbdata is the identity of an invitation by which this process leads: the
 * calls that have been moved to it end as it has ended. */
void px_join_led(const struct px_completion *to, struct px_reply *reply);
/* Accepts that invitation for the calls that have been moved. */
void px_joins_answer(const struct px_invited *invited);

/* Ends all calls that wait with PMIX_ERR_LOST_CONNECTION, and forgets all invitations. */
void px_joins_end(struct px_session *session);

#endif
