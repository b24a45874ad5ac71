/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_SYNC_H
#define PX_CLIENT_SYNC_H

#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* A collective has ended: calls then(arg) when what others posted before is to be seen, now or
 * later. Loop thread. */
void px_client_collective_over(struct px_session *session, void (*then)(void *arg), void *arg);

pmix_status_t px_client_fence_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                 const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata);

pmix_status_t px_client_connect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                   const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata);
pmix_status_t px_client_disconnect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
