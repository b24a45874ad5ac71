/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_EVENTS_H
#define PX_CLIENT_EVENTS_H

#include "session.h"

/* An event from the server. Loop thread. */
void px_client_event_in(struct px_session *session, struct px_in *in);
/* Asks a server, which has become the primary one, for everything that handlers here are registered
 * for. It answers before anything that is asked of it later. Loop thread. 0, PMIX_ERR_NOMEM,
 * PMIX_ERR_LOST_CONNECTION. */
int px_client_repeat_codes(struct px_server_peer *server);

#endif
