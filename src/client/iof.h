/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_IOF_H
#define PX_CLIENT_IOF_H

#include "session.h"

struct px_ctx;

/* Output of some process from the server. Loop thread. */
void px_client_iof_in(struct px_server_peer *server, struct px_in *in);
void px_iof_handlers_fini(struct px_session *session);

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
