/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_CONTROL_H
#define PX_CLIENT_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include <pmix.h>

struct px_ctx;

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

#endif
