/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_EVENTS_H
#define PX_SERVER_EVENTS_H

#include "src/server/state.h"

struct px_event;
struct px_in;
struct px_peer;
struct px_reply_to;
struct px_server;
struct px_upcall;

/* Registrations for event codes and what the host is told of them. Loop thread. */

/* Added to every event that we send. */
#define PX_KEY_FROM_SERVER "pmix.srvr.internal.notify"

enum px_origin { PX_ORIGIN_CLIENT, PX_ORIGIN_HOST, PX_ORIGIN_LIBRARY };

/* The services (struct px_service). A registration asks the host for codes that are its own and
 * that nobody has wanted yet; events that were kept follow the answer. */
pmix_status_t px_notify_call(struct px_upcall *up);
void px_notify_answered(struct px_upcall *up);
int px_codes_prepare(struct px_upcall *up, struct px_peer *peer);
pmix_status_t px_codes_call(struct px_upcall *up);
void px_codes_registered(struct px_upcall *up);

void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes);

int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer);
void px_events_drop_all(struct px_server *s);

/* Hands an event to whom it concerns. `except`: the peer that it came from, or NULL. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *except);

#endif
