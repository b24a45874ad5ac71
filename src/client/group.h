/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_H
#define PX_CLIENT_GROUP_H

/* Groups made by a collective (PMIx_Group_construct) or by bootstrap, and their end. Groups made by
 * invitation are in invite.h. */

#include "session.h"
#include "src/event/registry.h"

struct px_ctx;

/* Operations of px_role_ops. Construct commits what this process has put, sends the request, and
 * keeps the members in the group map when the reply comes; the results are the callback's until it
 * calls the release function. Destruct and leave forget the group at once, whatever the server
 * replies. They return PMIX_SUCCESS (the callback is called on the loop thread), PMIX_ERR_UNREACH,
 * PMIX_ERR_LOST_CONNECTION, PMIX_ERR_NOMEM or an error of packing. */
pmix_status_t px_client_group_construct_nb(struct px_ctx *ctx, const char *group,
                                           const pmix_proc_t *procs, size_t nprocs,
                                           const pmix_info_t *info, size_t ninfo,
                                           pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_group_destruct_nb(struct px_ctx *ctx, const char *group,
                                          const pmix_info_t *info, size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_group_leave_nb(struct px_ctx *ctx, const char *group,
                                       const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
