/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_GET_NB_H
#define PX_CLIENT_GET_NB_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix.h>

struct px_ctx;
struct px_session;

/* Does that process run on another node, as far as we know? Inside a read-side critical section. */
bool px_client_is_far(struct px_session *session, const char *nspace, pmix_rank_t rank);

pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                               void *cbdata);

#endif
