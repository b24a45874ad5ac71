/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_EVENTS_H
#define PX_CLIENT_EVENTS_H

/* Events between this process and its server: events that arrive, events that the application
 * raises, and registrations of codes. The handlers themselves are in src/event. */

#include "session.h"
#include "src/request/schema.h"

struct px_ctx;

/* Reads an event from the server and delivers it to invitations and to the application's handlers.
 * What does not parse is ignored. Loop thread. */
void px_client_event_in(struct px_session *session, struct px_in *in);
/* Registers at a server, which has become the primary one, all codes that this process has handlers
 * for. The server serves this before any later request. Loop thread. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_LOST_CONNECTION or another error of px_request_send_at. */
int px_client_repeat_codes(struct px_link_server *server);

/* As px_role_ops.request: registers the codes of a handler of the application. The primary server
 * sends the events of these codes that it has kept. PMIX_OPERATION_SUCCEEDED if this process never
 * had a server, and for a tool that may attach to another one; PMIX_ERR_LOST_CONNECTION if a client
 * has lost its server. Loop thread. */
pmix_status_t px_client_register_codes(struct px_session *session, const struct px_codes_args *args,
                                       const struct px_completion *to);
/* The same for codes of events that the library handles itself. The server sends no kept events of
 * codes that were registered before. */
pmix_status_t px_client_watch_codes(struct px_session *session, const struct px_codes_args *args,
                                    const struct px_completion *to);
/* As px_role_ops.request: raises an event. It is sent to the server and, if this process is within
 * its range, given to our own handlers on the loop thread. Groups in a custom range are replaced by
 * their members first. Without a server our own handlers alone get it. */
pmix_status_t px_client_notify(struct px_session *session, const struct px_notify_args *given,
                               const struct px_completion *to);

/* For a role that raises events in another way: ends the invitations that an event of this process
 * aborts, if it is one that does. 0 or PMIX_ERR_NOMEM. Any thread. */
int px_client_abort_own(struct px_ctx *ctx, const struct px_notify_args *args);
/* True if an event is for this process alone. Any thread. */
bool px_notify_stays_here(const struct px_notify_args *args);

/* px_role_ops.deregister_codes: at all servers, since a former primary one has the codes too. Codes
 * that invitations need stay registered. */
void px_client_deregister_codes(struct px_ctx *ctx, const pmix_status_t *codes, size_t ncodes,
                                bool default_handler);

#endif
