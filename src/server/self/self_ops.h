/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_OPS_H
#define PX_SERVER_SELF_OPS_H

#include "src/context/role.h"
#include "src/request/args.h"

struct px_server;

/* The server process's own operations, as struct px_role_ops says. self_data.c and
 * self_events.c. */

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

pmix_status_t px_self_register_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                     const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                     void *cbdata);
void px_self_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                              bool default_handler);
pmix_status_t px_self_notify(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                             pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                             pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_self_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                               pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                               void *regcbdata);
/* At once: PMIX_OPERATION_SUCCEEDED or PMIX_ERR_NOT_FOUND. */
pmix_status_t px_self_iof_deregister(struct px_server *s,
                                     const struct px_iof_deregister_args *args);

#endif
