/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_INVITE_H
#define PX_CLIENT_INVITE_H

/* Groups by invitation (Std. chapter Process Sets and Groups): the calls of leader and invitee, and
 * how a leader takes the answers. The parts that both sides share are in invitation.h. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_invitation;

/* To the leader: `who` has accepted (with its data among the infos) or declined. The group is
 * constructed, or fails, with the last answer. Loop thread. */
void px_invitation_answered(struct px_invitation *invitation, const pmix_proc_t *who, bool accepted,
                            const pmix_info_t *info, size_t ninfo);
/* To the leader: `who` has terminated. An invitee that has not answered counts as failed. Loop
 * thread. */
void px_invitation_lost(struct px_invitation *invitation, const pmix_proc_t *who);

/* px_role_ops.group_invite_nb: this process becomes the leader and a member. The callback has
 * PMIX_SUCCESS with the members, PMIX_ERR_PARTIAL_SUCCESS (fewer than invited, which
 * PMIX_GROUP_OPTIONAL or a handler has allowed), PMIX_GROUP_CONSTRUCT_ABORT,
 * PMIX_ERR_LOST_CONNECTION or PMIX_ERR_NOMEM. Returns PMIX_ERR_UNREACH (no server) or
 * PMIX_ERR_NOMEM: it is not called. */
pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
/* px_role_ops.group_join_nb: answers an invitation of `leader`. One that declines is done at once;
 * one that accepts waits for the leader's outcome: PMIX_SUCCESS with the members,
 * PMIX_GROUP_CONSTRUCT_ABORT, PMIX_GROUP_LEADER_FAILED, PMIX_ERR_TIMEOUT or
 * PMIX_ERR_LOST_CONNECTION. Returns as px_client_group_invite_nb. */
pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata);

#endif
