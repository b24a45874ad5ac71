/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CONTEXT_ROLE_H
#define PX_CONTEXT_ROLE_H

#include <stdbool.h>

#include <pmix.h>

struct px_ctx;

/* As PMIx_Get. */
typedef pmix_status_t (*px_get_fn)(const pmix_proc_t *proc, const char key[],
                                   const pmix_info_t info[], size_t ninfo, pmix_value_t **value);

/* What a role (client, server, tool) answers to the API. src/api checks arguments and the
 * initialised state, then calls the operation; a NULL operation is PMIX_ERR_NOT_SUPPORTED in that
 * role. Blocking API calls are built in src/api from the non-blocking operation and a px_wait.
 *
 * Operations with a callback: called in the API caller's thread, may be called on the loop thread
 * too. They return PMIX_SUCCESS (the callback comes later, once, on the loop thread, never before
 * the operation returns), PMIX_OPERATION_SUCCEEDED (done, no callback) or an error (no callback).
 * Arguments are borrowed for the call: an operation copies or packs what it needs (it must not rely
 * on the caller keeping them). */
struct px_role_ops {
    const char *name;

    pmix_status_t (*put)(struct px_ctx *ctx, pmix_scope_t scope, const char *key,
                         const pmix_value_t *value);
    pmix_status_t (*store_internal)(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                                    const pmix_value_t *value);
    pmix_status_t (*commit)(
        struct px_ctx *ctx); /* hands over in order; does not wait for the reply */

    /* PMIx_Get itself, with the arguments as they came: enters the context by itself, reads the
     * directives, looks in this process, and asks and waits if need be. */
    px_get_fn get;
    pmix_status_t (*get_nb)(struct px_ctx *ctx, const pmix_proc_t *proc, const char *key,
                            const pmix_info_t *info, size_t ninfo, pmix_value_cbfunc_t cbfunc,
                            void *cbdata);

    pmix_status_t (*fence_nb)(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                              const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                              void *cbdata);
    pmix_status_t (*abort_nb)(struct px_ctx *ctx, int status, const char *msg,
                              const pmix_proc_t *procs, size_t nprocs, pmix_op_cbfunc_t cbfunc,
                              void *cbdata);
    pmix_status_t (*publish_nb)(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                pmix_op_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*lookup_nb)(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                               size_t ninfo, pmix_lookup_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*unpublish_nb)(struct px_ctx *ctx, char **keys, const pmix_info_t *info,
                                  size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*spawn_nb)(struct px_ctx *ctx, const pmix_info_t *job_info, size_t ninfo,
                              const pmix_app_t *apps, size_t napps, pmix_spawn_cbfunc_t cbfunc,
                              void *cbdata);
    pmix_status_t (*connect_nb)(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                void *cbdata);
    pmix_status_t (*disconnect_nb)(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                                   const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                   void *cbdata);

    /* Blocking in the caller's thread (PMIX_ERR_WOULD_BLOCK on the loop thread unless the store
     * answers). */
    pmix_status_t (*resolve_peers)(struct px_ctx *ctx, const char *node, const char *nspace,
                                   pmix_proc_t **procs, size_t *nprocs);
    pmix_status_t (*resolve_nodes)(struct px_ctx *ctx, const char *nspace, char **nodelist);

    pmix_status_t (*query_nb)(struct px_ctx *ctx, const pmix_query_t *queries, size_t nqueries,
                              pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*log_nb)(struct px_ctx *ctx, const pmix_info_t *data, size_t ndata,
                            const pmix_info_t *directives, size_t ndirs, pmix_op_cbfunc_t cbfunc,
                            void *cbdata);
    pmix_status_t (*alloc_nb)(struct px_ctx *ctx, pmix_alloc_directive_t directive,
                              const pmix_info_t *info, size_t ninfo, pmix_info_cbfunc_t cbfunc,
                              void *cbdata);
    pmix_status_t (*job_control_nb)(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                                    const pmix_info_t *directives, size_t ndirs,
                                    pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*monitor_nb)(struct px_ctx *ctx, const pmix_info_t *monitor, pmix_status_t error,
                                const pmix_info_t *directives, size_t ndirs,
                                pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*get_credential_nb)(struct px_ctx *ctx, const pmix_info_t *info, size_t ninfo,
                                       pmix_credential_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*validate_credential_nb)(struct px_ctx *ctx, const pmix_byte_object_t *cred,
                                            const pmix_info_t *info, size_t ninfo,
                                            pmix_validation_cbfunc_t cbfunc, void *cbdata);

