/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_MONITOR_H
#define PX_SERVER_MONITOR_H

/* Monitors that the server watches itself (PMIx_Process_monitor): heartbeats of a peer, and files.
 * One that has been silent for too long raises an event; it does so again after a sign of life. All
 * other monitors are the host's. Loop thread. */

#include "src/server/requests/requests.h"

struct px_peer;
struct px_server;

/* Service of PMIx_Process_monitor (struct px_service), its `prepare`: checks the directives. 0 or
 * PMIX_ERR_BAD_PARAM. */
int px_monitor_prepare(struct px_upcall *up, struct px_peer *peer);

/* Its `call`. Of a peer these are not passed to the host: PMIX_MONITOR_HEARTBEAT with
 * PMIX_MONITOR_HEARTBEAT_TIME, PMIX_MONITOR_FILE with PMIX_MONITOR_FILE_CHECK_TIME if the peer is
 * of this server's user, and PMIX_MONITOR_CANCEL of such monitors. PMIX_OPERATION_SUCCEEDED,
 * PMIX_ERR_OUT_OF_RESOURCE (a peer has too many), PMIX_ERR_NOMEM, or what the host says. */
pmix_status_t px_monitor_call(struct px_upcall *up);

/* The peer has sent a heartbeat. */
void px_monitor_beat(struct px_peer *peer);

/* Frees the monitors of a peer. */
void px_monitors_peer_disconnected(struct px_server *s, const struct px_peer *peer);

/* Frees all monitors when the server stops. */
void px_monitors_drop_all(struct px_server *s);

#endif
