/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_TOOL_H
#define PX_SERVER_TOOL_H

/* Tools that connect to this server: who is admitted, and under which name. Loop thread. */

#include "src/server/state.h"

struct px_handshake;
struct px_peer_cred;

/* True if the tool has to be refused: the host has not enabled tools, or the tool's user is not
 * allowed. Authenticates the tool and completes *peer_cred (px_auth_identify). */
bool px_tool_refused(struct px_server *s, const struct px_handshake *handshake,
                     struct px_peer_cred *peer_cred);

/* Asks the host whether to admit the tool; px_peer_admit follows, now or later. The handshake is
 * borrowed for the call. */
void px_tool_accept(struct px_peer *peer, const struct px_handshake *handshake);

#endif
