/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_H
#define PX_CLIENT_GROUP_H

/* Groups made by a collective (PMIx_Group_construct) or by bootstrap, and their end. Groups made by
 * invitation are in invite.h. */

#include "session.h"
#include "src/event/registry.h"

struct px_ctx;

/* px_role_ops.group_construct_nb: commits what this process has put, sends the request, and enters
 * the members in the group map when the reply comes. The results belong to the callback until it
 * calls the release function. 0: cbfunc is called once on the loop thread. PMIX_ERR_UNREACH,
 * PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOMEM, an error of packing, or of the commit: it is not
 * called. */
pmix_status_t px_client_group_construct_nb(struct px_ctx *ctx, const char *group,
                                           const pmix_proc_t *procs, size_t nprocs,
                                           const pmix_info_t *info, size_t ninfo,
                                           pmix_info_cbfunc_t cbfunc, void *cbdata);
/* px_role_ops.group_destruct_nb: a collective of all members. This process forgets the group at
 * once, whatever the server replies. Statuses as construct. */
pmix_status_t px_client_group_destruct_nb(struct px_ctx *ctx, const char *group,
                                          const pmix_info_t *info, size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
/* px_role_ops.group_leave_nb: this process leaves alone, and forgets the group at once. Statuses as
 * construct. */
pmix_status_t px_client_group_leave_nb(struct px_ctx *ctx, const char *group,
                                       const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
