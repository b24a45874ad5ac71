/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_OPS_H
#define PX_CLIENT_OPS_H

#include "src/context/role.h"

/* The operations of a client and of a tool; the contracts are those of src/context/role.h. */

extern const struct px_role_ops px_client_ops;
extern const struct px_role_ops px_tool_ops;

pmix_status_t px_client_put(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                            const pmix_value_t *value);
pmix_status_t px_client_store_internal(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                       const pmix_value_t *value);
pmix_status_t px_client_commit(struct px_ctx *ctx);
pmix_status_t px_client_get_fast(const pmix_proc_t *proc, const char key[],
                                 const pmix_info_t info[], size_t ninfo, pmix_value_t **value);
/* A px_get_fn: everything that the fast path leaves. */
pmix_status_t px_client_get(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                            size_t ninfo, pmix_value_t **value);
pmix_status_t px_client_get_nb(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                               const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                               void *cbdata);
pmix_status_t px_client_fence_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                 const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata);
pmix_status_t px_client_abort_nb(struct px_ctx *ctx, int status, const char *msg,
                                 const pmix_proc_t *procs, size_t nprocs, pmix_op_cbfunc_t cbfunc,
                                 void *cbdata);
pmix_status_t px_client_publish_nb(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                   pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_lookup_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                  size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_unpublish_nb(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                     size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_spawn_nb(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                                 const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                                 void *cbdata);
pmix_status_t px_client_connect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                   const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata);
pmix_status_t px_client_disconnect_nb(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_resolve_peers(struct px_ctx *ctx, const char *node, const char *nspace,
                                      pmix_proc_t **procs, size_t *nprocs);
pmix_status_t px_client_resolve_nodes(struct px_ctx *ctx, const char *nspace, char **nodelist);
pmix_status_t px_client_query_nb(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                                 pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_log_nb(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata,
                               const pmix_info_t *directives, size_t ndirs, pmix_op_cbfunc_t cbfunc,
                               void *cbdata);
pmix_status_t px_client_alloc_nb(struct px_ctx *ctx, pmix_alloc_directive_t directive,
                                 const pmix_info_t *info, size_t ninfo, pmix_info_cbfunc_t cbfunc,
                                 void *cbdata);
pmix_status_t px_client_job_control_nb(struct px_ctx *ctx, const pmix_proc_t *targets,
                                       size_t ntargets, const pmix_info_t *directives, size_t ndirs,
                                       pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_monitor_nb(struct px_ctx *ctx, const pmix_info_t *monitor,
                                   pmix_status_t error, const pmix_info_t *directives, size_t ndirs,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_get_credential_nb(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                          pmix_credential_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_validate_credential_nb(struct px_ctx *ctx, const pmix_byte_object_t *cred,
                                               const pmix_info_t *info, size_t ninfo,
                                               pmix_validation_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_register_codes(struct px_ctx *ctx, const pmix_status_t *codes,
                                       size_t ncodes, const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
void px_client_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                bool default_handler);
pmix_status_t px_client_notify_nb(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                                  pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                                  pmix_op_cbfunc_t cbfunc, void *cbdata);
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
pmix_status_t px_client_group_invite_nb(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_group_join_nb(struct px_ctx *ctx, const char *group,
                                      const pmix_proc_t *leader, pmix_group_opt_t answer,
                                      const pmix_info_t *info, size_t ninfo,
                                      pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_session_control_nb(struct px_ctx *ctx, uint32_t session,
                                           const pmix_info_t *directives, size_t ndirs,
                                           pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_resource_block_nb(struct px_ctx *ctx,
                                          pmix_resource_block_directive_t directive,
                                          const char *block, const pmix_resource_unit_t *units,
                                          size_t nunits, const pmix_info_t *info, size_t ninfo,
                                          pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_fabric_register_nb(struct px_ctx *ctx, const pmix_info_t *directives,
                                           size_t ndirs, pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_fabric_update_nb(struct px_ctx *ctx, size_t index,
                                         pmix_info_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_iof_pull(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                 const pmix_info_t *directives, size_t ndirs,
                                 pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                                 pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata);
pmix_status_t px_client_iof_deregister(struct px_ctx *ctx, size_t handler,
                                       const pmix_info_t *directives, size_t ndirs,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
pmix_status_t px_client_iof_push(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                                 const pmix_byte_object_t *bytes, const pmix_info_t *directives,
                                 size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);

#endif
