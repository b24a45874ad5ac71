/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_PUT_H
#define PX_CLIENT_PUT_H

#include <pmix.h>

struct px_ctx;
struct px_session;

/* What became of earlier commits, once: 0, or the status with which the server refused one (put.c).
 * Any thread. */
int px_session_refused(struct px_session *session);

pmix_status_t px_client_put(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                            const pmix_value_t *value);
pmix_status_t px_client_store_internal(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                       const pmix_value_t *value);
pmix_status_t px_client_commit(struct px_ctx *ctx);

#endif
