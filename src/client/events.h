/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_EVENTS_H
#define PX_CLIENT_EVENTS_H

#include "session.h"
#include "src/request/schema.h"

struct px_ctx;

/* An event from the server. Loop thread. */
void px_client_event_in(struct px_session *session, struct px_in *in);
/* Asks a server, which has become the primary one, for everything that handlers here are registered
 * for. It answers before anything that is asked of it later. Loop thread. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_LOST_CONNECTION. */
int px_client_repeat_codes(struct px_server_peer *server);

/* As px_role_ops.request. A registration that no server need know of is done at once; an event is
 * given to our own handlers as well. */
pmix_status_t px_client_register_codes(struct px_session *session, const struct px_codes_args *args,
                                       const struct px_completion *to);
pmix_status_t px_client_notify(struct px_session *session, const struct px_notify_args *given,
                               const struct px_completion *to);

void px_client_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                bool default_handler);

#endif
