/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_QUERY_H
#define PX_CLIENT_QUERY_H

#include <stddef.h>

#include <pmix.h>

struct px_ctx;

pmix_status_t px_client_query_nb(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata);

#endif
