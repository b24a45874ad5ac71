/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GROUP_H
#define PX_CLIENT_GROUP_H

#include "session.h"
#include "src/event/registry.h"

struct px_ctx;

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
