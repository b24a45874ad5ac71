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

/* Registrations for event codes and what the host is told of them. Loop thread. */

/* Added to every event that we send. */
#define PX_KEY_FROM_SERVER "pmix.srvr.internal.notify"

enum px_origin { PX_ORIGIN_CLIENT, PX_ORIGIN_HOST, PX_ORIGIN_LIBRARY };

/* Somebody wants these codes for the first time; the host is asked where they are its own, then
 * from is answered, and kept events follow if `replay_too`. ncodes 0: all. */
void px_codes_wanted(struct px_server *s, const struct px_reply_to *reply_to,
                     const pmix_proc_t *proc, const pmix_status_t *codes, size_t ncodes,
                     bool replay_too, const pmix_info_t *info, size_t ninfo);
void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes);

int px_handle_notify(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_regevents(struct px_server *s, struct px_peer *peer, uint32_t tag, struct px_in *in);
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer);
void px_events_drop_all(struct px_server *s);

/* Hands an event to whom it concerns. `except`: the peer that it came from, or NULL. */
int px_event_fan_out(struct px_server *s, const struct px_event *event, enum px_origin origin,
                     const struct px_peer *except);

#endif
