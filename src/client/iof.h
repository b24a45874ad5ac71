/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_IOF_H
#define PX_CLIENT_IOF_H

/* Forwarded standard output of other processes: subscriptions (PMIx_IOF_pull) and the output that
 * arrives for them. */

#include "session.h"
#include "src/request/schema.h"

struct px_ctx;

/* Reads output from the server and gives it to the subscription's function, or writes it to our own
 * standard output or error. What does not parse, and output for an unknown number, is dropped. Loop
 * thread. */
void px_client_iof_in(struct px_link_server *server, struct px_in *in);
/* Frees all subscriptions at the end of the session; what they hold back is given out first. Not on
 * the loop thread. */
void px_iof_handlers_fini(struct px_session *session);

/* True if a subscription is at that server. Session lock. */
bool px_iof_is_asked_locked(struct px_session *session, const struct px_link_server *server);

/* Asks a server, which has become the primary one, for all output that was asked of servers which
 * are lost or left by now. Refusals are told by the event PMIX_ERR_IOF_FAILURE. Loop thread. */
void px_client_iof_repeat(struct px_link_server *server);

/* As px_role_ops.request: ends the subscription with our number given->id, at the server that it
 * was made at, after the output that the server sent before its answer. Success also if the
 * connection to that server is lost, and with it the subscription. PMIX_ERR_BAD_PARAM: there is
 * none, the server has not confirmed it yet, or it is being ended. Any thread. */
pmix_status_t px_client_iof_deregister(struct px_session *session,
                                       const struct px_iof_deregister_args *given,
                                       const struct px_completion *to);

/* px_role_ops.iof_pull: subscribes at the primary server. 0: regcbfunc is called once on the loop
 * thread with our number; cbfunc (NULL: write the output to our own descriptors) is called there
 * with each piece of output, from before regcbfunc on. PMIX_ERR_UNREACH, PMIX_ERR_LOST_CONNECTION,
 * PMIX_ERR_NOMEM or another error of sending: neither is called. */
pmix_status_t px_client_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                                 pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                                 void *regcbdata);

#endif
