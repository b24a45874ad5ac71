/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SELF_EVENTS_H
#define PX_SERVER_SELF_EVENTS_H

/* Events and output of processes for the server process itself: entries of px_server_ops
 * (self_ops.c). struct px_role_ops describes them. */

#include <stdbool.h>
#include <stddef.h>

#include <pmix_server.h>

struct px_ctx;
struct px_iof_deregister_args;
struct px_iof_pull_args;
struct px_server;

/* The numbers of subscriptions at the server of a launcher are above this one; those of its session
 * are below, so that the application's calls find the right one. */
enum { PX_SELF_LAUNCHER_IDS = 1 << 30 };

/* Asks the host to stop sending events with these codes (deregister_events), after the last
 * handler of this process for them was removed. default_handler is not used. Loop thread. */
void px_self_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                              bool default_handler);
/* px_role_ops.spell_groups, with the groups of this server's clients. */
int px_self_spell_groups(struct px_ctx *ctx, pmix_info_t *info);
/* PMIx_IOF_pull. The arguments are copied. regcbfunc is called on the loop thread with the
 * subscription's number, then cbfunc with output, kept output first. PMIX_SUCCESS (accepted),
 * PMIX_ERR_NOMEM, PMIX_ERR_NOT_SUPPORTED (a required directive that is not honoured), or the
 * status of a malformed directive; after an error no callback is called. Any thread. */
pmix_status_t px_self_iof_pull(struct px_ctx *ctx, const struct px_iof_pull_args *args,
                               pmix_iof_cbfunc_t cbfunc, pmix_hdlr_reg_cbfunc_t regcbfunc,
                               void *regcbdata);

/* PMIx_IOF_deregister: ends a subscription of this process before it returns.
 * PMIX_OPERATION_SUCCEEDED, PMIX_ERR_NOT_FOUND, or PMIX_ERR_UNREACH in a forked child. Any
 * thread. */
pmix_status_t px_self_iof_deregister(struct px_server *s,
                                     const struct px_iof_deregister_args *args);

#endif