    /* Events: the handlers themselves are in ctx->events. Loop thread. `codes` newly wanted / no
     * longer wanted in this process (ncodes 0: the default handler). */
    pmix_status_t (*register_codes)(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                    const pmix_info_t *info, size_t ninfo, pmix_op_cbfunc_t cbfunc,
                                    void *cbdata);
    void (*deregister_codes)(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                             bool default_handler);
    pmix_status_t (*notify_nb)(struct px_ctx *ctx, pmix_status_t code, const pmix_proc_t *source,
                               pmix_data_range_t range, const pmix_info_t *info, size_t ninfo,
                               pmix_op_cbfunc_t cbfunc, void *cbdata);

    pmix_status_t (*group_construct_nb)(struct px_ctx *ctx, const char *group,
                                        const pmix_proc_t *procs, size_t nprocs,
                                        const pmix_info_t *info, size_t ninfo,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*group_destruct_nb)(struct px_ctx *ctx, const char *group,
                                       const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*group_leave_nb)(struct px_ctx *ctx, const char *group, const pmix_info_t *info,
                                    size_t ninfo, pmix_op_cbfunc_t cbfunc, void *cbdata);
    /* By events alone: the leader invites, the others answer. */
    pmix_status_t (*group_invite_nb)(struct px_ctx *ctx, const char *group,
                                     const pmix_proc_t *procs, size_t nprocs,
                                     const pmix_info_t *info, size_t ninfo,
                                     pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*group_join_nb)(struct px_ctx *ctx, const char *group, const pmix_proc_t *leader,
                                   pmix_group_opt_t answer, const pmix_info_t *info, size_t ninfo,
                                   pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*session_control_nb)(struct px_ctx *ctx, uint32_t session,
                                        const pmix_info_t *directives, size_t ndirs,
                                        pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*resource_block_nb)(struct px_ctx *ctx,
                                       pmix_resource_block_directive_t directive, const char *block,
                                       const pmix_resource_unit_t *units, size_t nunits,
                                       const pmix_info_t *info, size_t ninfo,
                                       pmix_op_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*fabric_register_nb)(struct px_ctx *ctx, const pmix_info_t *directives,
                                        size_t ndirs, pmix_info_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*fabric_update_nb)(struct px_ctx *ctx, size_t index, pmix_info_cbfunc_t cbfunc,
                                      void *cbdata);
    pmix_status_t (*iof_pull)(struct px_ctx *ctx, const pmix_proc_t *procs, size_t nprocs,
                              const pmix_info_t *directives, size_t ndirs,
                              pmix_iof_channel_t channel, pmix_iof_cbfunc_t cbfunc,
                              pmix_hdlr_reg_cbfunc_t regcbfunc, void *regcbdata);
    pmix_status_t (*iof_deregister)(struct px_ctx *ctx, size_t handler,
                                    const pmix_info_t *directives, size_t ndirs,
                                    pmix_op_cbfunc_t cbfunc, void *cbdata);
    pmix_status_t (*iof_push)(struct px_ctx *ctx, const pmix_proc_t *targets, size_t ntargets,
                              const pmix_byte_object_t *bytes, const pmix_info_t *directives,
                              size_t ndirs, pmix_op_cbfunc_t cbfunc, void *cbdata);
};

#endif
