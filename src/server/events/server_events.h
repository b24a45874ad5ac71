/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_EVENTS_H
#define PX_SERVER_EVENTS_H

/* Events and registrations for event codes, of local clients, the host and this process (Standard,
 * chapter Event Notification). The server delivers an event to each peer at most once; the peer's
 * own registry finds the handlers. Loop thread. */

#include "kept_events.h"
#include "src/server/state.h"

struct px_event;
struct px_peer;
struct px_server;
struct px_upcall;

/* Where an event comes from. Only a client's, and that of a monitor that a client has asked for, is
 * passed to the host, keeps away from default handlers of this process, and stays with the client's
 * user (src/server/peers/access.h). */
enum px_origin { PX_ORIGIN_CLIENT, PX_ORIGIN_MONITOR, PX_ORIGIN_HOST, PX_ORIGIN_LIBRARY };

/* Service of PMIx_Notify_event (struct px_service): the event is delivered when the upcall is
 * answered, without asking the host for permission. */
pmix_status_t px_notify_call(struct px_upcall *up);
/* Its `ahead`: names of a long range are looked at in parts. */
bool px_notify_ahead(struct px_upcall *up);

/* Delivers an event that this process raises as the host: it may report the end of processes. Loop
 * thread. */
void px_event_of_host(struct px_server *s, const struct px_event *event);

/* The `done` of that service: delivers the event and answers the request. */
void px_notify_answered(struct px_upcall *up);

/* The `done` of a registration for codes: answers, then sends the kept events that the peer has
 * newly registered for. */
void px_codes_registered(struct px_upcall *up);

/* Sends an event to one peer, if it is one of this library or has registered for the code. False:
 * it was not sent, for that reason, or since the peer does not read, or memory is out. */
bool px_event_tell(struct px_peer *peer, const struct px_event *event);
/* Tells a peer how many events it has lost because it did not read: PMIX_ERR_OUT_OF_RESOURCE for
 * handlers of this code, not for default ones, with PX_KEY_LOST_EVENTS. */
void px_event_tell_lost(struct px_peer *peer);

/* Delivers an event to all peers that registered for it and are in its range, keeps it, and
 * delivers it to the handlers of this process; a client's event also goes to the host. The event is
 * borrowed for the call. by: the peer that has raised it, which does not get it; or whose monitor
 * has, which gets it as an event of this server; or NULL. Returns 0. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *by);

/* Raises PMIX_ERR_LOST_CONNECTION in this process: the host learns by its own event handlers that a
 * client or tool disconnected without finalizing. */
void px_event_report_loss(struct px_server *s, const pmix_proc_t *proc);

/* Delivers an event that a client has raised to all peers that registered for it, are in its range
 * and may have it, and keeps it. Not to peers that had it (passed_events.h). */
void px_event_to_peers(struct px_server *s, const struct px_event *event, struct px_raiser by);

/* Passes an event to the host's notify_event, unless its range ends at this node. */
void px_event_to_host(struct px_server *s, const struct px_event *event);

#endif
