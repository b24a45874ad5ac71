/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITE_H
#define PX_CLIENT_INVITE_H

/* The leader of a group by invitation (Std. chapter Process Sets and Groups). Loop thread, except
 * the call itself. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_completion;
struct px_ctx;
struct px_infos;
struct px_invitation_event;
struct px_invited;
struct px_session;

/* px_role_ops.group_invite_nb: this process becomes the leader and a member. Groups and wildcards
 * among the processes stand for their members. The reply has PMIX_SUCCESS with the members,
 * PMIX_ERR_PARTIAL_SUCCESS (fewer than invited, which PMIX_GROUP_OPTIONAL or a handler has
 * allowed), PMIX_GROUP_CONSTRUCT_ABORT, PMIX_ERR_EXISTS (the name is a group's or a namespace's),
 * PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOMEM, or the error of the host for a context id that is
 * required. Returns PMIX_ERR_UNREACH (no server), PMIX_ERR_BAD_PARAM (a directive of a wrong type,
 * a rank that is none), PMIX_ERR_NOT_FOUND (a group has no such rank) or PMIX_ERR_NOMEM: there is
 * no reply. */
pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        const struct px_completion *to);

/* An answer has come (PMIX_GROUP_INVITE_ACCEPTED, PMIX_GROUP_INVITE_DECLINED). True: it counts, and
 * has been delivered to the application's handlers, who may abort by it. An acceptance without an
 * invitation is refused. */
bool px_invite_answered(struct px_session *session, const struct px_invitation_event *at);
/* This process or an invitee aborts the group that this process forms. */
void px_invite_aborted(struct px_session *session, const struct px_invitation_event *at);
/* A process, or all of a namespace, has ended. */
void px_invite_lost(struct px_session *session, const pmix_proc_t *proc);

/* Makes an invitation of this process in place of that of a lost leader: to the same processes,
 * with the directives of that leader. given: the data of this process for the group.
 * px_invite_start sends it; px_join_led is called when it ends. Its identity is in *ret_id. 0,
 * PMIX_ERR_EXISTS (as above) or PMIX_ERR_NOMEM. */
int px_invite_succeed(const struct px_invited *invited, const struct px_infos *given,
                      uint64_t *ret_id);
/* Sends it. Processes that have been silent in the election (PX_SILENT) count as failed, and are
 * not invited. */
void px_invite_start(const struct px_invited *invited, uint64_t id);
/* True if that invitation has not come to its end. */
bool px_invite_is_open(struct px_session *session, uint64_t id);
/* Gives that invitation up with PMIX_ERR_TIMEOUT, unless its outcome is decided. */
void px_invite_withdraw(struct px_session *session, uint64_t id);

/* Ends all invitations of this process with PMIX_ERR_LOST_CONNECTION. */
void px_invites_end(struct px_session *session);

#endif
