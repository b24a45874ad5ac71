/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_IOF_H
#define PX_CLIENT_IOF_H

#include "session.h"
#include "src/request/schema.h"

struct px_ctx;

/* Output of some process from the server. Loop thread. */
void px_client_iof_in(struct px_server_peer *server, struct px_in *in);
void px_iof_handlers_fini(struct px_session *session);

/* Ends a subscription under our own number. As px_role_ops.request; PMIX_ERR_BAD_PARAM: there is
 * none. Any thread. */
pmix_status_t px_client_iof_deregister(struct px_session *session,
                                       const struct px_iof_deregister_args *given,
                                       const struct px_completion *to);

pmix_status_t px_client_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *given,
                                 pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                                 void *regcbdata);

#endif
