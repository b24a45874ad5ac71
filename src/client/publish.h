/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PUBLISH_H
#define PX_CLIENT_PUBLISH_H

#include <stddef.h>

#include <pmix.h>

struct px_ctx;

pmix_status_t px_client_publish_nb(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                   pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_lookup_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                  size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_unpublish_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                     size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_spawn_nb(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                                 const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                                 void *cbdata);

#endif
