/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_DATA_H
#define PX_SERVER_SELF_DATA_H

#include <stddef.h>

#include <pmix_server.h>

struct px_ctx;

pmix_status_t px_self_store(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_value_t *value);
pmix_status_t px_self_commit(struct px_ctx *ctx);
pmix_status_t px_self_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                          size_t ninfo, pmix_value_t **value);
pmix_status_t px_self_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                             const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                             void *cbdata);
pmix_status_t px_self_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace,
                                    pmix_proc_t **procs, size_t *nprocs);
pmix_status_t px_self_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist);

#endif
