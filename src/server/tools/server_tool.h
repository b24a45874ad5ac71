/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TOOL_H
#define PX_SERVER_TOOL_H

#include "src/server/state.h"

struct px_handshake;
struct px_peer_cred;

/* Tools at the listener: who may come in, under which name, and what they get unasked. Loop thread.
 */

/* Wrong owner, or a host that does not serve tools. Establishes who it is (px_auth_identify). */
bool px_tool_refused(struct px_server *s, const struct px_handshake *handshake,
                     struct px_peer_cred *peer_cred);

/* Asks the host; px_peer_admit() follows. */
void px_tool_accept(struct px_peer *peer, const struct px_handshake *handshake);

#endif
