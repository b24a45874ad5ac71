/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_REGISTRATIONS_H
#define PX_SERVER_REGISTRATIONS_H

/* Registrations for event codes. The `done` of their service is px_codes_registered
 * (server_events.h). Loop thread. */

#include "src/server/state.h"

struct px_in;
struct px_peer;
struct px_server;
struct px_upcall;

/* Service of a registration for codes, its `prepare`: adds them to the peer's. 0,
 * PMIX_ERR_NOMEM, or PMIX_ERR_OUT_OF_RESOURCE (more than shmix_max_codes). */
int px_codes_prepare(struct px_upcall *up, struct px_peer *peer);

/* Its `call`: asks the host for the codes of the registration that no peer had registered before.
 * 0: an answer will come. PMIX_ERR_NOT_SUPPORTED: the host is not asked (it has no register_events,
 * or there is no such code); px_codes_registered then decides. PMIX_ERR_NOMEM, or the host's. */
pmix_status_t px_codes_call(struct px_upcall *up);

/* Counts registrations of these codes down, and asks the host to drop those that have none left. */
void px_codes_dropped(struct px_server *s, const pmix_status_t *codes, size_t ncodes);

/* PX_CMD_DEREGEVENTS, a px_handler: removes codes from the peer's registrations. Has no answer. 0.
 */
int px_handle_deregevents(struct px_server *s, struct px_peer *peer, uint32_t tag,
                          struct px_in *in);

/* Drops the registrations of a peer. */
void px_events_peer_disconnected(struct px_server *s, struct px_peer *peer);

#endif
