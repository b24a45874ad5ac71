/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifndef PX_SERVER_PEER_WORDS_H
#define PX_SERVER_PEER_WORDS_H

/* What the server says of its peers if pmix_server_base_verbose asks for it: at level 1 whom it
 * refuses and why, at level 2 who comes and goes. Loop thread. */

struct px_handshake;
struct px_in;
struct px_peer;
struct px_pending_conn;

/* Refuses a connection with the status, and says what that means here. */
void px_peer_refuse(struct px_pending_conn *pending, const struct px_handshake *handshake,
                    int status);

void px_peer_tell_foreign(const struct px_handshake *handshake); /* its encoding is not ours */
void px_peer_tell_connected(const struct px_peer *peer);
void px_peer_tell_gone(const struct px_peer *peer);
/* If a request could not be unpacked because of px_in.most. */
void px_peer_tell_arrays(const struct px_peer *peer, const struct px_in *in);

#endif
