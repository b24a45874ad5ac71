/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_EVENTS_H
#define PX_SERVER_SELF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <pmix_server.h>

struct px_ctx;
struct px_iof_deregister_args;
struct px_iof_pull_args;
struct px_server;

void px_self_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                              bool default_handler);
pmix_status_t px_self_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                               pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                               void *regcbdata);

/* At once: PMIX_OPERATION_SUCCEEDED or PMIX_ERR_NOT_FOUND. */
pmix_status_t px_self_iof_deregister(struct px_server *s,
                                     const struct px_iof_deregister_args *args);

#endif
