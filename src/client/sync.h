/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SYNC_H
#define PX_CLIENT_SYNC_H

/* Collectives of processes: fence, connect, disconnect; and what every collective does at its end.
 */

#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* Ends a collective: calls then(arg) once everything that others committed before it can be read
 * here, at once or after refreshes of segments. Loop thread. */
void px_client_collective_over(struct px_session *session, void (*then)(void *arg), void *arg);

/* px_role_ops.fence_nb. The callback has the status of the fence, or that of a commit which the
 * server refused earlier. A singleton's fence with itself alone is PMIX_OPERATION_SUCCEEDED.
 * PMIX_ERR_NOT_SUPPORTED: a required directive is unknown. Other statuses as px_msg_start and
 * px_msg_send. */
pmix_status_t px_client_fence_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                 const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata);

/* px_role_ops.connect_nb. Job information of the other namespaces that comes with the reply is
 * stored before the callback, unless it is in segments, which are asked for when needed. Statuses
 * as px_msg_start and px_msg_send. */
pmix_status_t px_client_connect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                   const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata);
/* px_role_ops.disconnect_nb. Statuses as px_msg_start and px_msg_send. */
pmix_status_t px_client_disconnect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
