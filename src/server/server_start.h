/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_SERVER_START_H
#define PX_SERVER_SERVER_START_H

/* Start and stop of a server, and the role of a process that is nothing but one. */

#include <pmix_server.h>

#include "src/context/role.h"

struct px_ctx;
struct px_server;

/* The calls of the interface that the server's own process may make. */
extern const struct px_role_ops px_server_ops;

/* Prepares the process for a server before the loop is made (px_listeners_prepare). */
void px_server_prepare(void);

/* Starts a server on a context whose loop and parameters are ready: ctx->server. The caller makes
 * it the role of the context, or starts it beside the session of a launcher, which then has its
 * name and is ctx->role already. The host's module may be NULL and is read only as far as its
 * caller's generation reaches (docs/decisions). Directives are borrowed for the call. Under
 * ctx->lock. 0, a status of px_server_configure, of opening the listeners or of
 * px_rendezvous_write; then the context has no server. */
pmix_status_t px_server_start(struct px_ctx *ctx, const pmix_server_module_t *module,
                              const pmix_info_t *info, size_t ninfo);

/* For px_server_run: the server of a launcher calls this module (pmix_server_module_t) from now on;
 * upcalls under way are answered by the one before. PMIX_SUCCESS. */
int px_server_set_module(struct px_server *s, void *module);

/* Answers or drops all requests, closes connections and listeners, removes rendezvous files. Calls
 * that are inside may still use the server, but begin nothing. No effect without a server, in a
 * forked child, and the second time. Under ctx->lock, when the context is down. */
void px_server_shut(struct px_ctx *ctx);

/* px_server_shut, and frees the server: ctx->server is NULL then, unless a thread stays inside a
 * call. In a forked child it is only forgotten. No effect without a server. Under ctx->lock. */
void px_server_stop(struct px_ctx *ctx);

#endif
