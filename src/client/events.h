/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_CLIENT_EVENTS_H
#define PX_CLIENT_EVENTS_H

#include "session.h"

/* An event from the server. Loop thread. */
void px_client_event_in(struct px_session *session, struct px_in *in);

#endif
